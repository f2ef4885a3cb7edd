"""Predictions of the model's own heads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, cast

import numpy as np

from encoder.offers import CATALOGUE
from encoder.runs.arrays import FloatArray
from encoder.runs.predictions import HOLDS
from encoder.runs.trace import UNUSED_HEAD, Prediction, TokenTask, Trace
from encoder.shipped.names import TUNED
from viz.answers import answer_spans, tags
from viz.answers import masked_words as masks
from viz.answers.answer import Answer, Chart, Columns, OnPage, Part, Sentence, Table
from viz.answers.answer_spans import answer_of_spans
from viz.answers.masked_words import masked_words, reads_masks
from viz.answers.tags import answer_of_tags
from viz.figures.predictions import probability_bars
from viz.wording.explanations import OF_PROBABILITIES, Explanation
from viz.wording.labels import escape_markdown, safe_name
from viz.wording.numbers import percent, written
from viz.wording.readings import unknown_words

EXPLANATION: Final = Explanation(
    "A classification head turns the model's last vectors into one logit per class, and softmax turns the logits into "
    "probabilities.",
    OF_PROBABILITIES,
)
OF_TOKENS: Final[Mapping[TokenTask, Explanation]] = {
    "tags": tags.EXPLANATION,
    "span": answer_spans.EXPLANATION,
    "mask": masks.EXPLANATION,
}
OF_LABELS: Final = Explanation(
    "A classification head turns the model's last vectors into one logit per label, and a sigmoid turns each logit "
    "into a probability of its own.",
    EXPLANATION.what_it_does_not_show,
)
OF_NUMBERS: Final = Explanation(
    "A regression head turns the model's last vectors into a number. A reranker gives the larger number to the better "
    "pair.",
    "What the number counts depends on what the model was trained for: its folder does not say.",
)
OF_CHOICES: Final = Explanation(
    "The model reads A with each choice, and its head gives each one logit. Softmax over the choices turns the logits "
    "into probabilities.",
    "The probabilities compare these choices only: a poor choice can win against worse ones.",
)
NAMED_WORDS: Final = 5  # words of the vocabulary in a sentence
MOST_BARS, SHOWN_BARS = 12, 10  # of more labels than the first, the likeliest are shown
MOST_NAMED: Final = 3  # such labels in the sentence
PAIR_LABELS: Final = ("entail", "contradict", "b follows")  # of natural-language inference and the next sentence
UNTRAINED: Final = "**Untrained.** These numbers are noise: this head has never seen an example."
NO_MASK: Final = Sentence("This model fills in masked words: type \\[MASK\\] instead of a word.", "info")
HOW_TO_GET_ONE: Final = (
    f"For predictions, choose “{CATALOGUE[TUNED].title}” as the model, or another one with a head: for classes, tags, "
    "answers, choices or masked words."
)


def weighted_words(words: Sequence[tuple[str, float]]) -> Answer:
    """The words of the vocabulary that weigh most for a text, of SPLADE."""
    named = ", ".join(f"“{escape_markdown(word)}” {written(weight, '.2f')}" for word, weight in words[:NAMED_WORDS])
    table = Table(
        name="weighted-words",
        title=f"The {len(words)} words that weigh most",
        columns=lambda: {"word": [word for word, _ in words], "weight": [weight for _, weight in words]},
    )
    said = f"**These words of the vocabulary weigh most:** {named}. Texts are compared by the products of such weights."
    return Answer((Sentence(said), table))


def predictions(trace: Trace) -> Answer:
    """What the model's own head says: of each word, of masks, of the whole text, or why there is nothing."""
    answer, unknown = _predictions(trace), unknown_words(trace.tokens)
    if not unknown or (trace.prediction is None and trace.token_prediction is None):
        return answer
    before = len(masked_words(trace))
    return replace(answer, parts=(*answer.parts[:before], Sentence(unknown, "info"), *answer.parts[before:]))


def _predictions(trace: Trace) -> Answer:
    by_token, words = trace.token_prediction, masked_words(trace)
    if by_token is not None and by_token.task == "tags":
        return answer_of_tags(trace)
    if by_token is not None and by_token.task == "span":
        return answer_of_spans(by_token, trace.tokens)
    prediction = trace.prediction
    if prediction is None and reads_masks(trace):
        return Answer(words or (NO_MASK,))
    if prediction is None:
        return Answer((Sentence(f"{_why_none(trace)} {HOW_TO_GET_ONE}", "info"),))
    if reads_pairs(trace) and not _is_pair(trace):
        missing = Sentence("**This model judges a pair of sentences**: type a second one, and read both together.")
        return Answer((replace(missing, role="info"), *answer_of(prediction).parts))
    return Answer(words or answer_of(prediction, pair=_is_pair(trace)).parts)


