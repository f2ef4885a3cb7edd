"""Cells worked out against the tensors of the model that they stand for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from encoder import Backend
from encoder.experiments.anatomy import cells
from encoder.experiments.anatomy.cells import (
    DotProduct,
    LayerNorm,
    Softmax,
    changed_weight,
    masked_weight,
    position_product,
    sinusoid,
)
from encoder.experiments.anatomy.changes import changed, masked
from encoder.experiments.anatomy.names import Mask, WhatIf
from encoder.experiments.anatomy.record import Record, ours, record
from encoder.experiments.anatomy.step_examples import position_table, sinusoidal_table
from encoder.models.scratch import ScratchBackend
from encoder.runs.arrays import FloatArray
from encoder.text.tokens import Tokens

A = "time flies like an arrow"
HEAD = 2
PRODUCTS: dict[str, tuple[Callable[..., DotProduct], Callable[[Record], FloatArray]]] = {
    "query": (lambda *a, **k: cells.projection(*a, "query", **k), lambda seen: seen.query[HEAD]),
    "key": (lambda *a, **k: cells.projection(*a, "key", **k), lambda seen: seen.key[HEAD]),
    "value": (lambda *a, **k: cells.projection(*a, "value", **k), lambda seen: seen.value[HEAD]),
    "score": (cells.score, lambda seen: seen.products[HEAD]),
    "context": (cells.context, lambda seen: seen.context[HEAD]),
    "attention output": (cells.attention_output, lambda seen: seen.attended),
    "unit": (cells.unit_input, lambda seen: seen.inner),
    "feed-forward": (cells.feed_forward, lambda seen: seen.fed),
}
OF_HEADS = ("query", "key", "value", "score", "context")
SUMS: dict[str, tuple[Callable[..., Any], Callable[[Record], tuple[FloatArray, FloatArray]]]] = {
    "embedding": (cells.embedding, lambda seen: (seen.embedding_sum, seen.hidden_states[0])),
    "residual": (cells.residual, lambda seen: (seen.attention_sum, seen.attention_normed)),
    "layer output": (cells.layer_output, lambda seen: (seen.output_sum, seen.layer_output)),
}


def some_cells(array: FloatArray) -> list[tuple[int, int]]:
    rows, columns = array.shape
    return [(0, 0), (rows - 1, columns - 1), (1, columns // 2)]


def normed(norm: LayerNorm) -> float:
    return (norm.number - norm.mean) / norm.deviation * norm.gain + norm.shift


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_dot_product_and_its_bias_are_the_models_own_number(name: str, seen: Record) -> None:
    cell_of, tensor_of = PRODUCTS[name]
    tensor = tensor_of(seen)
    of_head = {"head": HEAD} if name in OF_HEADS else {}
    for row, column in some_cells(tensor):
        product = cell_of(seen, **of_head, row=row, column=column)
        assert product.value == float(tensor[row, column])
        assert product.total + (product.bias or 0.0) == pytest.approx(product.value, abs=2e-5)
        np.testing.assert_array_equal(product.products, product.left * product.right)


@pytest.mark.parametrize("name", SUMS)
def test_a_sum_and_its_layer_norm_are_the_models_own_numbers(name: str, seen: Record) -> None:
    cell_of, tensors_of = SUMS[name]
    before, after = tensors_of(seen)
    for row, column in some_cells(before):
        added, norm = cell_of(seen, row=row, column=column)
        assert added.value == float(before[row, column])
        assert sum(added.addends) == pytest.approx(added.value, abs=1e-5)
        assert norm.number == added.value
        assert norm.value == float(after[row, column])
        assert normed(norm) == pytest.approx(norm.value, abs=2e-5)


def test_a_weight_is_its_exponential_over_the_sum_of_the_row(seen: Record) -> None:
    for row, column in some_cells(seen.weights[HEAD]):
        cell = cells.weight(seen, head=HEAD, row=row, column=column)
        assert cell.value == float(seen.weights[HEAD, row, column])
        np.testing.assert_array_equal(cell.scores, seen.scores[HEAD, row])
        assert float(cell.exponentials[column]) / cell.total == pytest.approx(cell.value, abs=1e-6)
        assert cell.exponentials.max() == 1
        assert cell.largest == seen.scores[HEAD, row].max()


def test_a_masked_key_has_an_exponential_of_0() -> None:
    row = Softmax(scores=np.array([1.0, -np.inf, 2.0], dtype=np.float32), index=1, value=0.0)
    assert row.exponentials[1] == 0
    assert row.largest == 2
    assert row.total == pytest.approx(1 + np.exp(-1))


def test_a_dot_product_is_summed_in_double_precision() -> None:
    left = np.array([1e8, 1.0, -1e8], dtype=np.float32)
    product = DotProduct(left=left, right=np.ones(3, dtype=np.float32), value=0.0)
    assert product.total == 1.0  # of float32, 0: the one is lost beside 1e8


@pytest.mark.parametrize(("row", "column"), [(0, 0), (0, 1), (3, 4), (17, 383), (40, 5), (500, 100)])
def test_a_number_of_the_sinusoidal_encoding_is_its_sine_or_cosine(row: int, column: int) -> None:
    table = sinusoidal_table(512, 384)
    cell = sinusoid(table, row=row, column=column)
    assert cell.angle == pytest.approx(row * 10000 ** (-(column // 2 * 2) / 384))
    assert cell.value == float(table[row, column])
    # The table is made in single precision, where an angle of 500 is known to 3e-5.
    assert cell.value == pytest.approx(getattr(math, cell.function)(cell.angle), abs=1e-4)
    assert cell.function == ("cos" if column % 2 else "sin")
    assert cell.wavelength * cell.frequency == pytest.approx(2 * math.pi)


def test_two_positions_are_compared_by_the_vectors_that_the_model_adds(backend: ScratchBackend) -> None:
    table = position_table(backend.encoder)
    for one, other in ((0, 0), (2, 7), (9, 1)):
        product = position_product(table, one=one, other=other)
        np.testing.assert_array_equal(product.left, table[one])
        np.testing.assert_array_equal(product.right, table[other])
        assert product.total == pytest.approx(product.value, rel=1e-5, abs=1e-6)


LAYER = 1
MASKS: tuple[Mask, ...] = ("none", "padding", "causal")
CHANGES: tuple[tuple[WhatIf, ...], ...] = (
    (),
    ("unscaled",),
    ("one-head",),
    ("dropout",),
    ("no-positions",),
    ("shuffled",),
    ("unscaled", "one-head", "shuffled"),
)


@pytest.mark.parametrize("kind", MASKS)
def test_a_weight_under_a_mask_is_the_softmax_of_score_plus_mask(
    kind: Mask, backend: ScratchBackend, tokens: Tokens
) -> None:
    held = masked(backend.encoder, tokens, layer=LAYER, mask=kind)
    np.testing.assert_array_equal(held.unmasked[:, held.allowed], held.scores[:, held.allowed])
    last = len(held.allowed) - 1
    for row, column in ((0, 0), (0, last), (1, last), (last, 0)):
        cell = masked_weight(held, head=HEAD, row=row, column=column)
        assert cell.softmax.value == float(held.weights[HEAD, row, column])
        exponentials = cell.softmax.exponentials
        assert float(exponentials[column] / exponentials.sum()) == pytest.approx(cell.softmax.value, abs=1e-6)
        np.testing.assert_array_equal(cell.scores + cell.mask, held.scores[HEAD, row])
        np.testing.assert_array_equal(cell.scores + cell.mask, cell.softmax.scores)
        assert (cell.mask.dtype, np.isneginf(cell.mask).tolist()) == (np.float32, (~held.allowed[row]).tolist())
        assert (cell.softmax.value == 0) == (not held.allowed[row, column])


@pytest.mark.parametrize("what_ifs", CHANGES)
def test_a_changed_weight_is_shown_next_to_the_models_own(
    what_ifs: tuple[WhatIf, ...], backend: ScratchBackend, tokens: Tokens, seen: Record
) -> None:
    new = changed(backend.encoder, tokens, layer=LAYER, what_ifs=what_ifs)
    head = 0 if "one-head" in what_ifs else HEAD
    last = len(tokens) - 1
    for row, column in ((0, 0), (last, 1), (1, last)):
        cell = changed_weight(seen, new, head=HEAD, row=row, column=column)
        np.testing.assert_array_equal(cell.own.scores, seen.scores[HEAD, row])
        assert cell.own.value == float(seen.weights[HEAD, row, column])
        np.testing.assert_array_equal(cell.changed.scores, new.scores[head, row])
        for softmax in (cell.own, cell.changed):
            assert float(softmax.exponentials[column]) / softmax.total == pytest.approx(softmax.value, abs=1e-6)
        assert cell.changed.value == float(new.softmax[head, row, column])
        assert cell.value == float(new.weights[head, row, column])


def test_dropout_sets_a_weight_to_0_or_scales_it_up(scratch_bert: Backend) -> None:
    backend, tokens = ours(scratch_bert), scratch_bert.tokenize(A)
    seen = record(backend.encoder, tokens, layer=0)
    new = changed(backend.encoder, tokens, layer=0, what_ifs=("dropout",))
    dropped, kept = (np.argwhere(found)[0].tolist() for found in (new.weights == 0, new.weights > 0.01))
    gone, scaled = (
        changed_weight(seen, new, head=head, row=row, column=column) for head, row, column in (dropped, kept)
    )
    assert gone.value == 0 < gone.changed.value
    assert scaled.dropout == 0.1
    assert scaled.value == pytest.approx(scaled.changed.value / (1 - scaled.dropout), rel=1e-5)
