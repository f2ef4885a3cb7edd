"""What the neuron view is sent: one head's queries, keys and bias, to the bit."""

import json
from typing import Any

import numpy as np
import pytest
import streamlit as st
from numpy.typing import NDArray
from safetensors.numpy import load

from encoder import Backend, Trace
from encoder.errors import NotCapturedError, ShapeError
from encoder.measures.units import units_of
from viz import cache
from viz.components import store
from viz.panels.neuron_view import neuron_view
from viz.payloads.head import head_message
from viz.state.selection import Place, Selection

A, B = "time flies like an arrow", "fruit flies like a banana"


@pytest.fixture(scope="module")
def trace(bundled: Backend) -> Trace:
    return bundled.trace(A, B)


def extras(data: bytes) -> dict[str, Any]:
    length = int.from_bytes(data[:8], "little")
    told: dict[str, Any] = json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["extras"])
    return told


def message(trace: Trace, layer: int = 2, head: int = 5, bias: NDArray[np.float32] | None = None) -> store.Message:
    query, key = trace.queries(layer)[head], trace.keys(layer)[head]
    return head_message(query, key, units_of(trace.tokens), layer=layer, head=head, scaling=0.25, bias=bias)


def test_message_holds_the_head_exactly(trace: Trace) -> None:
    arrays = load(message(trace).data)
    assert set(arrays) == {"query", "key"}
    np.testing.assert_array_equal(arrays["query"], trace.queries(2)[5])
    np.testing.assert_array_equal(arrays["key"], trace.keys(2)[5])
    assert arrays["query"].dtype == arrays["key"].dtype == np.float32


def test_message_names_every_token_and_the_head(trace: Trace) -> None:
    told = extras(message(trace).data)
    assert told["labels"] == list(trace.tokens.labels)
    assert told["positions"] == [[position] for position in range(13)]
    assert (told["layer"], told["head"], told["scaling"], told["b_start"]) == (2, 5, 0.25, 7)


def test_minus_infinity_in_a_bias_survives(trace: Trace) -> None:
    bias = np.where(np.tri(13, dtype=bool), np.float32(0.5), np.float32(-np.inf))
    np.testing.assert_array_equal(load(message(trace, bias=bias).data)["bias"], bias)


def test_another_head_has_another_id(trace: Trace) -> None:
    assert message(trace).id == message(trace).id
    assert len({message(trace, head=head).id for head in range(12)}) == 12


def test_arrays_of_other_tokens_are_refused(trace: Trace) -> None:
    pieces = units_of(trace.tokens)
    right, short = np.zeros((13, 32), np.float32), np.zeros((12, 32), np.float32)
    with pytest.raises(ShapeError, match=r"\(12, 32\)"):
        head_message(right, short, pieces, layer=0, head=0, scaling=1)
    with pytest.raises(ShapeError, match=r"\(13, 13\)"):
        head_message(right, right, pieces, layer=0, head=0, scaling=1, bias=np.zeros((1, 13), np.float32))


@pytest.fixture
def nothing_kept() -> None:
    cache.head_message.clear()


@pytest.mark.usefixtures("nothing_kept")
def test_cache_packs_the_head_that_is_asked_for(trace: Trace) -> None:
    kept = cache.head_message(trace, layer=4, head=11)
    np.testing.assert_array_equal(load(kept.data)["key"], trace.keys(4)[11])
    assert extras(kept.data)["scaling"] == trace.layers[4].scaling
    assert cache.head_message(trace, layer=4, head=11) is kept


@pytest.mark.usefixtures("nothing_kept")
@pytest.mark.parametrize("shape", [(1, 1, 13), (1, 13, 13), (12, 13, 13)])
def test_cache_gives_a_bias_its_rows(shape: tuple[int, ...], trace: Trace) -> None:
    bias = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    layer = trace.layers[0]
    kwargs = {"query": layer.query, "key": layer.key, "value": layer.value, "scaling": layer.scaling, "bias": bias}
    biased = Trace(
        model_name="biased",
        tokens=trace.tokens,
        layers=(type(layer)(**kwargs),),
        hidden_states=trace.hidden_states[:2],
    )
    sent = load(cache.head_message(biased, layer=0, head=3).data)["bias"]
    np.testing.assert_array_equal(sent, np.broadcast_to(bias, (12, 13, 13))[3])


@pytest.mark.parametrize(("head", "said"), [(-1, "choose one head"), (2, "hands out its weights only")])
def test_what_cannot_be_shown_is_said(head: int, said: str, trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> None:
        raise NotCapturedError("This model hands out its weights only.")

    hints: list[str] = []
    monkeypatch.setattr(cache, "head_message", refuse)
    monkeypatch.setattr(st, "info", hints.append)
    neuron_view(trace, Selection(place=Place(head=head)), place="pair")
    assert len(hints) == 1
    assert said in hints[0]
