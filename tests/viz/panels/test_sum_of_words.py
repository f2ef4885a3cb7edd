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
    assert said.startswith("Baseline **−0.570**, words **+0.430**: together **−0.140**.")
    assert said.endswith("The model's total is **−0.140** log odds; completeness error below 0.001.")


def test_a_reader_who_adds_the_rounded_numbers_gets_the_same() -> None:
    found = WordValues(
        units=((1,),),
        values=np.array([0.4324], np.float32),
        unit="log odds",
        total=0.1,
        baseline=-0.5654,
        framing=0.0004,
    )
    assert "Baseline **−0.565**, words **+0.432**: together **−0.133**." in sum_in_words(found)


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
