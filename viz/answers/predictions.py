"""Predictions of the model's own heads."""

from __future__ import annotations

from typing import Final

from encoder.models.files import UNUSED
from encoder.offers import CATALOGUE
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Prediction, Trace
from encoder.shipped.names import TUNED
from viz.answers.answer import Answer, Chart, Columns, Part, Sentence, Table
from viz.answers.masked_words import masked_words, reads_masks
from viz.figures.predictions import probability_bars, score_scale
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, make_visible, shorten
from viz.wording.numbers import percent, written

EXPLANATION: Final = Explanation(
    "A classification head turns the model's last vectors into one logit per class, and softmax turns the logits into "
    "probabilities.",
    "A probability is the model's own number, not its chance of being right.",
)
LONGEST_LABEL: Final = 40  # characters
UNTRAINED: Final = "**Untrained.** These numbers are noise: this head has never seen an example."
NO_MASK: Final = Sentence(
    "This model fills in masked words. Click a word above, or type \\[MASK\\] instead of one.", "info"
)
HOW_TO_GET_ONE: Final = (
    f"For predictions, choose “{CATALOGUE[TUNED].title}” as the model, or type the folder or the hub id of a "
    "classifier (its architecture ends in “ForSequenceClassification”)."
)


def predictions(trace: Trace) -> Answer:
    """Words for masks, probabilities of classes and the regression score, as far as the model has them."""
    words, prediction = masked_words(trace), trace.prediction
    if prediction is not None:
        return Answer((*words, *answer_of(prediction).parts))
    if reads_masks(trace):
        return Answer(words or (NO_MASK,))
    return Answer((Sentence(f"{_why_none(trace)} {HOW_TO_GET_ONE}", "info"),))


def answer_of(prediction: Prediction) -> Answer:
    """A prediction as bars, a score on its scale, and a table."""
    parts: list[Part] = []
    if prediction.trained and prediction.is_choice and prediction.probabilities is not None:
        share, label = max(zip(prediction.probabilities.tolist(), prediction.labels, strict=True))
        name = escape_markdown(shorten(make_visible(label), LONGEST_LABEL))
        parts.append(Sentence(f"The model says **{name}** ({percent(share)}).", "subheading"))
    if not prediction.trained:
        parts.append(Sentence(UNTRAINED, "error"))
    elif prediction.note:
        parts.append(Sentence(prediction.note, "caption"))
    if prediction.probabilities is not None:
        parts.append(_probabilities(prediction.labels, prediction.probabilities))
    if prediction.score is not None:
        parts.append(_score(prediction.score, prediction.score_range))
    if len(prediction.labels) > 1:
        parts.append(
            Table(name="labels", title="The labels as a table", columns=lambda: _columns(prediction), on_page="open")
        )
    return Answer(tuple(parts))


def _why_none(trace: Trace) -> str:
    if any(note.startswith(UNUSED) for note in trace.notes):
        return "**This model's head does not classify texts**, so it is not used."
    return "**This model predicts nothing**: it turns a text into vectors."


def _probabilities(labels: tuple[str, ...], probabilities: FloatArray) -> Chart:
    return Chart(
        name="probabilities",
        alt=f"The probabilities of {len(labels)} labels, as bars.",
        figure=lambda theme: probability_bars(labels, probabilities, theme=theme),
    )


def _score(score: float, ends: tuple[float, float] | None) -> Chart | Sentence:
    if ends is None:
        return Sentence(f"Regression score: **{written(score, '.3f')}**")
    low, high = ends
    return Chart(
        name="score",
        title=f"Regression score, from {low:g} (most negative) to {high:g} (most positive)",
        alt=f"The score {written(score, '.3f')} on its scale.",
        figure=lambda theme: score_scale(score, low=low, high=high, theme=theme),
    )


def _columns(prediction: Prediction) -> Columns:
    columns: Columns = {"label": prediction.labels, "logit": prediction.logits}
    return columns if prediction.probabilities is None else {**columns, "probability": prediction.probabilities}
