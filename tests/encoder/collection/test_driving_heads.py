"""Heads silenced over many rows: the same as one by one, and the one head that carries words."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from encoder.collection.driving_heads import SilencedHeads, silence_heads
from encoder.collection.kinds.base import Results
from encoder.collection.results import results_of_all
from encoder.collection.row_filters import select_rows
from encoder.collection.table import Collection
from encoder.errors import SelectionError
from encoder.models.base import Backend
from tests.encoder.collection.shortcut import LABELS, reviews
from tests.encoder.collection.test_engine import random_model


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Backend:
    return random_model(tmp_path_factory.mktemp("heads"), *LABELS)


@pytest.fixture(scope="module")
def collection() -> Collection:
    return reviews(seed=1)


@pytest.fixture(scope="module")
def results(model: Backend, collection: Collection) -> Results:
    return results_of_all(model, collection)


def test_heads_change_what_they_change_in_single_runs(model: Backend, collection: Collection, results: Results) -> None:
    steps: list[tuple[int, int]] = []
    found = silence_heads(model, collection, results, progress=lambda done, total: steps.append((done, total)))
    assert steps[0] == (0, 12)
    assert steps[-1] == (12, 12)
    assert all(changed.any() for changed in (found.flipped, found.repaired, found.broken))
    gold = results.gold.tolist()
    for head in ((0, 1), (2, 3)):
        changes = []
        for row, text in enumerate(collection.texts()):
            prediction = model.trace(str(text), silenced_heads=[head]).prediction
            best, before = int(prediction.logits.argmax()), int(results.predicted[row])
            changes.append(prediction.probabilities[before] - results.probabilities[row, before])
            assert found.flipped[(*head, row)] == (best != before)
            assert found.repaired[(*head, row)] == (before != gold[row] == best)
            assert found.broken[(*head, row)] == (before == gold[row] != best)
        assert_allclose(found.changes[head], np.abs(changes).mean(), atol=1e-4)
    errors = set(select_rows(collection, results, "errors").tolist())
    assert found.num_wrong == len(errors)
    assert all(set(found.errors_of(head)) <= errors for head in np.ndindex(found.changes.shape))
    assert {len(column) for column in found.columns.values()} == {12}
    assert found.columns["flips"].tolist() == found.flipped.sum(-1).ravel().tolist()


def test_the_one_head_that_carries_words_changes_rows_most(
    model: Backend, collection: Collection, results: Results
) -> None:
    outputs = [
        model.modules[0].get_parameter(f"bert.encoder.layer.{layer}.attention.output.dense.weight")
        for layer in range(model.num_layers)
    ]
    before = [output.detach().clone() for output in outputs]
    with torch.no_grad():
        for output in outputs:
            output.zero_()
        outputs[2][:, 8:16] = 40 * before[2][:, 8:16]  # of the second of four heads
    try:
        found = silence_heads(model, collection, results_of_all(model, collection))
    finally:
        with torch.no_grad():
            for output, values in zip(outputs, before, strict=True):
                output.copy_(values)
    assert found.largest(found.changes) == (2, 1)
    assert_allclose(np.delete(found.changes.ravel(), 9), 0, atol=1e-6)


def test_heads_above_the_layer_that_the_class_is_read_after_are_not_compared(bundled: Backend) -> None:
    texts = reviews(seed=1)
    found = silence_heads(bundled, texts, results_of_all(bundled, texts), list(range(3)))
    assert found.reaching[:5].all()
    assert not found.reaching[5].any()


def test_the_head_that_changes_most_of_one_half_is_measured_on_the_other() -> None:
    flipped = np.zeros((2, 3, 8), np.bool_)
    flipped[1, 2, [0, 2, 4, 1]] = flipped[0, 1, [0, 1, 3, 5, 7]] = True
    none = np.zeros_like(flipped)
    rows = np.arange(8)
    found = SilencedHeads(
        rows=rows, shifts=none.astype(np.float32), flipped=flipped, repaired=none, broken=none, num_wrong=0
    )
    assert found.largest(found.flips) == (0, 1)
    assert found.on_other_half == ((1, 2), 1, 4)


def test_rows_that_do_not_exist_are_refused(model: Backend, collection: Collection, results: Results) -> None:
    with pytest.raises(SelectionError, match="no rows 'good>worse'"):
        silence_heads(model, collection, results, "good>worse")
