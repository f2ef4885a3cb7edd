"""Values that differ by rounding count as equal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.measures.near_ties import ROUNDING, TIE, first_largest, heads_that_reach, largest_first
from tests.rounding import NEAR_TIES, Values


@pytest.mark.parametrize(
    ("values", "order"), [*zip(NEAR_TIES, ["012", "1203", "201", "012", "201", "120"], strict=True)]
)
def test_near_ties_stay_in_their_order(values: Values, order: str) -> None:
    assert largest_first(values) == tuple(map(int, order))
    assert first_largest(np.array(values)) == int(order[0])


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12), st.integers(0, 99), st.integers(1, 12))
def test_noise_changes_no_order(values: list[int], seed: int, count: int) -> None:
    noise = np.random.default_rng(seed).uniform(-ROUNDING / 2, ROUNDING / 2, len(values))
    assert largest_first(values + noise, count) == tuple(np.argsort(-np.array(values), kind="stable")[:count].tolist())
    assert first_largest((values + noise)[None], 1).tolist() == [int(np.argmax(values))]


def test_heads_above_the_last_layer_that_changes_anything_cannot_reach_the_output() -> None:
    changes = np.full((4, 2, 3), TIE / 2)
    assert heads_that_reach(changes).all()
    changes[2, 1, 0] = -0.1
    assert heads_that_reach(changes).tolist() == [[True, True]] * 3 + [[False, False]]
