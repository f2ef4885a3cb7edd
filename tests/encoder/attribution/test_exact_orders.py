"""The exact worst and best order: by brute force over all orders, and of a model."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encoder import Backend
from encoder.attribution.exact_orders import exact_orders, subset_values
from encoder.attribution.explaining import removal_game
from encoder.attribution.questions import Question
from encoder.attribution.removal_curves import area, removal_counts, removal_curve
from encoder.attribution.removals import greedy_order
from encoder.attribution.target import resolve_target
from encoder.errors import ArgumentError, ShapeError


@settings(max_examples=20)
@given(units=st.integers(1, 6), seed=st.integers(0, 1_000))
def test_worst_best_and_mean_are_those_of_all_orders(units: int, seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=1 << units).astype(np.float32)
    found = exact_orders(values)
    areas = {}
    for order in permutations(range(units)):
        subsets = [sum(1 << unit for unit in order[:count]) for count in range(units + 1)]
        areas[order] = area(values[subsets], removal_counts(units))
        assert found.area(order) == pytest.approx(areas[order], abs=1e-5)
    assert found.lowest == pytest.approx(min(areas.values()), abs=1e-5)
    assert found.highest == pytest.approx(max(areas.values()), abs=1e-5)
    assert found.mean == pytest.approx(np.mean(list(areas.values())), abs=1e-5)
    assert areas[found.worst] == pytest.approx(found.lowest, abs=1e-5)
    assert areas[found.best] == pytest.approx(found.highest, abs=1e-5)


def test_orders_of_a_model_lie_between_the_worst_and_the_best(bundled: Backend) -> None:
    target = resolve_target(bundled, Question(kind="class", texts=("time flies like an arrow", None)))
    game = removal_game(bundled, target, level="words", removal="mask")
    steps: list[tuple[int, int]] = []
    found = exact_orders(subset_values(game, progress=lambda done, total: steps.append((done, total))))
    assert steps == [(0, 32)]
    for order in (found.worst, found.best, greedy_order(game), (1, 3, 0, 4, 2)):
        own = area(removal_curve(game, order), removal_counts(5))
        assert found.area(order) == pytest.approx(own, abs=1e-4)
        place = found.place(own)
        assert place is not None
        assert -1e-3 <= place <= 1 + 1e-3
    assert found.place(found.highest) == 1
    assert found.place(found.lowest) == 0


def test_equal_orders_have_no_place() -> None:
    found = exact_orders(np.array([1.0, 0.2], np.float32))
    assert found.best == found.worst == (0,)
    assert found.place(found.highest) is None


def test_long_texts_and_other_numbers_of_values_are_refused(bundled: Backend) -> None:
    target = resolve_target(bundled, Question(kind="class", texts=("a " * 11, None)))
    with pytest.raises(ArgumentError, match="11 words have too many subsets"):
        subset_values(removal_game(bundled, target, level="words", removal="mask"))
    with pytest.raises(ShapeError, match="one for each subset"):
        exact_orders(np.ones(3, np.float32))
