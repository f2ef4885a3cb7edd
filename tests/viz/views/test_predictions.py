"""What the heads predict, as an answer: numbers, order, and what is said where there is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from encoder import Backend
from encoder.runs.trace import UNUSED_HEAD, Prediction, Trace
from viz.answers.answer import Sentence
from viz.theme import THEMES
from viz.views.predictions.answer import UNTRAINED, answer_of, predictions
from viz.wording.numbers import percent


@pytest.fixture(scope="module")
def trace(bundled: Backend) -> Trace:
    return bundled.trace("time flies like an arrow")


def test_the_answer_has_the_numbers_of_the_run(trace: Trace) -> None:
    found = trace.prediction
    said, bars, note, table = predictions(trace).parts
    assert said == Sentence(f"The model says **negative** ({percent(float(found.probabilities[0]))}).", "subheading")
    assert note == Sentence(found.note, "caption")
    np.testing.assert_allclose(bars.figure(THEMES["light"]).data[0].x, found.probabilities, rtol=1e-6)
    columns = table.columns()
    assert list(columns) == ["label", "logit", "probability"]
    np.testing.assert_array_equal(columns["logit"], found.logits)


def test_an_untrained_head_is_called_noise(trace: Trace) -> None:
    assert trace.prediction is not None
    said = answer_of(replace(trace.prediction, trained=False)).parts
    assert said[0] == Sentence(UNTRAINED, "error")
    assert not any("The model says" in part.text for part in said if isinstance(part, Sentence))


def test_a_score_without_ends_is_a_sentence() -> None:
    logits = np.array([-1.5], dtype=np.float32)
    answer = answer_of(Prediction(labels=("score",), logits=logits, probabilities=None, score=-1.5))
    said, scale = answer.parts
    assert said == Sentence("The model gives this text a score of **−1.500**.", "subheading")
    assert "no fixed ends" in scale.text


@pytest.mark.parametrize(
    ("notes", "why"),
    [((), "This model predicts nothing"), ((f"{UNUSED_HEAD} x",), "This model's head is not used here")],
)
def test_a_model_without_a_head_says_why(trace: Trace, notes: tuple[str, ...], why: str) -> None:
    answer = predictions(replace(trace, model_name="m", prediction=None, notes=notes))
    [sentence] = answer.parts
    assert sentence.role == "info"
    assert why in sentence.text
