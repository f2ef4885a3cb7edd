"""Sets of classes hold the right one as often as wanted, whatever the model."""

from __future__ import annotations

import numpy as np
import pytest

from encoder.errors import SelectionError
from encoder.measures.prediction_sets import FEWEST, prediction_sets

CLASSES = 4


@pytest.mark.parametrize("wanted", [0.8, 0.9])
@pytest.mark.parametrize("sharpness", [0.5, 3.0, 20.0])
def test_new_rows_are_covered_as_often_as_wanted(wanted: float, sharpness: float) -> None:
    """400 tables of 100 rows: by the theorem, on average at least as wanted, and at most 1/51 more."""
    covered = []
    for seed in range(400):
        random = np.random.default_rng(seed)
        logits = random.normal(size=(100, CLASSES))
        gold = (logits + random.gumbel(size=logits.shape)).argmax(axis=1)
        scaled = np.exp(sharpness * logits)  # a model that is too unsure, or too sure
        found = prediction_sets((scaled / scaled.sum(1, keepdims=True)).astype(np.float32), gold, wanted)
        assert 1 <= found.size.value <= CLASSES
        covered.append(found.covered.value)
    error = np.std(covered) / np.sqrt(len(covered))
    assert np.mean(covered) >= wanted - 3 * error
    assert np.mean(covered) <= wanted + 1 / 51 + 3 * error  # the likeliest class alone is right less often


def test_a_sure_model_names_one_class_and_a_blind_one_nearly_all() -> None:
    gold = np.arange(200) % CLASSES
    sure = np.eye(CLASSES, dtype=np.float32)[gold]
    assert prediction_sets(sure, gold, 0.9).size.value == 1
    noise = np.random.default_rng(0).dirichlet(np.ones(CLASSES), 200).astype(np.float32)
    assert prediction_sets(noise, gold, 0.9).size.value > 3
    assert prediction_sets(noise, gold, 0.995).threshold == 0  # a hundred rows cannot say so
    of_few = prediction_sets(noise[:FEWEST], gold[:FEWEST], 0.95)
    assert (of_few.threshold > 0, of_few.size.n) == (True, 20)


def test_few_rows_are_refused() -> None:
    with pytest.raises(SelectionError, match=f"{FEWEST} at least"):
        prediction_sets(np.ones((FEWEST - 1, 2), np.float32), np.zeros(FEWEST - 1, np.intp), 0.9)
