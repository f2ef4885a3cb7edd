"""The type of a run's arrays, and the softmax that makes weights of scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]


def softmax(scores: NDArray[np.floating], *, out: FloatArray | None = None) -> FloatArray:
    """Probabilities over the last axis.

    Args:
        scores: (..., C); -inf gets a probability of 0.
        out: what they are written into, the scores themselves where those are not needed any more. Where it is large,
            a new array takes longer than the arithmetic: every page of it has to be fetched from the system.
    Returns:
        (..., C) float32. Rows sum to 1, but for a row of -inf alone, which is all 0.
    """
    largest = np.maximum(scores.max(axis=-1, keepdims=True), np.finfo(np.float32).min)
    exponentials = np.subtract(scores, largest, out=out)
    np.exp(exponentials, out=exponentials)
    total = exponentials.sum(axis=-1, keepdims=True)
    total[total == 0] = 1  # `where=` would take twice as long
    np.divide(exponentials, total, out=exponentials)
    return exponentials.astype(np.float32, copy=False)
