"""Which of several computed values is the largest, so that every machine names the same one.

Processors add the same products in different orders, and their sums differ in the last digits. Where values are equal
but for that, as the norms of an untrained model or the cosines of a word with itself, the largest would be an accident
of the machine. So values below the largest one by at most `TIE` of it, or by at most `ROUNDING`, are near-ties, and the
first of them is named: the lowest index, layer or head. The graphs of `encoder.export.measures` do the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from encoder.errors import ArgumentError

TIE: Final = 1e-5  # ten times what sums of float32 differ by between processors, and less than any digit on the page
ROUNDING: Final = 1e-6  # of differences between numbers of size 1, such as a cosine's distance from 1


def first_largest(values: NDArray[Any], axis: int | None = None) -> NDArray[np.intp]:
    """The index of the largest value, the first of near-ties; of the flattened array or along an axis, as `argmax`.

    For the smallest value, pass `-values`.
    """
    largest = values.max(axis, keepdims=True)
    found: NDArray[np.intp] = (values >= largest - np.maximum(TIE * np.abs(largest), ROUNDING)).argmax(axis)
    return found


def heads_that_reach(changes: NDArray[Any]) -> NDArray[np.bool_]:
    """(L, H) heads of the layers up to the last one in which a head changes some of N numbers by more than rounding.

    The numbers are read before the layers above, whose heads are nothing to compare with. All heads where none changes
    anything. Rounding is `TIE` of numbers of size 1, more than what runs in other batches differ by, or of the largest
    change.

    Args:
        changes: (L, H, N).
    """
    sizes = np.abs(changes).max((1, 2))
    layers = np.flatnonzero(sizes > TIE * max(1.0, float(sizes.max())))
    reach = np.ones(changes.shape[:2], dtype=bool)
    if len(layers):
        reach[layers[-1] + 1 :] = False
    return reach


def largest_first(values: NDArray[Any] | Sequence[float], count: int | None = None) -> tuple[int, ...]:
    """Indices into the flattened array by falling value, at most `count`; near-ties stay in their order.

    Raises:
        ArgumentError: `count` is below 0.
    """
    if count is not None and count < 0:
        raise ArgumentError(f"The {count} largest were asked for; give a number from 0.")
    flat = np.asarray(values).ravel()
    order = np.argsort(-flat, kind="stable")
    rising = -flat[order]
    margin = (TIE * np.abs(rising[:1])).max(initial=ROUNDING)
    end = 0
    for start in np.flatnonzero(rising[1:] - margin <= rising[:-1]).tolist():
        if start >= end:  # the largest of those that are left, with its near-ties
            end = int(np.searchsorted(rising, rising[start] + margin, side="right"))
            order[start:end].sort()
    return tuple(order[:count].tolist())
