"""What each word of a text adds to an output of the model, and the sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from encoder.attribution.explaining import TOLERANCE, WordValues
from encoder.attribution.questions import Method, Question
from encoder.attribution.target import Target
from encoder.measures.near_ties import largest_first
from encoder.measures.units import units_of
from encoder.text.tokens import USUAL_TOKENS
from viz.answers.answer import Answer, Chart, Part, Sentence, Table
from viz.figures.word_values import word_picture
from viz.state.selection import Selection
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, name_label, numbered
from viz.wording.numbers import percent, written
from viz.wording.readings import unknown_words

EXPLANATION: Final = Explanation(
    "Blue words speak for the answer, orange words against it; the numbers say how much. The test below removes the "
    "words, the one that adds most first: if the numbers are right, the answer falls faster than in random orders.",
    "Another method may name other words, and the model was not trained on sentences with words missing.",
)
WIDTH: Final = 600  # pixels of a line of words
STAGE_WIDTH: Final = 700
MOST_TOKENS: Final = 2_048  # of a text: a gradient keeps the states inside every layer
NO_TEST_OF_LONG: Final = (
    f"The test removes words in hundreds of runs, so it is for texts of up to {USUAL_TOKENS} tokens."
)
SMALLEST_ERROR: Final = 0.001  # smaller errors are not written as a number


def words_heading(question: Question, target: Target) -> Sentence:
    """The output that is split, above its words."""
    return Sentence(escape_markdown(title_in_words(question, target)), "heading")


def words(
    target: Target,
    found: WordValues,
    selection: Selection,
    *,
    points: Sequence[Mapping[str, Any]] = (),
    b_begins_a_line: bool = False,
) -> Answer:
    """The words on the colours of what they add, their sum, and the same as a table.

    Args:
        selection: has the level of `found`; its removed words are struck through.
        points: of a stop, as `viz.tours.pointing.placed_points` gives them.
        b_begins_a_line: whether the words of sentence B begin a line of the picture.
    """
    units = units_of(target.tokens, level=selection.level, special="hide")
    labels = units.labels
    values = np.full(len(units), np.nan, np.float32)  # (U,); NaN for the word of the question
    values[[units.members.index(unit) for unit in found.units]] = found.values
    removed = largest_first(np.nan_to_num(values, nan=-np.inf))[: min(selection.why.removed, len(found.units))]
    pointed = {position for point in points if point["kind"] == "token" for position in point["token"]}
    ringed = [index for index, members in enumerate(units.members) if pointed & set(members)]
    width = STAGE_WIDTH if selection.stage else WIDTH
    excerpt = target.tokens.excerpt(selection.first)
    first, end = excerpt.first, excerpt.first + len(excerpt)
    shown = [index for index, members in enumerate(units.members) if first <= members[0] < end]
    places = {index: place for place, index in enumerate(shown)}
    parts: list[Part] = [
        Chart(
            name="words",
            alt=f"Each of {len(shown)} words on the colour of what it adds, with the number under it.",
            figure=lambda theme: word_picture(
                values[shown],
                [labels[index] for index in shown],
                unit=found.unit,
                theme=theme,
                width=width,
                removed=[places[index] for index in removed if index in places],
                ringed=[places[index] for index in ringed if index in places],
                second=places.get(units.sentence_b_start or 0, 0) if b_begins_a_line else 0,
            ),
        ),
        Sentence(sum_in_words(found), "caption"),
    ]
    if len(excerpt) < len(target.tokens):
        before, after = (float(np.nansum(part)) for part in (values[: shown[0]], values[shown[-1] + 1 :]))
        parts.append(
            Sentence(
                f"The picture has the words of tokens {first:,} to {end - 1:,}. Those before them add "
                f"**{written(before, '+.3f')}**, those after them **{written(after, '+.3f')}**.",
                "caption",
            )
        )
    if unreliable := unreliable_in_words(found):
        parts.append(Sentence(unreliable, "warning"))
    if unknown := unknown_words(target.tokens):
        parts.append(Sentence(unknown, "info"))
    table = Table(
        name="why",
        title="The words as a table",
        columns=lambda: {"word": numbered(labels), "adds": values, "unit": [found.unit] * len(units)},
    )
    return Answer((*parts, table))


def why_not_for_long(method: Method, tokens: int) -> str:
    """Why a method is not offered for a text of so many tokens; "" if it is."""
    if tokens <= USUAL_TOKENS:
        return ""
    if method != "integrated-gradients":
        return (
            f"For a text of {tokens:,} tokens, choose integrated gradients. The other methods run the model for every "
            "word, or keep a vector for every pair of tokens."
        )
    if tokens > MOST_TOKENS:
        return (
            f"Words are explained in texts of up to {MOST_TOKENS:,} tokens, and this one has {tokens:,}: a gradient "
            "needs memory for every state of every token."
        )
    return ""


def title_in_words(question: Question, target: Target) -> str:
    """Which output is split."""
    label, against = target.label, target.against
    rather = f"“{label}” rather than “{against}”" if against else f"“{label}”" if label else ""
    if question.kind == "class":
        return rather
    if question.kind == "masked word":
        return f"At the mask: {rather}"
    if question.kind == "score" and against:
        return f"The score of “{label}”, compared with that of “{against}”, which is held fixed"
    if question.kind == "score":
        return f"The {target.unit} of “{label}”" if label else f"The {target.unit}"
    if question.kind == "similarity":
        return "How similar A and B are (the cosine of their vectors, each sentence read alone)"
    if question.kind in ("start", "end"):
        return f"The answer {question.kind}s at “{label}” rather than at “{against}”"
    name = name_label(target.tokens.words[question.word])
    if question.kind == "tag":
        return f"“{name}”: {rather}"
    word = f"“{name}” after layer {question.layer}"
    if question.kind == "part of speech":
        return f"{word}: {rather}"
    return f"How far {word} is from the same word in the other sentence"


def shown_in_words(target: Target) -> str:
    """The explained output, and the class that it is compared with."""
    label, against = (name_label(name) for name in (target.label, target.against))
    if not target.label:
        return target.unit
    compared = f" when only “{label}” and “{against}” are compared" if target.against else ""
    return f"{target.unit} of “{label}”{compared}"


def sum_in_words(found: WordValues) -> str:
    """What the words add up to, as Markdown."""
    error = found.completeness_error
    if found.baseline is None or error is None:
        return (
            f"**{written(found.total, '.2f')}** {found.unit} in all. Each word's number is what is lost without that "
            "word alone, so the numbers need not add up to it."
        )
    # Terms are rounded before they are added, so that the printed terms add up to the printed sum.
    baseline, words, framing = (round(value, 3) for value in (found.baseline, float(found.values.sum()), found.framing))
    special = f", special tokens **{written(framing, '+.3f')}**" if framing else ""
    missed = f"below {SMALLEST_ERROR}" if error < SMALLEST_ERROR else f"{error:.3f}"
    return (
        f"Baseline **{written(baseline, '+.3f')}**, words **{written(words, '+.3f')}**{special}: together "
        f"**{written(baseline + words + framing, '+.3f')}**. The model says **{written(found.total, '+.3f')}** "
        f"{found.unit}; completeness error {missed}."
    )


def unreliable_in_words(found: WordValues) -> str:
    """A warning where the completeness error is a large share of the total; "" otherwise."""
    error, total = found.completeness_error, abs(found.total)
    if error is None or error < SMALLEST_ERROR or error <= TOLERANCE * total:
        return ""
    size = "more than the whole answer" if error > total else f"{percent(error / total)} of the answer"
    return (
        f"The numbers miss {size}, so read the order of the words and not the sizes. Another method may split it "
        "exactly: try DecompX."
    )
