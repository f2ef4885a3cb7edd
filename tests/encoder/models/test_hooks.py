"""Hooks on named points, on our own encoder and on every family of `transformers` alike."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch import Tensor, nn

from encoder import Backend
from encoder.errors import SelectionError
from encoder.models.hooks import Hooks, Point, Recorder, current_run, expose, hooked, state_point
from encoder.models.own_points import expose_points
from encoder.models.scratch import ScratchBackend
from encoder.runs.arrays import FloatArray
from tests.encoder.random_models import CAPTURED, HEADS, LAYERS, WIDTH, A, B, Zoo, backend_of

# As in test_interventions: the order of sums.
SAME = {"rtol": 1e-5, "atol": 2e-5}
K = WIDTH // HEADS
OF_A_LAYER = ("query", "key", "value", "scaling", "scores", "weights", "context", "output")

every_kind = pytest.mark.parametrize("family", ["scratch", "scratch-pre-norm", *(family.name for family in CAPTURED)])
own_and_bert = pytest.mark.parametrize("family", ["scratch", "bert"])


def model_of(backend: Backend) -> nn.Module:
    return backend.encoder if isinstance(backend, ScratchBackend) else backend.model


def run(backend: Backend, *hooks: Hooks, text: str = A) -> FloatArray:
    """(L + 1, T, D) hidden states of a text that is run with hooks, as the layers hand them on."""
    states = Recorder(*map(state_point, range(LAYERS + 1)), keep=lambda state: state[0].numpy())
    model, ids = model_of(backend), torch.tensor([backend.tokenize(text).ids])
    with torch.inference_mode(), hooked(model, *hooks, states.hooks):
        model(ids)
    return np.stack([states.seen[state_point(index)] for index in range(LAYERS + 1)])


def everything() -> Recorder[Tensor]:
    return Recorder(Point("embedding"), *map(Point, OF_A_LAYER), keep=lambda tensor: tensor)


@every_kind
def test_every_point_passes_its_tensor(zoo: Zoo, family: str) -> None:
    backend, recorder = backend_of(zoo, family), everything()
    run(backend, recorder.hooks)
    tokens = len(backend.tokenize(A))
    shapes = dict.fromkeys(("query", "key", "value", "context"), (1, HEADS, tokens, K))
    shapes |= dict.fromkeys(("scores", "weights"), (1, HEADS, tokens, tokens))
    shapes |= {"scaling": (), "output": (1, tokens, WIDTH)}
    expected = {Point(name, layer): shape for name, shape in shapes.items() for layer in range(LAYERS)}
    expected[Point("embedding")] = (1, tokens, WIDTH)
    assert {point: tuple(tensor.shape) for point, tensor in recorder.seen.items()} == expected


def without_sink(weights: Tensor) -> Tensor:
    """Rows that sum to 1: a learned sink takes a share of each row."""
    return weights / weights.sum(-1, keepdim=True)


@every_kind
def test_hooked_tensors_follow_from_each_other_as_in_the_trace(zoo: Zoo, family: str) -> None:
    backend, recorder = backend_of(zoo, family), everything()
    run(backend, recorder.hooks)
    trace = backend.trace(A)
    for layer in range(LAYERS):
        scores, weights, value, context = (
            recorder.seen[Point(name, layer)] for name in ("scores", "weights", "value", "context")
        )
        torch.testing.assert_close(without_sink(weights), scores.softmax(-1), **SAME)
        torch.testing.assert_close(context, weights @ value, **SAME)
        assert_allclose(weights[0].numpy(), trace.weights(layer), **SAME)
        assert_allclose(value[0].numpy(), trace.values(layer), **SAME)


@every_kind
def test_observing_every_point_changes_nothing(zoo: Zoo, family: str) -> None:
    backend = backend_of(zoo, family)
    expected = backend.trace(A).hidden_states
    assert_allclose(run(backend, everything().hooks), expected, **SAME)
    assert_allclose(run(backend), expected, **SAME)


@every_kind
@pytest.mark.parametrize("layer", range(LAYERS))
def test_a_head_without_weights_is_a_silenced_head(zoo: Zoo, family: str, layer: int) -> None:
    backend = backend_of(zoo, family)

    def without_head_1(weights: Tensor, _: Point) -> Tensor:
        return weights * (torch.arange(HEADS) != 1)[:, None, None]

    changed = run(backend, {Point("weights", layer): (without_head_1,)})
    assert_allclose(changed, backend.trace(A, silenced_heads=[(layer, 1)]).hidden_states, **SAME)
    assert not np.allclose(changed, backend.trace(A).hidden_states, atol=1e-3)


# Not of DeBERTa, whose bias has products of keys and relative positions.
@pytest.mark.parametrize("family", ["scratch", *(family.name for family in CAPTURED if family.name != "deberta-v2")])
def test_without_keys_every_allowed_token_gets_the_same_weight(zoo: Zoo, family: str) -> None:
    backend, recorder = backend_of(zoo, family), everything()
    run(backend, {Point("key", 1): (lambda key, _: torch.zeros_like(key),)}, recorder.hooks)
    scores, weights = (recorder.seen[Point(name, 1)][0] for name in ("scores", "weights"))
    bias = backend.trace(A).layers[1].bias
    allowed = torch.zeros_like(scores) if bias is None else torch.tensor(bias).expand_as(scores)
    torch.testing.assert_close(scores.clamp(min=-1e9), allowed.clamp(min=-1e9), **SAME)
    torch.testing.assert_close(without_sink(weights), allowed.softmax(-1), **SAME)


@every_kind
def test_a_tensor_that_is_replaced_by_its_copy_changes_nothing(zoo: Zoo, family: str) -> None:
    backend = backend_of(zoo, family)
    names = ("query", "key", "value", "mask", "weights", "context", "output")
    copying = {Point(name): (lambda tensor, _: tensor.clone(),) for name in names}
    assert_allclose(run(backend, copying), backend.trace(A).hidden_states, **SAME)


@pytest.mark.parametrize("family", ["scratch", "bert", "mpnet"])
def test_a_mask_that_is_replaced_is_the_one_that_holds(zoo: Zoo, family: str) -> None:
    backend, recorder = backend_of(zoo, family), everything()
    model, ids = model_of(backend), torch.tensor([backend.tokenize(A).ids] * 2)
    mask = torch.ones_like(ids)
    mask[1, -2:] = 0  # so that there is a mask
    causal = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).tril()[None, None]
    additive = torch.zeros(causal.shape).masked_fill(~causal, -torch.inf)
    replacement = causal if family == "scratch" else additive
    with torch.inference_mode(), hooked(model, {Point("mask", 1): (lambda *_: replacement,)}, recorder.hooks):
        model(ids, attention_mask=mask)
    assert bool((recorder.seen[Point("weights", 1)].triu(1) == 0).all())
    assert bool((recorder.seen[Point("weights", 0)][0] > 0).all())
    assert bool((recorder.seen[Point("weights", 2)][1, :, :, -2:] == 0).all())


@every_kind
@pytest.mark.parametrize("name", ["scores", "scaling"])
def test_what_can_only_be_observed_refuses_a_replacement(zoo: Zoo, family: str, name: str) -> None:
    backend = backend_of(zoo, family)
    with pytest.raises(SelectionError, match=f"{name} of layer 2 can be observed but not changed"):
        run(backend, {Point(name, 2): (lambda tensor, _: tensor + 1,)})
    assert current_run() is None
    assert_allclose(run(backend), backend.trace(A).hidden_states, **SAME)


@own_and_bert
def test_a_point_that_does_not_exist_is_refused_with_those_that_do(zoo: Zoo, family: str) -> None:
    with pytest.raises(SelectionError, match=r"no point 'wieghts'; there are .*weights"):
        run(backend_of(zoo, family), {Point("wieghts", 1): (lambda tensor, _: tensor,)})


@own_and_bert
def test_hooks_at_a_point_are_called_in_their_order(zoo: Zoo, family: str) -> None:
    backend, point = backend_of(zoo, family), Point("context", 1)
    before, after = (Recorder(point, keep=lambda tensor: tensor) for _ in range(2))
    doubled: Hooks = {Point("context"): (lambda tensor, _: 2 * tensor,)}
    added: Hooks = {point: (lambda tensor, _: tensor + 1, lambda tensor, _: tensor * 10)}
    run(backend, before.hooks, doubled, added, after.hooks)
    torch.testing.assert_close(after.seen[point], (before.seen[point] * 2 + 1) * 10)


@own_and_bert
def test_an_inner_block_replaces_the_hooks_until_it_ends(zoo: Zoo, family: str) -> None:
    backend = backend_of(zoo, family)
    outer, inner = everything(), everything()
    model, ids = model_of(backend), torch.tensor([backend.tokenize(A).ids])
    with torch.inference_mode(), hooked(model, outer.hooks):
        with hooked(model, inner.hooks):
            model(ids)
        assert outer.seen == {}
        model(ids)
    assert outer.seen.keys() == inner.seen.keys() != set()


def test_another_model_that_runs_inside_is_not_hooked(zoo: Zoo) -> None:
    first, second = backend_of(zoo, "scratch"), backend_of(zoo, "scratch-pre-norm")
    recorder = everything()
    with torch.inference_mode(), hooked(model_of(first), recorder.hooks):
        model_of(second)(torch.tensor([second.tokenize(A).ids]))
    assert recorder.seen == {}


def test_exposing_twice_hooks_once(zoo: Zoo) -> None:
    encoder = model_of(backend_of(zoo, "scratch"))
    count = [len(module._forward_hooks) + len(module._forward_pre_hooks) for module in encoder.modules()]
    expose_points(encoder)
    expose(encoder, Point("embedding"), encoder.embeddings)
    assert [len(module._forward_hooks) + len(module._forward_pre_hooks) for module in encoder.modules()] == count


# Threads and errors --------------------------------------------------------------------------------------------------


@own_and_bert
def test_another_thread_neither_sees_nor_disturbs_a_run(zoo: Zoo, family: str) -> None:
    """Both threads are in the middle of a run of one model at the same time, one of them with hooks."""
    backend, expected = backend_of(zoo, family), backend_of(zoo, family).trace(B).hidden_states
    recorder, inside, done = everything(), threading.Event(), threading.Event()

    def wait_in_layer_1(_: Tensor, __: Point) -> None:
        inside.set()
        assert done.wait(timeout=30)

    silencing: Hooks = {Point("context"): (lambda tensor, _: torch.zeros_like(tensor),)}
    with ThreadPoolExecutor(1) as pool:
        hooked_run = pool.submit(run, backend, {Point("query", 1): (wait_in_layer_1,)}, silencing, recorder.hooks)
        assert inside.wait(timeout=30)
        assert_allclose(backend.trace(B).hidden_states, expected, **SAME)
        assert Point("query", 2) not in recorder.seen
        done.set()
        hooked_run.result()
    assert {tensor.shape[2] for point, tensor in recorder.seen.items() if point.name == "query"} == {
        len(backend.tokenize(A))
    }
    assert not recorder.seen[Point("context", 2)].any()


def fail(*_: object) -> None:
    raise RuntimeError("a hook failed")


@own_and_bert
@pytest.mark.parametrize("name", ["embedding", "query", "weights", "output"])
def test_nothing_is_left_after_a_run_that_failed(zoo: Zoo, family: str, name: str) -> None:
    backend = backend_of(zoo, family)
    expected, seen = backend.trace(A).hidden_states, everything()
    failing: Callable[..., None] = fail
    with pytest.raises(RuntimeError, match="a hook failed"):
        run(backend, {Point("context"): (lambda tensor, _: 2 * tensor,)}, seen.hooks, {Point(name): (failing,)})
    noted = dict(seen.seen)
    assert current_run() is None
    assert_allclose(backend.trace(A).hidden_states, expected, **SAME)
    assert seen.seen == noted
