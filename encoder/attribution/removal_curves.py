"""An order of words put to the test: taken away in it, does the number fall faster than in random orders?

The curve of a number over the share of words that are gone is compared with those of 20 random orders of the same text,
and with that of the order that a greedy search finds.

Source: Samek et al. (2017) for the curves; Ojala and Garriga (2010) for holding a value against random orders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from encoder.attribution.removals import RemovalGame
from encoder.errors import ArgumentError, ShapeError
from encoder.models.base import Progress
from encoder.runs.arrays import FloatArray

RANDOM_ORDERS = 20
MIN_WINS = 19  # of the 20; by chance an order beats so many with a probability of 2 in 21
FEWEST_UNITS = 4  # have 24 orders; fewer do not have 20
MOST_STEPS = 20

Order = tuple[int, ...]  # units, the first to be taken away first


def removal_counts(units: int) -> tuple[int, ...]:
    """How many of so many units are gone at each of S points, from none to all; at most 21 points, evenly spread."""
    steps = min(units, MOST_STEPS)
    return tuple(round(step * units / steps) for step in range(steps + 1)) if units else (0,)


def removal_curve(player: RemovalGame, order: Sequence[int]) -> FloatArray:
    """The number as units are taken away in an order, at the points of `removal_counts`.

    Args:
        order: all units, the first to be taken away first.
    Returns:
        (S,) in the quantity's unit.
    Raises:
        ArgumentError: the order does not name every unit once.
    """
    if sorted(order) != list(range(len(player.units))):
        raise ArgumentError(f"An order names each of {len(player.units)} units once; {tuple(order)} does not.")
    return player.values([tuple(order[:count]) for count in removal_counts(len(order))])


def random_orders(units: int, *, seed: int = 0) -> list[Order]:
    """20 random orders of so many units, no two the same unless there are too few."""
    generator = np.random.default_rng(seed)
    orders: list[Order] = []
    while len(orders) < RANDOM_ORDERS:
        order = tuple(int(unit) for unit in generator.permutation(units))
        if order not in orders or units < FEWEST_UNITS:
            orders.append(order)
    return orders


def random_curves(player: RemovalGame, *, progress: Progress | None = None) -> FloatArray:
    """(20, S) curves of random orders.

    Args:
        progress: called after each order; an exception that it raises ends the sampling.
    """
    curves = []
    for order in random_orders(len(player.units)):
        curves.append(removal_curve(player, order))
        if progress is not None:
            progress(len(curves), RANDOM_ORDERS)
    return np.stack(curves)


def area(curve: FloatArray, counts: Sequence[int]) -> float:
    """How far the number has fallen, as a mean over the share of units that are gone, in the number's unit.

    Args:
        curve: (S,) the number at each point.
        counts: S, how many units are gone there.
    Raises:
        ShapeError: there are not as many points as counts.
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
    """An order beside random ones.

    Attributes:
        area, random_area: how far the number has fallen on the way, for the order and as a mean over random ones.
        beaten, of: how many random orders it beats, and how many there are.
        units: how many units the text has.
        greedy_area: of the order that a greedy search finds; None before it is known.
    """

    area: float
    random_area: float
    beaten: int
    of: int
    units: int
    greedy_area: float | None = None

    @property
    def between(self) -> float:
        """The area between the order's curve and the mean of the random ones; positive where the order is better."""
        return self.area - self.random_area

    @property
    def testable(self) -> bool:
        """Whether the text has so many units that random orders differ."""
        return self.units >= FEWEST_UNITS

    @property
    def holds(self) -> bool:
        """Whether the order is better than chance."""
        return self.testable and self.beaten >= MIN_WINS

    @property
    def share_of_best(self) -> float | None:
        """How far the order is on the way from random orders, 0, to the greedy one, 1; None where there is no way."""
        if self.greedy_area is None or self.greedy_area <= self.random_area:
            return None
        return self.between / (self.greedy_area - self.random_area)


def verdict(own: FloatArray, random: FloatArray, *, units: int, greedy: FloatArray | None = None) -> Verdict:
    """Hold the curve of an order against others of the same text.

    Args:
        own: (S,) the order's curve, from `removal_curve`.
        random: (R, S) those of random orders.
        units: how many units the text has.
        greedy: (S,) of the greedy order.
    Raises:
        ShapeError: the curves have different numbers of points.
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
