"""Orders of numbers, and rank correlation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from encoder.errors import ShapeError
from encoder.runs.arrays import FloatArray


def order_of_links(values: FloatArray) -> NDArray[np.intp]:
    """(N,) flat indices of the values, the largest first and the first of equal ones, but for those that are 0.

    The gradient of a link is 0 where nothing of it reaches the output: in layers above the one that the output is read
    after, and in the last of the others at tokens that it is not read at.
    """
    flat = np.asarray(values, np.float32).ravel()
    reaching = np.flatnonzero(flat)
    bits = (-flat[reaching]).view(np.int32)
    ascending = bits ^ ((bits >> 31) & 0x7FFFFFFF)  # integers in the order of the numbers
    # Number and place in one key, so that no two are equal: a stable sort of 300,000 numbers takes five times as long.
    keys = (ascending.astype(np.int64) << 32) | reaching
    keys.sort()
    return (keys & 0xFFFFFFFF).astype(np.intp, copy=False)


def rank_correlation(one: FloatArray, other: FloatArray) -> float:
    """Spearman's rank correlation; equal numbers share the mean of their ranks.

    Args:
        one, other: arrays of one shape, of at least two numbers.
    Returns:
        From -1, the opposite order, to 1, the same order; 0 where all numbers of an array are equal.
    Raises:
        ShapeError: the shapes differ, or there are fewer than two numbers.
    """
    if one.shape != other.shape or one.size < 2:
        raise ShapeError(
            f"The arrays have the shapes {one.shape} and {other.shape}: the same, of two numbers, is needed."
        )
    first, second = (_centred_ranks(array.ravel()) for array in (one, other))
    length = float(np.sqrt((first**2).sum() * (second**2).sum()))
    return float((first * second).sum()) / length if length else 0.0


def _centred_ranks(numbers: FloatArray) -> NDArray[np.float64]:
    """(N,) ranks, minus their mean."""
    _, inverse, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    last = counts.cumsum()  # the rank of the last of equal numbers
    ranks = (last - (counts - 1) / 2)[inverse]
    return ranks - ranks.mean()
