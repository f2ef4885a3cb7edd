"""The differences of all heads at once, as the view that compares two runs draws them."""

import numpy as np

from encoder import Backend
from encoder.comparison.compare import compare
from encoder.comparison.run_differences import attention_difference
from tests.app.app_script import figure, numbers, open_page, unfold
from tests.app.app_script import sentences_of as text

A, B = "the key to the cabinets is on the table", "the keys to the cabinets are on the table"
PAIR = {"view": "compare", "a": A, "b": B, "layer": "4", "head": "8"}


def test_all_heads_are_drawn_at_once_with_the_sign_of_their_differences(bundled: Backend) -> None:
    at = unfold(open_page(**PAIR), "compare_all_heads")
    found = compare(bundled.trace(A), bundled.trace(B))
    drawn = numbers(figure(at, "compare-all-heads")["data"][1]["z"])
    count = len(found.runs.alignment.shared)
    whole = attention_difference(found.runs, 4)[8]
    np.testing.assert_allclose(drawn[4 * count : 5 * count, 8 * count : 9 * count], whole, atol=1e-5)
    assert f"over the {count} shared words" in text(at)
    at = unfold(open_page(view="compare", a=" ".join([A] * 4), b=" ".join([B] * 4)), "compare_all_heads")
    assert numbers(figure(at, "compare-all-heads")["data"][1]["z"]).shape == (6 * 24, 12 * 24)
    assert "A cell stands for up to 2 × 2 words" in text(at)