def explanation_of(trace: Trace) -> Explanation | None:
    """What the numbers are; None for a model that predicts nothing."""
    by_token, prediction = trace.token_prediction, trace.prediction
    if by_token is not None and by_token.task in OF_TOKENS:
        return OF_TOKENS[by_token.task]
    if prediction is None:
        return None
    if prediction.of == "choices":
        return OF_CHOICES
    if prediction.probabilities is None:
        return OF_NUMBERS
    return EXPLANATION if prediction.is_choice else OF_LABELS


def reads_pairs(trace: Trace) -> bool:
    """Whether the model's head says something of two texts together, as far as its labels tell."""
    if trace.prediction is None:
        return trace.token_prediction is not None and trace.token_prediction.task == "span"
    named = any(label in name.casefold() for name in trace.prediction.labels for label in PAIR_LABELS)
    return named or trace.prediction.of == "choices"


def _is_pair(trace: Trace) -> bool:
    return trace.tokens.sentence_b_start is not None


def answer_of(prediction: Prediction, *, pair: bool = False) -> Answer:
    """A prediction as bars and a table, or a score.

    Args:
        pair: whether it is of two texts that are read together.
    """
    parts: list[Part] = []
    if prediction.trained and prediction.probabilities is not None:
        parts.append(Sentence(_said(prediction, prediction.probabilities), "subheading"))
    if not prediction.trained:
        parts.append(Sentence(UNTRAINED, "error"))
    if prediction.probabilities is not None:
        parts.extend(_probabilities(prediction))
    elif len(prediction.labels) > 1:
        parts.append(Sentence("The head gives numbers on scales of their own, not probabilities.", "caption"))
    if prediction.score is not None and prediction.score_range is None:
        parts.extend(_score(prediction, prediction.score, pair=pair))
    if prediction.trained and prediction.note:
        parts.append(Sentence(prediction.note, "caption"))
    if len(prediction.labels) > 1:
        on_page: OnPage = "download" if len(prediction.labels) <= MOST_BARS else "folded"
        title = "The choices as a table" if prediction.of == "choices" else "The labels as a table"
        parts.append(Table(name="labels", title=title, columns=lambda: _columns(prediction), on_page=on_page))
    return Answer(tuple(parts))


def _said(prediction: Prediction, probabilities: FloatArray) -> str:
    """The likeliest class or choice, or the labels that hold."""
    found = sorted(zip(probabilities.tolist(), prediction.labels, strict=True), reverse=True)
    named = [f"**{safe_name(label)}** ({percent(share)})" for share, label in found]
    if prediction.is_choice:
        return f"The model {'prefers' if prediction.of == 'choices' else 'says'} {named[0]}."
    hold = named[: sum(share >= HOLDS for share, _ in found)]
    if not hold:
        return f"The model says that **no label** holds; the likeliest is {named[0]}."
    more = f" and {len(hold) - MOST_NAMED} more" if len(hold) > MOST_NAMED else ""
    return f"The model says {', '.join(hold[:MOST_NAMED])}{more}."


def _why_none(trace: Trace) -> str:
    if any(note.startswith(UNUSED_HEAD) for note in trace.notes):
        return "**This model's head is not used here**."
    return "**This model predicts nothing**: it turns a text into vectors."


def _probabilities(prediction: Prediction) -> list[Part]:
    """Bars of all labels in the model's order, or of the likeliest ones if there are many."""
    labels, shares = prediction.labels, cast(FloatArray, prediction.probabilities)
    note: list[Part] = []
    if len(labels) > MOST_BARS:
        order = np.argsort(-shares, kind="stable")[:SHOWN_BARS]
        note = [Sentence(f"The {SHOWN_BARS} likeliest of {len(labels):,}; the table has them all.", "caption")]
        labels, shares = tuple(labels[index] for index in order), shares[order]
    chart = Chart(
        name="probabilities",
        alt=f"The probabilities of {len(labels)} labels, as bars.",
        figure=lambda theme: probability_bars(labels, shares, theme=theme),
    )
    return [chart, *note]


def _score(prediction: Prediction, score: float, *, pair: bool) -> list[Part]:
    logit = "" if prediction.logit is None else f" (logit {written(prediction.logit, '.3f')})"
    said = f"The model gives this {'pair' if pair else 'text'} a score of **{written(score, '.3f')}**{logit}."
    scale = "" if logit else "The score has no fixed ends: compare it with the scores of other texts."
    return [Sentence(said, "subheading"), *([Sentence(scale, "caption")] if scale else [])]


def _columns(prediction: Prediction) -> Columns:
    """A row for each label, the likeliest first if there are many."""
    labels, shares = prediction.labels, prediction.probabilities
    order = np.arange(len(labels))
    if shares is not None and len(labels) > MOST_BARS:
        order = np.argsort(-shares, kind="stable")
    name = "choice" if prediction.of == "choices" else "label"
    columns: Columns = {name: [labels[index] for index in order], "logit": prediction.logits[order]}
    return columns if shares is None else {**columns, "probability": shares[order]}
