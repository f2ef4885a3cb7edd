"""Maps between tokens, layer by layer, on every family that can be decomposed."""

from typing import get_args

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from encoder import Backend, Trace
from encoder.attribution.layer_runs import layer_runs
from encoder.attribution.methods import alti
from encoder.attribution.methods.facts import FACTS, MethodName, Quantity
from encoder.attribution.methods.maps import METHODS, input_maps, planes
from encoder.attribution.methods.rollout import products, shares
from encoder.errors import ArgumentError, SelectionError, ShapeError, UnsupportedModelError
from encoder.models.layer_module_names import blocks_of
from encoder.runs.arrays import FloatArray
from tests.encoder.attribution import oracles
from tests.encoder.attribution.classifiers import every_family
from tests.encoder.random_models import HEADS, LAYERS, LONG, A, B, Zoo, backend_of

OTHERS = ("albert", "modernbert", "gpt2", "mpnet", "scratch-pre-norm")
SAME = {"rtol": 1e-4, "atol": 1e-5}


def layer_map(backend: Backend, trace: Trace, method: MethodName, layer: int) -> FloatArray:
    return METHODS[method].of_layer(next(layer_runs(backend, trace, [layer])))


def head_maps(backend: Backend, trace: Trace, method: MethodName, layer: int) -> FloatArray:
    of_heads = METHODS[method].of_heads
    return of_heads(next(layer_runs(backend, trace, [layer])))


@every_family
def test_a_decomposed_layer_gives_the_state_of_the_model(zoo: Zoo, family: str) -> None:
    backend = backend_of(zoo, family)
    trace = backend.trace(A, B)
    for layer, run in enumerate(layer_runs(backend, trace)):
        state = run.block.feed_forward_norm(run.feed_forward_sum).detach().numpy()
        assert_allclose(state, trace.hidden_states[layer + 1], **SAME)


@every_family
def test_norms_are_those_of_the_vectors(zoo: Zoo, family: str) -> None:
    backend = backend_of(zoo, family)
    trace, blocks = backend.trace("a fruit"), blocks_of(backend)
    for layer, block in enumerate(blocks):
        moved, _ = oracles.attention_parts(block, trace, layer)
        assert_allclose(head_maps(backend, trace, "norms", layer), np.linalg.norm(moved, axis=-1), **SAME)
        assert_allclose(layer_map(backend, trace, "norms", layer), np.linalg.norm(moved.sum(0), axis=-1), **SAME)
        parts, _ = oracles.after_attention(block, trace, layer)
        assert_allclose(layer_map(backend, trace, "residual", layer), np.linalg.norm(parts, axis=-1), **SAME)


@every_family
@pytest.mark.parametrize("method", ["globenc", "alti"])
def test_contributions_are_those_of_the_slow_version(zoo: Zoo, family: str, method: MethodName) -> None:
    backend = backend_of(zoo, family)
    trace = backend.trace("time flies")
    for layer, block in enumerate(blocks_of(backend)):
        expected = getattr(oracles, method)(block, trace, layer)
        assert_allclose(layer_map(backend, trace, method, layer), expected, **SAME)


def test_rollout_multiplies_from_the_input_on(zoo: Zoo) -> None:
    backend = backend_of(zoo, "bert")
    trace = backend.trace(A)
    expected = np.eye(len(trace.tokens))
    for layer, shown in enumerate(input_maps(backend, trace, "rollout")):
        expected = (trace.weights(layer).mean(0) + np.eye(len(expected))) / 2 @ expected
        assert_allclose(shown, expected, **SAME)


def test_weights_are_those_of_the_trace(zoo: Zoo) -> None:
    backend = backend_of(zoo, "scratch")
    trace = backend.trace(A)
    assert_array_equal(head_maps(backend, trace, "weights", 1), trace.weights(1))
    assert_allclose(layer_map(backend, trace, "weights", 1), trace.weights(1).mean(0), **SAME)


def test_silenced_heads_move_nothing(zoo: Zoo) -> None:
    backend = backend_of(zoo, "bert")
    trace = backend.trace(A, silenced_heads=((1, 2),))
    norms = head_maps(backend, trace, "norms", 1)
    assert norms.shape == (HEADS, len(trace.tokens), len(trace.tokens))
    assert not norms[2].any()
    assert norms[[0, 1, 3]].all()


def test_some_rows_at_a_time_give_the_same(zoo: Zoo, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = backend_of(zoo, "bert")
    trace = backend.trace(LONG)
    at_once = layer_map(backend, trace, "alti", 0)
    monkeypatch.setattr(alti, "CHUNK", 3 * len(trace.tokens) * 32)
    assert_allclose(layer_map(backend, trace, "alti", 0), at_once, **SAME)


def test_rows_without_any_contribution_share_equally() -> None:
    assert_array_equal(shares(np.array([[0, 0], [1, 3]], np.float32)), [[0.5, 0.5], [0.25, 0.75]])


def test_products_of_shares_are_shares() -> None:
    generator = np.random.default_rng(0)
    layers = shares(generator.random((4, 6, 6), dtype=np.float32))
    *_, last = products(iter(layers))
    assert_allclose(last, layers[3] @ layers[2] @ layers[1] @ layers[0], **SAME)
    assert_allclose(last.sum(-1), 1, rtol=1e-5)


@pytest.mark.parametrize("family", OTHERS)
def test_models_that_cannot_be_decomposed_are_refused(zoo: Zoo, family: str) -> None:
    backend = backend_of(zoo, family)
    with pytest.raises(UnsupportedModelError, match=r"^.* cannot be decomposed .* our own post-norm encoder\.$"):
        next(layer_runs(backend, backend.trace(A)))


def test_what_a_method_does_not_tell_is_an_error(zoo: Zoo) -> None:
    backend = backend_of(zoo, "bert")
    trace = backend.trace(A)
    with pytest.raises(ArgumentError, match="within one layer"):
        input_maps(backend, trace, "norms")
    with pytest.raises(SelectionError, match="Layer 3"):
        layer_map(backend, trace, "norms", LAYERS)
    with pytest.raises(ShapeError, match="trace of"):
        layer_map(backend_of(zoo, "scratch"), trace, "norms", 0)


@pytest.mark.parametrize("method", METHODS)
def test_planes_are_the_heads_and_the_whole_layer(zoo: Zoo, method: MethodName) -> None:
    backend = backend_of(zoo, "bert")
    trace = backend.trace(A)
    within = list(planes(backend, trace, Quantity(method=method, reach="layer")))
    heads = HEADS if FACTS[method].has_heads else 0
    assert [len(layer) for layer in within] == [heads + 1] * LAYERS
    for layer, shown in enumerate(within):
        assert_array_equal(shown[-1], layer_map(backend, trace, method, layer))
        if heads:
            assert_array_equal(shown[:-1], head_maps(backend, trace, method, layer))
    further = list(planes(backend, trace, Quantity(method=method, reach="input")))
    expected = input_maps(backend, trace, method) if FACTS[method].from_input else (layer[-1] for layer in within)
    for shown, whole in zip(further, expected, strict=True):
        assert_array_equal(shown[-1], whole)


def test_the_facts_of_a_method_match_its_maps() -> None:
    assert list(FACTS) == list(METHODS) == list(get_args(MethodName))
    for name, facts in FACTS.items():
        assert facts.has_heads == (METHODS[name].of_heads is not None)
        assert Quantity(method=name).formula == (facts.input_formula or facts.formula)
        assert Quantity(method=name, reach="layer").formula == facts.formula
