"""Where a run attends more, as the head view is sent it."""

import json

import numpy as np
import pytest
from safetensors.numpy import load

from encoder.errors import ShapeError
from encoder.measures.units import units_of
from tests.viz.made_up import tokens_of
from viz.payloads.differences import more_attention_message
from viz.payloads.layer import MAX_ERROR, STEPS

UNITS = units_of(tokens_of([1]))


def test_positive_differences_are_sent_and_last_those_of_the_mean() -> None:
    differences = np.random.default_rng(0).uniform(-1, 1, (2, 3, 3)).astype(np.float32)
    message = more_attention_message(differences, UNITS, run="run", layer=4, name="More in B")
    sent = (load(message.data)["weights"].astype(np.float64) / STEPS) ** 2
    expected = np.maximum([*differences, differences.mean(0)], 0)[None]
    np.testing.assert_allclose(sent, expected, atol=MAX_ERROR)
    header = json.loads(message.data[8 : 8 + int.from_bytes(message.data[:8], "little")])
    extras = json.loads(header["__metadata__"]["extras"])
    assert (extras["id"], extras["layers"], extras["labels"]) == ("run", [4], ["[CLS]", "w0", "[SEP]"])
    assert (extras["quantity"]["name"], extras["quantity"]["heads"], extras["quantity"]["largest"]) == (
        "More in B",
        2,
        1,
    )


def test_differences_of_other_units_are_refused() -> None:
    with pytest.raises(ShapeError, match="3 units need"):
        more_attention_message(np.zeros((2, 4, 4), np.float32), UNITS, run="run", layer=0, name="More in B")
