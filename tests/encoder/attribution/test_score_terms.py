"""One score as a sum of terms, and what is left of it when a term is removed from the run."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from encoder import Backend, Trace
from encoder.attribution.score_removals import removal_test, remove, similar_norm
from encoder.attribution.score_terms import Cell, Origin, Side, SideName, score_terms, state_parts
from encoder.errors import SelectionError, UnsupportedModelError
from encoder.models.hooks import Point, Recorder
from encoder.models.layer_module_names import blocks_of, embedding_block_of
from encoder.models.tensors import padded
from tests.encoder.attribution import oracles
from tests.encoder.attribution.classifiers import DECOMPOSED, every_family
from tests.encoder.random_models import HEADS, LAYERS, A, B, Zoo, backend_of
from tests.encoder.random_models import padded as with_padding

SUM = {"rtol": 0, "atol": 1e-4}
CELL = Cell(layer=2, head=3, query=2, key=6)

either_side = pytest.mark.parametrize("side", ["query", "key"])


@every_family
@pytest.mark.parametrize("silenced", [(), ((0, 1), (1, 3))])
def test_the_terms_of_either_side_sum_to_the_score(
    zoo: Zoo, family: str, silenced: tuple[tuple[int, int], ...]
) -> None:
    backend = backend_of(zoo, family)
    trace = backend.trace(A, B, silenced_heads=silenced)
    for layer in range(LAYERS):
        for head, query, key in ((0, 2, 6), (3, 0, 0), (1, 6, 2)):
            terms = score_terms(backend, trace, Cell(layer, head, query, key))
            assert terms.score == trace.scores(layer)[head, query, key]
            assert terms.weight == trace.weights(layer)[head, query, key]
            for side in (terms.query, terms.key):
                assert_allclose(side.values.sum(), terms.score, **SUM)
                assert len(side.origins) == len(trace.embedding_parts) + 2 + layer * (HEADS + 2)
                assert len(set(side.origins)) == len(side.origins)
    by_origin = dict(zip(terms.query.origins, terms.query.values, strict=True))
    assert all(by_origin[Origin("head", *head)] == 0 for head in silenced)


@every_family
def test_the_vectors_are_those_of_the_slow_version_and_sum_to_the_state(zoo: Zoo, family: str) -> None:
    backend = backend_of(zoo, family)
    trace = backend.trace(A, B)
    found = state_parts(backend, trace, LAYERS, (0, 5))
    expected = oracles.state_parts(embedding_block_of(backend), blocks_of(backend), trace, 5)
    assert_allclose(found.vectors.sum(1).shape, (len(expected), trace.hidden_states.shape[-1]))
    for origin, vector in zip(found.origins, found.vectors[:, 1], strict=True):
        assert_allclose(vector, expected[origin], **SUM)
    for state_index in range(LAYERS + 1):
        parts = state_parts(backend, trace, state_index, (0, 5))
        assert_allclose(parts.vectors.sum(0), trace.hidden_states[state_index, [0, 5]], **SUM)


@every_family
def test_a_term_is_its_vector_times_the_other_side(zoo: Zoo, family: str) -> None:
    backend = backend_of(zoo, family)
    trace = backend.trace(A, B)
    terms = score_terms(backend, trace, CELL)
    block, width = blocks_of(backend)[CELL.layer], trace.keys(0).shape[-1]
    rows = slice(CELL.head * width, (CELL.head + 1) * width)
    vectors = state_parts(backend, trace, CELL.layer, (CELL.query, CELL.key)).vectors
    key, query = trace.keys(CELL.layer)[CELL.head, CELL.key], trace.queries(CELL.layer)[CELL.head, CELL.query]
    for side, linear, other, parts in (
        (terms.query, block.query, key, vectors[:, 0]),
        (terms.key, block.key, query, vectors[:, 1]),
    ):
        expected = [other @ (oracles.array(linear.weight)[rows] @ part) / np.sqrt(width) for part in parts]
        expected.append(other @ oracles.array(linear.bias)[rows] / np.sqrt(width))
        assert_allclose(side.values, expected, **SUM)
        assert_allclose(side.norms[:-1], np.linalg.norm(parts, axis=-1), **SUM)


@pytest.mark.parametrize(("family", "side"), [*((family, "query") for family in DECOMPOSED), ("bert", "key")])
def test_a_removed_term_is_left_out_of_the_run(zoo: Zoo, family: str, side: SideName) -> None:
    backend = backend_of(zoo, family)
    trace = backend.trace(A, B, silenced_heads=((1, 1),))
    terms = score_terms(backend, trace, CELL)
    of_side, position = terms.side(side), CELL.position(side)
    removable = [index for index, origin in enumerate(of_side.origins) if origin.removable and not origin.head]
    for removal in remove(backend, trace, terms, side, removable):
        origin = of_side.origins[removal.index]
        with _left_out(backend, trace, origin, position):
            score, weight = _score_and_weight(backend, trace, origin, position)
        assert_allclose((removal.score, removal.weight), (score, weight), **SUM)
        assert_allclose(removal.expected, terms.score - of_side.values[removal.index], **SUM)


@contextmanager
def _left_out(backend: Backend, trace: Trace, origin: Origin, position: int) -> Iterator[None]:
    """With torch's own hooks: an embedding or a feed-forward block that adds nothing at one token."""

    def without_part(_: torch.nn.Module, given: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
        total = given[0].clone()
        total[:, position] -= torch.tensor(trace.embedding_parts[origin.kind][position])
        return (total,)

    def bias_alone(module: torch.nn.Module, _: object, output: torch.Tensor) -> torch.Tensor:
        output = output.clone()
        output[:, position] = module.bias
        return output

    if origin.kind == "head":
        yield
        return
    if origin.layer is None:
        handle = embedding_block_of(backend).norm.register_forward_pre_hook(without_part)
    else:
        handle = blocks_of(backend)[origin.layer].down.register_forward_hook(bias_alone)
    try:
        yield
    finally:
        handle.remove()


@torch.no_grad()
def _score_and_weight(backend: Backend, trace: Trace, origin: Origin, position: int) -> tuple[float, float]:
    """The cell's, in a run in which a head adds nothing at one token, and the trace's silenced heads nothing at all."""

    def silence(context: torch.Tensor, point: Point) -> torch.Tensor:
        context = context.clone()
        for layer, head in trace.silenced_heads:
            if point.layer == layer:
                context[:, head] = 0
        if origin.kind == "head" and point.layer == origin.layer:
            context[:, origin.head, position] = 0
        return context

    points = (Point("scores", CELL.layer), Point("weights", CELL.layer))
    recorder = Recorder(*points, keep=lambda tensor: float(tensor[0, CELL.head, CELL.query, CELL.key]))
    backend.run_batch(padded([trace.tokens], pad_id=0), {Point("context"): (silence,)}, recorder.hooks)
    return recorder.seen[points[0]], recorder.seen[points[1]]


@either_side
def test_the_largest_removable_term_is_compared_with_others_of_similar_norm(zoo: Zoo, side: SideName) -> None:
    backend = backend_of(zoo, "bert")
    trace = backend.trace(A, B)
    terms = score_terms(backend, trace, CELL)
    of_side = terms.side(side)
    test = removal_test(backend, trace, terms, side, count=4)
    removable = [index for index, origin in enumerate(of_side.origins) if origin.removable]
    assert test.largest.index == max(removable, key=lambda index: abs(of_side.values[index]))
    assert 0 < len(test.controls) <= 4
    lengths = of_side.norms[[control.index for control in test.controls]] / of_side.norms[test.largest.index]
    assert lengths.min() >= 0.5
    assert lengths.max() <= 2
    assert removal_test(backend, trace, terms, side, count=4) == test
    alone = remove(backend, trace, terms, side, [test.largest.index])
    assert alone[0].score == pytest.approx(test.largest.score, abs=1e-4)


def _made_up_side(*norms: float) -> Side:
    origins = [Origin("biases"), *(Origin("head", 0, head) for head in range(len(norms) - 1))]
    values = np.arange(len(norms), 0, -1, dtype=np.float32)
    return Side(tuple(origins), values, np.array(norms, np.float32))


def test_controls_are_alike_or_else_the_nearest() -> None:
    side = _made_up_side(1, 4, 2, 8, 9, 1, 0)
    assert side.largest_first[0] == 0
    assert side.largest_removable == 1
    assert similar_norm(side, 1, count=9) == (2, 3)
    assert similar_norm(_made_up_side(1, 100, 2, 0), 1, count=9) == (2,)
    assert similar_norm(_made_up_side(1, 100, 0), 1, count=9) == ()
    drawn = similar_norm(_made_up_side(*[1.0] * 40), 1, count=3)
    assert len(set(drawn)) == 3
    assert not {0, 1} & set(drawn)


def test_a_text_of_one_word_in_the_first_layer(zoo: Zoo) -> None:
    backend = backend_of(zoo, "distilbert")
    trace = backend.trace("time")
    terms = score_terms(backend, trace, Cell(0, 0, 1, 1))
    assert [origin.kind for origin in terms.key.origins] == ["word", "position", "biases", "projection bias"]
    test = removal_test(backend, trace, terms, "key")
    assert len(test.controls) == 1


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (Cell(LAYERS, 0, 0, 0), "layers 0 to 2"),
        (Cell(0, HEADS, 0, 0), "heads 0 to 3"),
        (Cell(0, -1, 0, 0), "heads 0 to 3"),
        (Cell(0, 0, 0, 99), "0 to"),
    ],
)
def test_a_cell_that_is_not_there_is_an_error(zoo: Zoo, cell: Cell, message: str) -> None:
    backend = backend_of(zoo, "bert")
    with pytest.raises(SelectionError, match=message):
        score_terms(backend, backend.trace(A), cell)


def test_what_has_no_score_is_an_error(zoo: Zoo) -> None:
    backend = backend_of(zoo, "bert")
    trace = backend.run(with_padding(backend.tokenize("time"), 2, 0))
    with pytest.raises(SelectionError, match="may not attend to token 4"):
        score_terms(backend, trace, Cell(0, 0, 1, 4))
    terms = score_terms(backend, trace, Cell(1, 0, 1, 2))
    assert removal_test(backend, trace, terms, "query").largest.weight <= 1
    with pytest.raises(SelectionError, match="cannot be removed"):
        remove(backend, trace, terms, "query", [len(terms.query.origins) - 1])
    with pytest.raises(SelectionError, match="0 to 3"):
        state_parts(backend, trace, LAYERS + 1, (0,))
    for family in ("gpt2", "scratch-pre-norm"):
        other = backend_of(zoo, family)
        with pytest.raises(UnsupportedModelError, match="cannot be decomposed"):
            score_terms(other, other.trace(A), Cell(0, 0, 0, 0))
