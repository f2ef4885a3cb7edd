"""Orders put to the test: curves by brute force, areas that are known, and what a verdict takes."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from encoder import Backend
from encoder.attribution.explaining import removal_game
from encoder.attribution.quantities import measure
from encoder.attribution.questions import Question
from encoder.attribution.removal_curves import (
    RANDOM_ORDERS,
    area,
    random_curves,
    random_orders,
    removal_counts,
    removal_curve,
    verdict,
)
from encoder.attribution.removals import RemovalGame
from encoder.attribution.target import resolve_target
from encoder.errors import ArgumentError, ShapeError
from encoder.runs.arrays import FloatArray

TEXT = "time flies like an arrow"


@pytest.fixture
def player(bundled: Backend) -> RemovalGame:
    number = resolve_target(bundled, Question(kind="class", texts=(TEXT, None)))
    return removal_game(bundled, number, level="words", removal="delete")


def straight(units: int, fall: float) -> FloatArray:
    return 1 - np.linspace(0, fall, len(removal_counts(units)), dtype=np.float32)


def test_a_curve_is_the_number_of_what_is_left(bundled: Backend, player: RemovalGame) -> None:
    left = [TEXT, "time like an arrow", "time like arrow", "like arrow", "like"]
    wanted = measure(bundled, [bundled.tokenize(text) for text in left], player.quantity)
    curve = removal_curve(player, (1, 3, 0, 4, 2))
    assert_allclose(curve[:-1], wanted, atol=1e-4)
    assert len(curve) == 6


def test_long_texts_are_measured_at_as_many_points() -> None:
    assert removal_counts(5) == (0, 1, 2, 3, 4, 5)
    counts = removal_counts(128)
    assert (counts[0], counts[-1], len(counts)) == (0, 128, 21)
    assert set(np.diff(counts)) <= {6, 7}
    assert removal_counts(0) == (0,)


@pytest.mark.parametrize("units", [1, 4, 20, 33, 128])
def test_the_area_of_a_straight_fall_is_half_of_it(units: int) -> None:
    counts = removal_counts(units)
    assert area(1 - 0.6 * np.array(counts, np.float32) / units, counts) == pytest.approx(0.3, abs=1e-5)
    assert area(np.ones(len(counts), np.float32), counts) == 0


def test_random_orders_differ_where_they_can() -> None:
    orders = random_orders(4)
    assert len(set(orders)) == len(orders) == RANDOM_ORDERS
    assert set(orders) <= set(permutations(range(4)))
    assert random_orders(4) == orders != random_orders(4, seed=1)
    assert random_orders(1) == [(0,)] * RANDOM_ORDERS


def test_random_curves_begin_and_end_where_every_order_does(player: RemovalGame) -> None:
    told: list[tuple[int, int]] = []
    curves = random_curves(player, progress=lambda *at: told.append(at))
    assert curves.shape == (RANDOM_ORDERS, 6)
    assert_allclose(curves[:, [0, -1]], np.tile(player.values([(), range(5)]), (RANDOM_ORDERS, 1)), atol=1e-5)
    assert told[-1] == (RANDOM_ORDERS, RANDOM_ORDERS)


def test_an_order_holds_where_it_beats_nearly_all_random_ones() -> None:
    own = straight(8, 0.6)
    weaker, stronger = straight(8, 0.2), straight(8, 0.8)
    for beaten, holds in ((20, True), (19, True), (18, False), (0, False)):
        found = verdict(own, np.stack([weaker] * beaten + [stronger] * (20 - beaten)), units=8)
        assert (found.beaten, found.of, found.holds) == (beaten, 20, holds)
    found = verdict(own, np.stack([weaker] * 20), units=8, greedy=stronger)
    assert (found.area, found.between) == (pytest.approx(0.3), pytest.approx(0.2))
    assert found.share_of_best == pytest.approx(2 / 3)


def test_an_order_that_is_equal_beats_nothing() -> None:
    found = verdict(straight(8, 0.6), np.stack([straight(8, 0.6)] * 20), units=8, greedy=straight(8, 0.6))
    assert (found.beaten, found.holds, found.share_of_best) == (0, False, None)


def test_short_texts_cannot_be_tested() -> None:
    found = verdict(straight(3, 0.6), np.stack([straight(3, 0.2)] * 20), units=3)
    assert found.beaten == 20
    assert not found.testable
    assert not found.holds


def test_what_is_no_order_or_no_curve_is_an_error(player: RemovalGame) -> None:
    for order in ((0, 1), (0, 0, 1, 2, 3), (0, 1, 2, 3, 5)):
        with pytest.raises(ArgumentError, match="each of 5 units once"):
            removal_curve(player, order)
    with pytest.raises(ShapeError, match="for 6 points"):
        area(np.ones(3, np.float32), removal_counts(5))
