"""Test an order of words: does the target fall faster when they are removed in this order than in random orders?

The removal curve, the target over the share of removed words, is compared with the curves of 20 random orders of the
same text, and with that of a greedy search.

Source: Samek et al. (2017) for the curves; Ojala and Garriga (2010) for the comparison with random orders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from encoder.attribution.removals import RemovalGame
from encoder.errors import ArgumentError, ShapeError
from encoder.measures.inference import is_clear, p_of_shuffles
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray

RANDOM_ORDERS = 20
FEWEST_UNITS = 4  # 4 units have 24 orders, 3 have fewer than 20
MOST_STEPS = 20

Order = tuple[int, ...]  # units in the order of their removal


def removal_counts(units: int) -> tuple[int, ...]:
    """Number of units removed at each of S evaluation points, from none to all; at most 21 points, evenly spaced."""
    steps = min(units, MOST_STEPS)
    return tuple(round(step * units / steps) for step in range(steps + 1)) if units else (0,)


def removal_curve(game: RemovalGame, order: Sequence[int]) -> FloatArray:
    """The target as units are removed in an order, at the points of `removal_counts`.

    Returns:
        (S,) in the quantity's unit.
    Raises:
        ArgumentError: the order does not name every unit once.
    """
    if sorted(order) != list(range(len(game.units))):
        raise ArgumentError(f"An order must contain each of {len(game.units)} units once; {tuple(order)} does not.")
    return game.values([tuple(order[:count]) for count in removal_counts(len(order))])


def random_orders(units: int) -> list[Order]:
    """20 random orders of some units, distinct unless there are too few; the same for the same number of units."""
    generator = np.random.default_rng(0)
    orders: list[Order] = []
    while len(orders) < RANDOM_ORDERS:
        order = tuple(int(unit) for unit in generator.permutation(units))
        if order not in orders or units < FEWEST_UNITS:
            orders.append(order)
    return orders


def random_curves(game: RemovalGame, *, progress: Progress = no_progress) -> FloatArray:
    """(20, S) curves of random orders; `progress` is called after each."""
    curves = []
    for order in random_orders(len(game.units)):
        curves.append(removal_curve(game, order))
        progress(len(curves), RANDOM_ORDERS)
    return np.stack(curves)


def area(curve: FloatArray, counts: Sequence[int]) -> float:
    """Mean fall of the target over the share of removed units, in the target's unit.

    Args:
        curve: (S,) the target at each point.
        counts: S numbers of removed units.
    Raises:
        ShapeError: the numbers of points and counts differ.
    """
    if curve.shape != (len(counts),):
        raise ShapeError(f"A curve of shape {curve.shape} was given for {len(counts)} points.")
    if len(counts) == 1:
        return 0.0
    falls = curve[0] - curve  # (S,)
    widths = np.diff(np.asarray(counts, np.float32)) / counts[-1]  # (S - 1,)
    return float(((falls[1:] + falls[:-1]) / 2 * widths).sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """An order compared with random orders.

    Attributes:
        area, random_area: the `area` of the order, and the mean over random orders.
        beaten, of: how many random orders it beats, out of how many.
        units: number of units of the text.
        greedy_area: the `area` of the greedy order; None before it is known.
    """

    area: float
    random_area: float
    beaten: int
    of: int
    units: int
    greedy_area: float | None = None

    @property
    def between(self) -> float:
        """The order's area minus the mean random area; positive if the order is better."""
        return self.area - self.random_area

    @property
    def testable(self) -> bool:
        """Whether the text has enough units for 20 distinct orders."""
        return self.units >= FEWEST_UNITS

    @property
    def p(self) -> float:
        """How often a random order is as good: 1 in 21 for one that beats all 20."""
        return float(p_of_shuffles(self.of - self.beaten, self.of))

    @property
    def holds(self) -> bool:
        """Whether the order is better than chance."""
        return self.testable and is_clear(self.p)

    @property
    def share_of_best(self) -> float | None:
        """Position between random orders (0) and the greedy order (1); None if the greedy order is no better."""
        if self.greedy_area is None or self.greedy_area <= self.random_area:
            return None
        return self.between / (self.greedy_area - self.random_area)


def verdict(own: FloatArray, random: FloatArray, *, units: int, greedy: FloatArray | None = None) -> Verdict:
    """Compare the curve of an order with others of the same text.

    Args:
        own: (S,) the order's curve, from `removal_curve`.
        random: (R, S) the curves of random orders.
        greedy: (S,) the curve of the greedy order.
    """
    counts = removal_counts(units)
    areas = np.array([area(curve, counts) for curve in random])  # (R,)
    own_area = area(own, counts)
    return Verdict(
        area=own_area,
        random_area=float(areas.mean()),
        beaten=int((own_area > areas).sum()),
        of=len(areas),
        units=units,
        greedy_area=None if greedy is None else area(greedy, counts),
    )
