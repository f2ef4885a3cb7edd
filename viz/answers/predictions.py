"""Predictions of the model's own heads."""

from __future__ import annotations

from typing import Final

from encoder.models.files import UNUSED
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Prediction, Trace
from viz.answers.answer import Answer, Chart, Columns, Part, Sentence, Table
from viz.figures.predictions import probability_bars, score_scale
from viz.wording.explanations import Explanation
from viz.wording.numbers import written

EXPLANATION: Final = Explanation(
    "The head turns the model's last hidden states into one number per label, the logit.",
    "Logits, probabilities and scores are on the model's own scale: none is the chance of being right.",
)
UNTRAINED: Final = "**UNTRAINED.** These numbers are noise: this head has never seen an example."
HOW_TO_GET_ONE: Final = (
    "To see predictions, load a checkpoint that ends in “ForSequenceClassification” (type its folder or its hub id in "
    "the model picker), or choose one of the list that was trained here."
)


def predictions(trace: Trace) -> Answer:
    """Probabilities of the classification head and the regression score, as far as the model has them."""
    prediction = trace.prediction
    if prediction is None:
        return Answer((Sentence(f"{_why_none(trace)} {HOW_TO_GET_ONE}", "info"),))
    return answer_of(prediction)


def answer_of(prediction: Prediction) -> Answer:
    """A prediction as bars, a score on its scale, and a table."""
    parts: list[Part] = []
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
        return "**This model's head is not one for the classes of a text**, and is not used."
    return "**This model has no prediction head**: it turns a text into vectors."


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
