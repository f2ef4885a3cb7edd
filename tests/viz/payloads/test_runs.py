"""The arrays of runs that views are sent."""

from dataclasses import replace

import numpy as np
import pytest

from encoder.measures.head_profiles import head_profiles, max_pooled
from encoder.measures.unit_attention import MEAN, attention_in_layer, attention_of_head
from encoder.measures.units import units_of
from encoder.models.base import Backend
from viz.payloads.model_map import THUMBNAIL
from viz.payloads.runs import LONG, attention_of_trace, heads_of_trace, neurons_of_trace


@pytest.mark.parametrize("num_tokens", [12, LONG])
def test_every_layers_heads_stand_in_their_order(bundled: Backend, num_tokens: int) -> None:
    run = bundled.trace(" ".join(["time", "flies"] * (num_tokens // 2 - 1)))
    assert len(run.tokens) == num_tokens
    shown = units_of(run.tokens, level="wordpieces", special="hide")
    heads = heads_of_trace(run, shown, "hide")
    for layer in range(run.num_layers):
        weights = run.weights(layer)
        words = weights[:, 1:-1, 1:-1]
        np.testing.assert_array_equal(heads.pictures[layer], max_pooled(words, THUMBNAIL))
        np.testing.assert_allclose(heads.removed[layer], 1 - words.sum(-1), atol=1e-6)
        entropy = head_profiles(weights, run.tokens.special).entropy_bits
        np.testing.assert_array_equal(heads.measures["entropy in bits"][layer], entropy)


def test_sinks_take_their_share_in_every_view(bundled: Backend) -> None:
    trace = bundled.trace("Banks raise their rates.")
    sink = np.linspace(-1, 3, trace.num_heads, dtype=np.float32)[:, None, None]
    trace = replace(trace, layers=tuple(replace(layer, sink=sink) for layer in trace.layers))
    every, words = units_of(trace.tokens), units_of(trace.tokens, level="words", special="hide")
    shares = 1 - trace.weights(2).sum(-1)  # (H, T)
    assert shares.max() > 0.1
    found = attention_of_trace(trace, every, "show", [2])
    np.testing.assert_allclose(found.removed["sink"][0], shares, atol=1e-6)
    np.testing.assert_allclose(neurons_of_trace(trace, every, "show", [2]).removed["within"][0], 1 - shares, atol=1e-6)
    for special in ("hide", "renormalise"):
        attention, removed = attention_in_layer(trace, 2, words, special)
        to_sink = attention_of_trace(trace, words, special, [2]).removed["sink"][0]
        total = attention.sum(-1) + to_sink + (removed if special == "hide" else 0)
        np.testing.assert_allclose(total, 1, atol=1e-5)
        np.testing.assert_allclose(attention_of_head(trace, 2, 3, words, special)[0], attention[3], atol=1e-6)
        mean, mass = attention_of_head(trace, 2, MEAN, words, special)
        np.testing.assert_allclose(mass, removed.mean(0), atol=1e-6)
        np.testing.assert_allclose(
            mean.sum(-1), total.mean(0) - to_sink.mean(0) - mass * (special == "hide"), atol=1e-5
        )
