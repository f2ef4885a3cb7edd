"""What the values of words add up to, in words."""

import numpy as np
import pytest

from encoder.attribution.explaining import WordValues
from viz.panels.why.words import sum_in_words


def values(total: float) -> WordValues:
    """Words that add 0.43 to a baseline of −0.57."""
    added = np.array([1.29, 0.18, -1.04], np.float32)
    return WordValues(units=((1,), (2,), (3,)), values=added, unit="log odds", total=total, baseline=-0.57)


def test_the_sum_is_the_arithmetic_of_its_numbers() -> None:
    said = sum_in_words(values(-0.14))
    assert said.startswith("Baseline **−0.57**, words **+0.43**: together **−0.14**.")
    assert said.endswith("The model's total is **−0.14** log odds; completeness error below 0.001.")


@pytest.mark.parametrize(
    ("total", "end"),
    [
        (-0.15, "0.010."),
        (-0.2, "0.060. **The values miss the total by 30% of it: do not rely on their sizes.**"),
        (0.1, "0.240. **The values miss the total by more than the total itself: do not read their sizes.**"),
        (0.0, "0.140. **The values miss the total by more than the total itself: do not read their sizes.**"),
    ],
)
def test_a_large_completeness_error_is_a_warning(total: float, end: str) -> None:
    assert sum_in_words(values(total)).endswith(f"completeness error {end}")
