"""Labels that are probably wrong: those that were replaced, and how often others are suspected."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from encoder.collection.kinds.classes import WithShares
from encoder.collection.label_errors import label_errors, planted
from encoder.collection.row_labels import NO_LABEL
from encoder.errors import SelectionError
from tests.encoder.collection.made_results import results as made_up

ROWS, CLASSES = 400, 3


def results(*, sharpness: float, seed: int = 0) -> WithShares:
    """A model that is calibrated: labels are drawn by its probabilities."""
    random = np.random.default_rng(seed)
    logits = (sharpness * random.normal(size=(ROWS, CLASSES))).astype(np.float32)
    shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    gold = (shares.cumsum(1) < random.random((ROWS, 1))).sum(1)
    return made_up(shares, np.minimum(gold, CLASSES - 1), ("a", "b", "c"), logits=logits)


def test_suspects_are_those_of_a_slow_loop() -> None:
    """By the paper's definition, for rows with a label alone: cleanlab 2.9 finds the same rows."""
    given = results(sharpness=1)
    given = replace(given, gold=np.where(np.arange(ROWS) % 10, given.gold, NO_LABEL))
    own, shares = given.gold, given.probabilities
    thresholds = [shares[own == index, index].mean() for index in range(CLASSES)]
    expected = {}
    for row in range(ROWS):
        sure = [index for index in range(CLASSES) if shares[row, index] >= thresholds[index]]
        best = max(sure, key=lambda index: shares[row, index], default=own[row])
        if own[row] != NO_LABEL and best != own[row] and shares[row].argmax() != own[row]:
            expected[row] = best
    found = label_errors(given)
    assert dict(zip(found.rows.tolist(), found.classes.tolist(), strict=True)) == expected
    assert (np.diff(found.margins) <= 0).all()
    assert found.columns(given)["label"][0] == given.labels[own[found.rows[0]]]


def test_a_sharp_model_finds_planted_labels_and_suspects_few_others() -> None:
    found, others = planted(results(sharpness=8))
    assert found > 0.75
    assert others < 0.1
    noise_found, noise_others = planted(results(sharpness=0.01))
    assert abs(noise_found - noise_others) < 0.1  # as often as any other: nothing is known


def test_labels_of_one_class_are_refused() -> None:
    with pytest.raises(SelectionError, match="two different"):
        label_errors(replace(results(sharpness=1), gold=np.zeros(ROWS, np.intp)))
