"""Cells worked out against the tensors of the model that they stand for."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import encoder
from encoder.experiments.anatomy import cells
from encoder.experiments.anatomy.arithmetic import DotProduct, LayerNorm, Softmax
from encoder.experiments.anatomy.record import Record, ours, record
from encoder.runs.arrays import FloatArray

A = "time flies like an arrow"
HEAD = 2
PRODUCTS: dict[str, tuple[Callable[..., DotProduct], Callable[[Record], FloatArray]]] = {
    "query": (lambda *a, **k: cells.projection(*a, "query", **k), lambda seen: seen.query[HEAD]),
    "key": (lambda *a, **k: cells.projection(*a, "key", **k), lambda seen: seen.key[HEAD]),
    "value": (lambda *a, **k: cells.projection(*a, "value", **k), lambda seen: seen.value[HEAD]),
    "score": (cells.score, lambda seen: seen.products[HEAD]),
    "context": (cells.context, lambda seen: seen.context[HEAD]),
    "attention output": (cells.attention_output, lambda seen: seen.attended),
    "unit": (lambda *a, **k: cells.unit(*a, **k).input, lambda seen: seen.inner),
    "feed-forward": (lambda *a, **k: cells.layer_output(*a, **k).feed_forward, lambda seen: seen.fed),
}
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
    for row, column in some_cells(tensor):
        product = cell_of(seen, head=HEAD, row=row, column=column)
        assert product.value == float(tensor[row, column])
        assert product.total + (product.bias or 0.0) == pytest.approx(product.value, abs=2e-5)
        np.testing.assert_array_equal(product.products, product.left * product.right)


@pytest.mark.parametrize("name", SUMS)
def test_a_sum_and_its_layer_norm_are_the_models_own_numbers(name: str, seen: Record) -> None:
    cell_of, tensors_of = SUMS[name]
    before, after = tensors_of(seen)
    for row, column in some_cells(before):
        cell = cell_of(seen, head=HEAD, row=row, column=column)
        added = cell.lookup if name == "embedding" else cell.residual
        assert added.value == float(before[row, column])
        assert sum(added.addends) == pytest.approx(added.value, abs=1e-5)
        assert cell.norm.number == added.value
        assert cell.norm.value == float(after[row, column])
        assert normed(cell.norm) == pytest.approx(cell.norm.value, abs=2e-5)


def test_what_is_added_are_the_tensors_before(seen: Record) -> None:
    row, column = 1, 3
    places = {"head": HEAD, "row": row, "column": column}
    embedding = cells.embedding(seen, **places).lookup.addends
    assert embedding == tuple(float(seen.parts[name][row, column]) for name in ("word", "position", "token type"))
    assert cells.residual(seen, **places).residual.addends == (
        float(seen.layer_input[row, column]),
        float(seen.attended[row, column]),
    )
    leaving = cells.layer_output(seen, **places)
    assert leaving.residual.addends == (float(seen.attention_normed[row, column]), leaving.feed_forward.value)


def test_a_score_is_scaled_by_the_root_of_the_heads_width(seen: Record) -> None:
    cell = cells.scaled_score(seen, head=HEAD, row=2, column=1)
    assert (cell.product, cell.value) == (float(seen.products[HEAD, 2, 1]), float(seen.scores[HEAD, 2, 1]))
    assert cell.divisor**2 == pytest.approx(cell.head_width)
    assert cell.product / cell.divisor == pytest.approx(cell.value, rel=1e-5)


def test_a_weight_is_its_exponential_over_the_sum_of_the_row(seen: Record) -> None:
    for row, column in some_cells(seen.weights[HEAD]):
        cell = cells.weight(seen, head=HEAD, row=row, column=column)
        assert cell.value == float(seen.weights[HEAD, row, column])
        np.testing.assert_array_equal(cell.scores, seen.scores[HEAD, row])
        assert float(cell.exponentials[column]) / cell.total == pytest.approx(cell.value, abs=1e-6)
        assert cell.exponentials.max() == 1
        assert cell.largest == seen.scores[HEAD, row].max()


def test_a_joined_context_is_a_number_of_one_head(seen: Record) -> None:
    width = seen.config.head_width
    for column in (0, width - 1, width, 2 * width + 3):
        cell = cells.joined_context(seen, head=HEAD, row=1, column=column)
        assert cell.head * cell.head_width + cell.dimension == column
        assert 0 <= cell.dimension < width == cell.head_width
        assert cell.value == float(seen.context[cell.head, 1, cell.dimension]) == float(seen.merged[1, column])


def test_a_unit_passes_through_the_models_activation(seen: Record) -> None:
    positive, negative = (tuple(map(int, np.argwhere(found)[0])) for found in (seen.inner > 0, seen.inner < 0))
    for row, column in (positive, negative):
        cell = cells.unit(seen, head=HEAD, row=row, column=column)
        assert cell.value == float(seen.activated[row, column])
        assert cell.relu == max(cell.input.value, 0)
        assert cell.activation == seen.config.hidden_act


def test_vectors_are_the_row_and_the_column_that_a_cell_names(seen: Record) -> None:
    score = cells.score(seen, head=HEAD, row=2, column=1)
    np.testing.assert_array_equal(score.left, seen.query[HEAD, 2])
    np.testing.assert_array_equal(score.right, seen.key[HEAD, 1])
    assert score.bias is None
    context = cells.context(seen, head=HEAD, row=2, column=5)
    np.testing.assert_array_equal(context.left, seen.weights[HEAD, 2])
    np.testing.assert_array_equal(context.right, seen.value[HEAD, :, 5])


def test_what_is_looked_up_is_named_by_its_ids() -> None:
    backend = ours(encoder.load("scratch-bert"))
    pair = backend.tokenize(A, "fruit flies like a banana")
    seen = record(backend.encoder, pair, layer=0)
    assert cells.embedding(seen, head=0, row=2, column=5).table_rows == {"word": 10029, "position": 2, "token type": 0}
    assert cells.embedding(seen, head=0, row=8, column=5).table_rows["token type"] == 1


def test_a_masked_key_has_an_exponential_of_0() -> None:
    row = Softmax(scores=np.array([1.0, -np.inf, 2.0], dtype=np.float32), index=1, value=0.0)
    assert row.exponentials[1] == 0
    assert row.largest == 2
    assert row.total == pytest.approx(1 + np.exp(-1))
