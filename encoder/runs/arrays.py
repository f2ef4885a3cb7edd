"""The arrays of a run: their type, softmax, and the check that they are finite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from encoder.errors import NotFiniteError

FloatArray = NDArray[np.float32]


def softmax(
    scores: NDArray[np.floating], *, out: FloatArray | None = None, sink: FloatArray | None = None
) -> FloatArray:
    """Probabilities over the last axis.

    Args:
        scores: (..., C); -inf gets a probability of 0.
        out: the output array, possibly `scores` itself. Allocating a large new array takes longer than the arithmetic.
        sink: broadcastable to (..., 1), a further score of each row, whose probability is left out.
    Returns:
        (..., C) float32. Rows sum to 1 without a sink, except rows of -inf only, which are all 0.
    """
    largest = np.maximum(scores.max(axis=-1, keepdims=True), np.finfo(np.float32).min)
    if sink is not None:
        largest = np.maximum(largest, sink)
    exponentials = np.subtract(scores, largest, out=out)
    np.exp(exponentials, out=exponentials)
    total = exponentials.sum(axis=-1, keepdims=True)
    if sink is not None:
        total += np.exp(sink - largest)
    total[total == 0] = 1  # `where=` would take twice as long
    np.divide(exponentials, total, out=exponentials)
    return exponentials.astype(np.float32, copy=False)


class ByValue:
    """A record with arrays, which is equal to another one if all numbers are equal to the bit."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # as of arrays

    def __eq__(self, other: object) -> bool:
        return _equal(self, other)


def _equal(one: object, other: object) -> bool:
    """Whether two fields of records are equal, arrays by their numbers."""
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, ByValue):
        names = [field.name for field in fields(one) if field.compare]  # type: ignore[arg-type]  # all of them are dataclasses
        return type(one) is type(other) and all(_equal(getattr(one, each), getattr(other, each)) for each in names)
    if isinstance(one, Mapping):
        return isinstance(other, Mapping) and _equal(tuple(one.items()), tuple(other.items()))
    if isinstance(one, tuple):
        return isinstance(other, tuple) and len(one) == len(other) and all(map(_equal, one, other))
    return one == other


NamedArray = tuple[str, NDArray[np.float32]]  # an array and its name for messages


def name_unusable(arrays: Iterable[NamedArray]) -> str | None:
    """The first unusable array, and the reason; None if all are usable.

    An array is usable if the sum of its squares is finite. The check takes one pass and no copy, finds NaN and
    infinity, and ensures that no norm or dot product of usable arrays overflows (by the Cauchy-Schwarz inequality).

    Returns:
        For example "numbers that are NaN in the queries of layer 3".
    """
    with np.errstate(over="ignore", invalid="ignore"):
        for name, array in arrays:
            numbers = array.ravel(order="K")  # no copy, whatever the order of the axes
            if not np.isfinite(np.dot(numbers, numbers)):
                return f"{_unusable_numbers(numbers)} in {name}"
    return None


def _unusable_numbers(numbers: NDArray[np.float32]) -> str:
    if np.isnan(numbers).any():
        return "numbers that are NaN"
    if np.isinf(numbers).any():
        return "infinite numbers"
    return f"numbers as large as {np.abs(numbers).max():.0e}"


def check_finite(model_name: str, arrays: Iterable[NamedArray]) -> None:
    """Refuse a run with unusable numbers.

    Args:
        arrays: in the order of their computation, because the first unusable one affects the later ones.
    Raises:
        NotFiniteError: one of them is unusable.
    """
    found = name_unusable(arrays)
    if found:
        raise NotFiniteError(
            f"This run of {model_name} cannot be shown, because there are {found}: the model's weights are damaged or "
            "too large, so get its files again or load another model."
        )
