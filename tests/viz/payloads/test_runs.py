"""The arrays of runs that views are sent."""

import numpy as np
import pytest

from encoder.measures.head_profiles import head_profiles, max_pooled
from encoder.measures.units import units_of
from encoder.models.base import Backend
from viz.payloads.model_map import THUMBNAIL
from viz.payloads.runs import LONG, heads_of_trace


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
