"""The word lens of a page without a server: the word that two sentences share, layer by layer."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import numpy as np

from encoder.measures.similarity import ReferenceBand
from encoder.models.base import Backend
from encoder.models.labels import TAGS
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.shipped.probes import has_probes
from viz.answers.answer import Answer, Sentence, Table
from viz.answers.word_places import Occurrence, WordPlaces, heading, occurrences_of, place_word
from viz.figures.class_probabilities import SHOWN
from viz.site.templates import Reference, References, among, html_of_template, template, template_of_chart, value
from viz.theme import Theme
from viz.tours.places import LETTERS
from viz.views.word_lens.answer.divergence import chart_of, divergence, verdict_in_words
from viz.views.word_lens.answer.parts_of_speech import COLOURS, parts_of_speech, title_of
from viz.views.word_lens.answer.summary import summary
from viz.wording.explanations import Explanation
from viz.wording.labels import LONGEST_WORD, name_of_state
from viz.wording.tags import TAG_NAMES, Reading, reading_sentence

MISSING: Final = "The word lens needs two sentences that share a word. It reads each sentence alone."
WORD: Final = "zebra"  # replaced by the word of the texts
OTHER_WORD: Final = "giraffe"  # by the word of B, where that is another one
CHOICE: Final = (
    "Click a word of the text above to choose another one. In the other sentence, another inflection of it will do."
)
ABSENT: Final = "“{word}” is not in sentence {letter}. Choose another word: click one of the texts above."
STEP: Final = 0.01  # from the threshold to a cosine on one side of it


def word_lens(band: ReferenceBand, traces: Mapping[str, Trace], *, preferred: str = "") -> Answer:
    """What the model reads the word as, and how far its two uses are apart.

    Args:
        band: cosines of pairs with one sense and with two in this model.
        traces: of the sentences "A" and "B", each alone, or of one.
        preferred: the shared word to prefer.
    """
    occurrences = _occurrences(traces, preferred) if len(traces) > 1 else []
    if len(occurrences) < len(LETTERS):
        return Answer((Sentence(MISSING, "info"),))
    a, b = occurrences
    return _in_order(summary((a, b), None, {}), _read(a, b), divergence(a, b, band, {}))


def words_of_lens(traces: Mapping[str, Trace], *, preferred: str = "") -> list[int]:
    """Which word of each text the view is about, as `word_lens` chooses it; none if it has none."""
    occurrences = _occurrences(traces, preferred) if len(traces) > 1 else []
    return [each.word_index for each in occurrences]


def word_lens_template(model: Backend, band: ReferenceBand) -> dict[str, Any]:
    """The view with references, and what it says where no word is shared or a text lacks the chosen one."""
    a, b = occurrences_of({"A": model.trace(WORD), "B": model.trace(OTHER_WORD)}, WordPlaces(0, 0))
    every = [*range(model.num_layers), None]  # layers from which on the uses diverge
    of_both = [_said(WORD, other) for other in (WORD, OTHER_WORD)]  # words of one form, or of two
    html = among(
        value("last_together"),
        [among(value("forms"), [_html(a, b, band, diverged, said) for said in of_both]) for diverged in every],
    )
    curves = [template_of_chart(chart_of(_curve(band, diverged), band), _of_parting) for diverged in every]
    beliefs = parts_of_speech((a, b), shown=range(COLOURS)).charts
    charts = {"parting": among(value("last_together"), curves)} | {
        chart.name: template_of_chart(chart, partial(_of_belief, letter.lower()))
        for chart, letter in zip(beliefs, LETTERS, strict=False)
    }
    names = {f"word{letter}": _name(index) for index, letter in enumerate(LETTERS)}
    words = names | {
        "last": value("last", ("written", 2)),
        "lowest": value("lowest", ("written", 2)),
        "place": among(value("lowest_state"), [name_of_state(index) for index in range(model.num_layers + 1)]),
    }
    if beliefs:
        words |= _of_tags()
    absent = html_of_template(Answer((Sentence(ABSENT, "info"),)))
    of_chosen = {"word": among(value("missing"), [_name(1), _name(0)]), "letter": among(value("missing"), LETTERS)}
    return {
        "answer": template(html, charts, words),
        "absent": template(absent, words=of_chosen),
        "missing": template(html_of_template(Answer((Sentence(MISSING, "info"),)))),
    }


def _html(a: Occurrence, b: Occurrence, band: ReferenceBand, diverged: int | None, said: str) -> str:
    """The view of words that diverge from a layer on, with references."""
    html = html_of_template(_with_references(a, b, band, diverged)).replace("{said}", said)
    return html.replace(WORD, "{wordA}").replace(OTHER_WORD, "{wordB}")


def _name(text: int) -> Reference:
    return value(f"labels.{text}", ("shortened", LONGEST_WORD), ("isolated", value("characters")))


def _of_tags() -> References:
    """What the words are read as, and the question of the heading."""
    names = [TAG_NAMES[tag] for tag in TAGS]
    of_word = {
        **{f"tag{letter}": among(value(f"tag_{letter.lower()}"), names) for letter in LETTERS},
        **{f"share{letter}": value(f"share_{letter.lower()}", ("percent",)) for letter in LETTERS},
    }
    questions = [among(value("tag_b"), [title_of((tag, other)) for other in TAGS]) for tag in TAGS]
    return of_word | {"question": among(value("tag_a"), questions)}


def _occurrences(traces: Mapping[str, Trace], preferred: str = "") -> list[Occurrence]:
    a, b = (trace.tokens for trace in traces.values())
    return occurrences_of(traces, place_word(a, b, None, None, preferred=preferred))


def _read(a: Occurrence, b: Occurrence) -> Answer:
    """What probes say; empty for a model without any."""
    return parts_of_speech((a, b)) if has_probes(a.trace.model_name) else Answer(())


def _in_order(said: str, read: Answer, apart: Answer) -> Answer:
    """The parts of a view without tables, and how to read them; `said` is "" for a model without probes."""
    first = [*([Sentence(said, "subheading")] if said else []), Sentence(CHOICE, "caption")]
    explanations = [answer.explanation for answer in (read, apart) if answer.explanation]
    return Answer(
        tuple(part for part in (*first, *read.parts, *apart.parts) if not isinstance(part, Table)),
        Explanation(
            " ".join(each.how_to_read for each in explanations),
            " ".join(each.what_it_does_not_show for each in explanations),
        ),
    )


def _with_references(a: Occurrence, b: Occurrence, band: ReferenceBand, diverged: int | None) -> Answer:
    verdict = Sentence(verdict_in_words(band, diverged, last="{last}", lowest="{lowest}", place="{place}"))
    read, apart = _read(a, b), divergence(a, b, band, {}, says_verdict=False)
    with_question = Answer((heading("{question}"), *read.parts[1:]), read.explanation) if read.parts else read
    return _in_order("{said}" if read.parts else "", with_question, Answer((*apart.parts, verdict), apart.explanation))


def _said(a: str, b: str) -> str:
    """What the words are read as, with references."""
    said = reading_sentence([Reading(word, letter, "VERB", 0.5) for word, letter in zip((a, b), LETTERS, strict=True)])
    for letter in LETTERS:
        said = said.replace(f"a verb in {letter} (50 %)", f"{{tag{letter}}} in {letter} ({{share{letter}}})", 1)
        said = said.replace("a verb (50 %)", f"{{tag{letter}}} ({{share{letter}}})", 1)
    return said.replace(WORD, "{wordA}").replace(OTHER_WORD, "{wordB}")


def _curve(band: ReferenceBand, diverged: int | None) -> FloatArray:
    """(L + 1,) cosines that diverge from a layer on."""
    layers = np.arange(-1, len(band.threshold) - 1)
    return band.threshold + np.where(layers >= (len(layers) if diverged is None else diverged), -STEP, STEP)


def _of_parting(figure: Mapping[str, Any], _: Theme) -> References:
    last = len(figure["data"]) - 1
    return {
        f"data.{last - 1}.y": value("cosines"),
        f"data.{last}.y": value("cosines"),
        f"data.{last}.text": value("cosines", ("written", 2)),
        "layout.yaxis.range": value("axis_range"),
    }


def _of_belief(letter: str, figure: Mapping[str, Any], _: Theme) -> References:
    """The bars of the classes with a colour, in the order of the colours, and of all others together."""
    names = [*TAGS, "other"]
    found: References = {}
    for place, bars in enumerate(figure["data"]):
        index = value("classes", ("at", place))
        name, of_class = among(index, names), (f"belief_{letter}", ("at", index))
        hovers = [bars["hovertemplate"].replace(bars["name"], each) for each in names]
        found |= {
            f"data.{place}.name": name,
            f"data.{place}.y": value(*of_class),
            f"data.{place}.text": value(*of_class, ("named", name, SHOWN)),
            f"data.{place}.hovertemplate": among(index, hovers),
        }
    return found
