"""What the neuron view is sent: layers' queries, keys and biases, to the bit."""

from typing import Any

import numpy as np
import pytest
import streamlit as st
from numpy.typing import NDArray
from safetensors.numpy import load

from encoder import Backend, Trace
from encoder.errors import NotCapturedError, ShapeError
from encoder.measures.unit_attention import shown_attention
from encoder.measures.units import units_of
from tests.viz.components.test_store import extras_of
from viz.caches import message_cache
from viz.caches.memo import VALUES
from viz.payloads.layer import neurons_message
from viz.payloads.message import Message
from viz.state.selection import Selection
from viz.views.neuron_view.widgets import neuron_view, neurons_of_layers

A, B = "time flies like an arrow", "fruit flies like a banana"


@pytest.fixture(scope="module")
def trace(bundled: Backend) -> Trace:
    return bundled.trace(A, B)


def message(trace: Trace, layers: tuple[int, ...] = (2, 4), bias: NDArray[np.float32] | None = None) -> Message:
    queries, keys = (np.stack([of(layer) for layer in layers]) for of in (trace.queries, trace.keys))
    scaling = [0.25] * len(layers)
    return neurons_message(queries, keys, units_of(trace.tokens), run="run", layers=layers, scaling=scaling, bias=bias)


def test_message_holds_every_head_exactly(trace: Trace) -> None:
    arrays = load(message(trace).data)
    assert set(arrays) == {"query", "key", "scaling"}
    np.testing.assert_array_equal(arrays["query"], np.stack([trace.queries(2), trace.queries(4)]))
    np.testing.assert_array_equal(arrays["key"][1], trace.keys(4))
    np.testing.assert_array_equal(arrays["scaling"], [0.25, 0.25])
    assert {array.dtype for array in arrays.values()} == {np.dtype(np.float32)}


def test_message_names_every_token_and_the_layers(trace: Trace) -> None:
    extra = extras_of(message(trace))
    assert extra["labels"] == list(trace.tokens.labels)
    assert extra["positions"] == [[position] for position in range(13)]
    assert (extra["id"], extra["layers"], extra["b_start"]) == ("run", [2, 4], 7)


def test_minus_infinity_in_a_bias_survives(trace: Trace) -> None:
    bias = np.where(np.tri(13, dtype=bool), np.float32(0.5), np.float32(-np.inf))
    every = np.broadcast_to(bias, (2, 12, 13, 13))
    np.testing.assert_array_equal(load(message(trace, bias=every).data)["bias"], every)


def test_arrays_of_other_tokens_are_refused(trace: Trace) -> None:
    pieces = units_of(trace.tokens)
    right, short = np.zeros((1, 2, 13, 32), np.float32), np.zeros((1, 2, 12, 32), np.float32)
    options: dict[str, Any] = {"run": "run", "layers": [0], "scaling": [1.0]}
    with pytest.raises(ShapeError, match=r"\(1, 2, 12, 32\)"):
        neurons_message(right, short, pieces, **options)
    with pytest.raises(ShapeError, match="need one of 13 keys"):
        neurons_message(right, right, pieces, **options, bias=np.zeros((1, 2, 1, 13), np.float32))


def test_a_message_has_the_requested_layers(trace: Trace) -> None:
    sent = message_cache.neurons_message(trace, layers=(4,), special="show")
    np.testing.assert_array_equal(load(sent.data)["key"][0], trace.keys(4))
    np.testing.assert_array_equal(load(sent.data)["scaling"], np.float32([trace.layers[4].scaling]))
    assert sent.id == message_cache.neurons_id(trace, special="show")


def test_a_message_has_the_attention_to_hidden_tokens(trace: Trace) -> None:
    removed = load(message_cache.neurons_message(trace, layers=(4,), special="hide").data)["removed"]
    units = units_of(trace.tokens, special="hide")
    np.testing.assert_array_equal(removed[0], shown_attention(trace.weights(4), units, "hide")[1])


@pytest.mark.parametrize("shape", [(1, 1, 13), (1, 13, 13), (12, 13, 13)])
def test_a_message_broadcasts_a_bias_to_all_rows(shape: tuple[int, ...], trace: Trace) -> None:
    bias = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    layer = trace.layers[0]
    kwargs = {"query": layer.query, "key": layer.key, "value": layer.value, "scaling": layer.scaling, "bias": bias}
    biased = Trace(
        model_name="biased",
        tokens=trace.tokens,
        layers=(type(layer)(**kwargs),),
        hidden_states=trace.hidden_states[:2],
    )
    sent = load(message_cache.neurons_message(biased, layers=(0,), special="show").data)["bias"]
    np.testing.assert_array_equal(sent[0], np.broadcast_to(bias, (12, 13, 13)))


def test_a_model_that_returns_no_queries_is_explained(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise NotCapturedError("This model hands out its weights only.")

    hints: list[str] = []
    monkeypatch.setattr(Trace, "queries", refuse)
    monkeypatch.setattr(st, "info", hints.append)
    neuron_view(trace, Selection(), place="pair")
    assert hints == ["This model hands out its weights only."]
    VALUES.clear()
    assert neurons_of_layers(trace, Selection(), (0,)) is None
