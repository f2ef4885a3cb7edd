"""Where a run attends more, as the head view is sent it."""

import numpy as np
import pytest
from safetensors.numpy import load

from encoder.errors import ShapeError
from encoder.measures.units import units_of
from tests.rounding import Written
from tests.viz.components.test_store import extras_of
from tests.viz.made_up import tokens_of
from viz.payloads.layer import MAX_ERROR, MIN_LARGEST, STEPS, more_attention_message

UNITS = units_of(tokens_of([1]))


def test_positive_differences_are_sent_and_last_those_of_the_mean() -> None:
    differences = np.random.default_rng(0).uniform(-1, 1, (2, 3, 3)).astype(np.float32)
    message = more_attention_message(differences, UNITS, run="run", layer=4, name="More in B")
    extras = extras_of(message)
    sent = (load(message.data)["weights"].astype(np.float64) / STEPS) ** 2 * extras["quantity"]["largest"]
    expected = np.maximum([*differences, differences.mean(0)], 0)[None]
    np.testing.assert_allclose(sent, expected, atol=Written(MAX_ERROR))
    assert (extras["id"], extras["layers"], extras["labels"]) == ("run", [4], ["[CLS]", "w0", "[SEP]"])
    assert (extras["quantity"]["name"], extras["quantity"]["heads"]) == ("More in B", 2)


@pytest.mark.parametrize(("largest", "stands_for"), [(0.03, 0.03), (1e-6, MIN_LARGEST)])
def test_the_strongest_line_is_the_layers_largest_difference(largest: float, stands_for: float) -> None:
    differences = np.zeros((2, 3, 3), np.float32)
    differences[0, 1, 2], differences[1, 0, 0] = largest, -largest / 2
    for sign, most in ((1, largest), (-1, largest / 2)):
        message = more_attention_message(sign * differences, UNITS, run="run", layer=4, name="More in B")
        assert extras_of(message)["quantity"]["largest"] == pytest.approx(stands_for)
        assert load(message.data)["weights"].max() == pytest.approx(STEPS * (most / stands_for) ** 0.5, abs=1)


def test_differences_of_other_units_are_refused() -> None:
    with pytest.raises(ShapeError, match="3 units need"):
        more_attention_message(np.zeros((2, 4, 4), np.float32), UNITS, run="run", layer=0, name="More in B")
