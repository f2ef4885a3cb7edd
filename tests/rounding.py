"""What float32 may lose, so that a tolerance follows from what is computed and not from one processor."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from encoder.measures.near_ties import ROUNDING, TIE

Values = Sequence[float]
EPSILON: Final = float(np.finfo(np.float32).eps)
# Of each, some values are equal but for rounding.
NEAR_TIES: Sequence[Values] = (
    (1, 1 - TIE / 2, 1 + TIE / 3),
    (0.2, 0.9, 0.9 + TIE / 2, 0.2 + TIE / 2),
    (10, 10 + 5 * TIE, 10 + 20 * TIE),  # in proportion to the largest
    (0, ROUNDING / 2, -ROUNDING / 2),
    (0.01, 0.01 + ROUNDING / 2, 0.01 + 2 * ROUNDING),  # small values are apart that are near for large ones
    (1, 1 + 0.7 * TIE, 1 + 1.4 * TIE),  # the last is too far from the first
)


class Written(float):
    """The tolerance of numbers that are written with fewer digits or bits than they have, on every processor."""


def rounding(terms: int, size: float = 1.0) -> float:
    """By how much two sums of float32 can differ whose terms are added in another order.

    Args:
        terms: of the longest sum; for a model's states its width.
        size: of the result, or of what it is the difference of.
    Source: Higham (2002), Accuracy and Stability of Numerical Algorithms, section 4.2.
    """
    return terms * EPSILON * size


def is_largest(index: int, values: NDArray[np.floating], room: float) -> bool:
    """Whether a value is the largest, or nearer to it than rounding."""
    return bool(values[index] >= values.max() - room)
