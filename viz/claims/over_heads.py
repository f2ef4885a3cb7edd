"""Reduces an array over layers and heads to the number that a claim selects."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from encoder.errors import SelectionError
from encoder.runs.arrays import FloatArray
from viz.tours.measures import EXTREMES
from viz.tours.tour import Measure


def number_over_heads(measure: Measure, num_layers: int, of_layer: Callable[[int], FloatArray]) -> float:
    """The number of the layer and head of a measure, the mean over heads, or their maximum or minimum.

    Args:
        of_layer: returns the (H,) numbers of a layer.
    Raises:
        SelectionError: there is no such layer or head.
    """
    layer = measure.option("layer") or "highest"
    if layer in EXTREMES:
        return _extreme(np.array([_of_head(measure, of_layer(each)) for each in range(num_layers)]), layer)
    return _of_head(measure, of_layer(existing(int(layer), num_layers, "layer")))


def state_index(measure: Measure, num_layers: int) -> int:
    """Index of the hidden states of a measure's layer. Raises SelectionError if there is no such layer."""
    layer = measure.option("layer") or ""
    return 0 if layer == "embeddings" else 1 + existing(int(layer), num_layers, "layer")


def existing(number: int, count: int, what: str) -> int:
    """The index of an existing layer, head or step.

    Raises:
        SelectionError: there is none of that number.
    """
    if number >= count:
        raise SelectionError(f"There is no {what} {number}: the last one is {count - 1}.")
    return number


def _of_head(measure: Measure, numbers: FloatArray) -> float:
    head = measure.option("head") or "mean"
    if head in EXTREMES:
        return _extreme(numbers, head)
    return float(numbers.mean() if head == "mean" else numbers[existing(int(head), len(numbers), "head")])


def _extreme(numbers: FloatArray, which: str) -> float:
    return float(numbers.max() if which == "highest" else numbers.min())
