"""The exact worst and best order of a short text's words, from all subsets of them.

Each of U words is removed or not: 2^U runs. The curve of an order passes through U + 1 of these subsets, so that the
orders with the smallest and the largest area are found by dynamic programming over subsets. An order's place between
the two can be compared across texts, where its area alone cannot.

Source: Edin et al. (2024), "Normalized AOPC", arXiv 2408.08137.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from encoder.attribution.removal_curves import Order
from encoder.attribution.removals import RemovalGame
from encoder.errors import ArgumentError, ShapeError
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray

MOST_UNITS: Final = 10  # 1,024 subsets
AT_ONCE: Final = 128  # subsets between two reports of progress


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ExactOrders:
    """All orders of U units: the range of their areas, as `encoder.attribution.removal_curves.area` defines these.

    Attributes:
        values: (2^U,) the target for each subset of removed units; unit u is removed where bit u of the index is set.
        worst, best: orders with the smallest and the largest area.
        lowest, highest: their areas.
        mean: area of a random order, as the exact mean over all of them.
    """

    values: FloatArray
    worst: Order
    best: Order
    lowest: float
    highest: float
    mean: float

    def area(self, order: Sequence[int]) -> float:
        """The area of an order."""
        subsets = np.cumsum([1 << unit for unit in order])
        return float(_falls(self.values)[subsets] @ _widths(len(order)))

    def place(self, area: float) -> float | None:
        """Where an area is between the worst order (0) and the best (1); None if all orders have the same."""
        width = self.highest - self.lowest
        return (area - self.lowest) / width if width > 0 else None


def subset_values(game: RemovalGame, *, progress: Progress = no_progress) -> FloatArray:
    """(2^U,) the target for each subset of removed units, as in `ExactOrders`.

    Args:
        progress: called with the subsets done and in total; an exception raised there ends the work.
    Raises:
        ArgumentError: there are more than `MOST_UNITS` units.
    """
    units = len(game.units)
    if units > MOST_UNITS:
        raise ArgumentError(f"{units} words have too many subsets: at most {MOST_UNITS} words are removed in all ways.")
    subsets = [[unit for unit in range(units) if index >> unit & 1] for index in range(1 << units)]
    found = []
    for first in range(0, len(subsets), AT_ONCE):
        progress(first, len(subsets))
        found.append(game.values(subsets[first : first + AT_ONCE]))
    return np.concatenate(found)


def exact_orders(values: FloatArray) -> ExactOrders:
    """The worst and the best of all orders.

    Args:
        values: (2^U,) of `subset_values`.
    Raises:
        ShapeError: the number of values is no power of two.
    """
    units = len(values).bit_length() - 1
    if values.ndim != 1 or len(values) != 1 << units:
        raise ShapeError(f"Values of shape {values.shape} were given; there is one for each subset of some units.")
    falls, widths = _falls(values), _widths(units)
    sizes = np.array([index.bit_count() for index in range(len(values))])
    by_size = np.array([falls[sizes == size].mean() for size in range(1, units + 1)])
    added = np.concatenate([[0.0], widths])[sizes] * falls  # (2^U,) what a subset adds to the area of its orders
    worst, lowest = _extreme_order(-added)
    best, highest = _extreme_order(added)
    return ExactOrders(
        values=values, worst=worst, best=best, lowest=-lowest, highest=highest, mean=float(by_size @ widths)
    )


def _falls(values: FloatArray) -> FloatArray:
    return values[0] - values


def _widths(units: int) -> FloatArray:
    """(U,) what the falls after one, two, ... removals count in the area; the last one counts half."""
    widths = np.full(units, 1 / units if units else 0.0, np.float32)
    widths[-1:] /= 2
    return widths


def _extreme_order(added: FloatArray) -> tuple[Order, float]:
    """The order whose subsets add most together, and the sum. `added` is (2^U,)."""
    totals = added.astype(np.float64)
    last = [0] * len(added)  # the unit that is removed last
    for subset in range(1, len(added)):
        members = [unit for unit in range(subset.bit_length()) if subset >> unit & 1]
        last[subset] = max(members, key=lambda unit: totals[subset ^ (1 << unit)])
        totals[subset] += totals[subset ^ (1 << last[subset])]
    order, subset = [], len(added) - 1
    while subset:
        order.append(last[subset])
        subset ^= 1 << last[subset]
    return tuple(reversed(order)), float(totals[-1])
