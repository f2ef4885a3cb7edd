"""Measures for steps of the anatomy: the effect of a change, active units, and similarity of positions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from encoder.errors import ShapeError
from encoder.runs.arrays import FloatArray

NEAR_ZERO = 0.01  # smaller activations count as 0


def total_variation(weights: FloatArray, other_weights: FloatArray) -> FloatArray:
    """(..., T, T) twice to (..., T): half the sum of the absolute differences of each row.

    For rows that sum to 1, it is the share of attention that moved, from 0 to 1.

    Raises:
        ShapeError: the last two axes differ.
    """
    if weights.shape[-2:] != other_weights.shape[-2:]:
        raise ShapeError(f"Attention of {weights.shape[-2:]} cannot be compared with {other_weights.shape[-2:]}.")
    return np.abs(weights - other_weights).sum(axis=-1) / 2


@dataclass(frozen=True, slots=True)
class Activity:
    """Shares of the units of a feed-forward that are active, (T,) each, in [0, 1].

    Attributes:
        open: the input is above 0, so that GELU and ReLU both let it through.
        leaking: the input is at or below 0, ReLU gives exactly 0, and GELU gives less than -0.01.
    """

    open: FloatArray
    leaking: FloatArray


def activity(inner: FloatArray, activated: FloatArray) -> Activity:
    """(T, F) before and after GELU to the shares of active units at each token."""
    return Activity(
        open=(inner > 0).mean(axis=1, dtype=np.float32),
        leaking=((inner <= 0) & (activated < -NEAR_ZERO)).mean(axis=1, dtype=np.float32),
    )


def similarity_by_distance(table: FloatArray, *, longest: int) -> FloatArray:
    """Similarity of position vectors by the distance of their positions.

    Args:
        table: (P, D) one vector per position.
        longest: the largest distance.
    Returns:
        (N,) for the distances 0 to longest (at most P - 1): the mean dot product of two vectors that far apart, as a
        share of the mean dot product of a vector with itself; 0 throughout where all vectors are zero.
    """
    length = len(table)
    products = table.astype(np.float64) @ table.T.astype(np.float64)  # (P, P)
    means = np.array([np.diagonal(products, distance).mean() for distance in range(min(longest, length - 1) + 1)])
    return (means / means[0] if means[0] > 0 else np.zeros_like(means)).astype(np.float32)


def signed_limit(*arrays: FloatArray) -> float:
    """The limit of a signed colour scale: the 99.5 % quantile of the absolute values, rounded up to two digits.

    A few dimensions of a hidden state are ten times as large as all others; on a scale up to the maximum, the others
    would look like 0.
    """
    values = np.concatenate([np.abs(array[np.isfinite(array)]).ravel() for array in arrays])
    high = float(np.quantile(values, 0.995)) if values.size else 0.0
    if high <= 0:
        return 1.0
    step = 10.0 ** (np.floor(np.log10(high)) - 1)
    return float(np.ceil(high / step) * step)
