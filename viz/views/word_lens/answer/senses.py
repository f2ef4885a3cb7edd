"""A map of the word in many sentences, and how well its senses separate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from encoder.experiments.senses.sentence_search import MOST_LINES, SentenceSearch, labelled
from encoder.measures.sense_map import nearest_neighbours, sense_map
from encoder.measures.senses import SenseAccuracy, leave_one_out_accuracy
from encoder.runs.arrays import FloatArray
from encoder.text.lemmas import lemma
from viz.answers.answer import Answer, Chart, Columns, Part, Sentence, Table
from viz.answers.word_places import Occurrence, heading
from viz.figures.accuracies import accuracy_lines
from viz.figures.labels import plotly_text
from viz.figures.sense_map import sense_scatter
from viz.state.selection import AUTOMATIC, NO_SENTENCES, OWN, WordLens, shipped_words
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, shorten, state_names, word_label
from viz.wording.numbers import percent, written

NEIGHBOURS = 3
UNLABELLED = "no label"
LONGEST = 90  # characters of a sentence in a description
MOST_NAMED = 5  # omitted sentences
SENSES_HEADING = heading("Sense map: the word in other sentences")
NO_COMPANY = Answer(
    (Sentence("Choose one of our sets of sentences, or type your own, to see this word among others.", "info"),)
)


def senses(
    occurrences: Sequence[Occurrence], sentences: SentenceSearch, states: FloatArray, *, name: str, layer: int
) -> Answer:
    """All occurrences in two dimensions after one layer, and how well their senses separate.

    Args:
        states: (N, L + 1, D) of the word in the further sentences.
        name: the shipped word whose sentences they are, or "own".
    """
    left_out = _left_out(sentences, occurrences[0].word if name == OWN else name)
    if not sentences.occurrences:
        return Answer(tuple(left_out))
    state_index = layer + 1
    own = np.stack([each.states for each in occurrences])
    after: FloatArray = np.concatenate([own, states])[:, state_index]  # (N, D), those of the page first
    groups = [*(each.letter for each in occurrences), *(each.sense or UNLABELLED for each in sentences.occurrences)]
    texts = [*(each.text for each in occurrences), *(each.text for each in sentences.occurrences)]
    projection, accuracy = sense_map(after), _accuracy_by_state(sentences, states, name)
    scatter = Chart(
        name="sense-map",
        alt=f"The word in {len(texts)} sentences after layer {layer}, as points in two dimensions.",
        figure=lambda theme: sense_scatter(
            projection.points, groups, _hover(groups, texts, after), explained=projection.explained, theme=theme
        ),
    )
    table = Table(
        name="sense-map",
        title="The points and the accuracy as a table",
        columns=lambda: _columns(groups, texts, projection.points, accuracy),
        on_page="download",
    )
    explanation = Explanation(
        f"Each point is the word in one sentence, after layer {layer} (choose the layer next to the chart). "
        "Points near each other have similar vectors; hover names the sentence and its nearest neighbours by cosine "
        "in all dimensions.",
        f"Two dimensions keep {percent(float(projection.explained.sum()))} of the variance: points that are near here "
        "may be apart in the others. Senses were labelled by us, and other words or sentences may differ less.",
    )
    return Answer((*left_out, scatter, *_accuracy(accuracy, state_index), table), explanation)


def shipped_match(word: str) -> str:
    """The shipped word with sentences for a word, in any inflection; "none" if there is none."""
    return next((name for name in shipped_words() if lemma(name) == lemma(word)), NO_SENTENCES)


def chosen_sentences(word: str, lens: WordLens) -> str:
    """The set of further sentences that the lens shows: "own", a shipped word, or "none"."""
    if lens.sentences == OWN:
        return OWN if lens.typed.strip() else NO_SENTENCES
    return shipped_match(word) if lens.sentences == AUTOMATIC else lens.sentences


def _left_out(sentences: SentenceSearch, word: str) -> list[Sentence]:
    """Which sentences were left out, and why."""
    found = []
    if sentences.skipped:
        found.append(
            Sentence(f"The first {MOST_LINES} lines are read, {sentences.skipped:,} more are left out.", "warning")
        )
    if count := len(sentences.without_word):
        named = "; ".join(f"“{shorten(text, 60)}”" for text in sentences.without_word[:MOST_NAMED])
        more = f"; and {count - MOST_NAMED} more" if count > MOST_NAMED else ""
        why = f"Left out, because the model does not read “{word_label(word)}” in them: {named}{more}."
        found.append(Sentence(escape_markdown(why), "warning"))
    if sentences.repeated:
        found.append(
            Sentence(
                f"{sentences.repeated} of the sentences have the word more than once; the first one counts.", "caption"
            )
        )
    return found


def _hover(groups: Sequence[str], texts: Sequence[str], states: FloatArray) -> list[str]:
    """For each of N occurrences its sentence, and its nearest neighbours by cosine of the (N, D) states."""
    names = [f"{group} · {shorten(text, LONGEST)}" for group, text in zip(groups, texts, strict=True)]
    nearest, cosines = nearest_neighbours(states, NEIGHBOURS)
    return [
        f"<b>{plotly_text(name)}</b><br>nearest by cosine:<br>"
        + "<br>".join(
            f"{written(cosine, '.2f')} {plotly_text(names[other])}" for other, cosine in zip(*of, strict=True)
        )
        for name, *of in zip(names, nearest.tolist(), cosines.tolist(), strict=True)
    ]


def _accuracy_by_state(sentences: SentenceSearch, states: FloatArray, name: str) -> SenseAccuracy | None:
    """How well senses separate; None unless two of them have two labels each."""
    known = labelled(sentences.occurrences)
    found = [sentences.occurrences[index].sense for index in known]
    if len(set(found)) < 2:
        return None
    accuracy = leave_one_out_accuracy(states[known], [name] * len(known), found)
    return None if accuracy.micro is None else accuracy


def _accuracy(accuracy: SenseAccuracy | None, state_index: int) -> list[Part]:
    """The accuracy of the nearest centroid by layer, or what to label to see it."""
    if accuracy is None or accuracy.micro is None or accuracy.majority_micro is None:
        why = (
            "Label two senses or more, each in two sentences or more, to see how often the nearest centroid finds them."
        )
        return [Sentence(why, "caption")]
    by_state, majority = accuracy.micro, accuracy.majority_micro
    line = Chart(
        name="sense-accuracy",
        alt="How often the nearest centroid finds the sense after every layer, over the share of the commonest sense.",
        figure=lambda theme: accuracy_lines(
            {"nearest centroid, leave one out": by_state},
            chosen=state_index,
            value="right",
            theme=theme,
            constant=("always the commonest sense", majority),
        ),
    )
    verdict = Sentence(
        f"**{percent(float(by_state[state_index]))} of {accuracy.n} labelled sentences** have the sense of the nearest "
        f"centroid of the others after layer {state_index - 1}; always choosing the commonest sense would give "
        f"{percent(majority)}."
    )
    return [line, verdict]


def _columns(
    groups: Sequence[str], texts: Sequence[str], points: FloatArray, accuracy: SenseAccuracy | None
) -> Columns:
    """A row for each point, then a row for each hidden state with its accuracy."""
    by_state = [] if accuracy is None or accuracy.micro is None else accuracy.micro.tolist()
    no_point, no_state = [None] * len(by_state), [None] * len(texts)
    columns: Columns = {
        "sense": [*groups, *no_point],
        "component_1": [*points[:, 0].tolist(), *no_point],
        "component_2": [*points[:, 1].tolist(), *no_point],
        "sentence": [*texts, *no_point],
    }
    if not by_state:
        return columns
    return {
        **columns,
        "entry": [*no_state, *state_names(len(by_state))],
        "leave_one_out_accuracy": [*no_state, *by_state],
    }
