"""Numbers beside the steps of a layer: what a change moved, which units are active, how positions relate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.errors import ShapeError
from encoder.measures.operations import NEAR_ZERO, activity, signed_limit, similarity_by_distance, total_variation
from encoder.transformer.encoder import sinusoidal_positions
from tests.viz.made_up import random_weights


@given(st.integers(1, 3), st.integers(1, 8), st.integers(0, 99))
def test_total_variation_of_every_row_is_half_the_sum_of_its_differences(heads: int, tokens: int, seed: int) -> None:
    own, other = random_weights(tokens, heads=heads, seed=seed), random_weights(tokens, heads=1, seed=seed + 1)
    found = total_variation(own, other)
    assert found.shape == (heads, tokens)
    for head in range(heads):
        for query in range(tokens):
            moved = sum(abs(float(x) - float(y)) for x, y in zip(own[head, query], other[0, query], strict=True)) / 2
            assert found[head, query] == pytest.approx(moved, abs=1e-6)
    assert found.max() <= 1 + 1e-6


@pytest.mark.parametrize("other", [(2, 4, 5), (2, 5, 4)])
def test_attention_of_another_text_cannot_be_compared(other: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError, match=r"\(4, 4\) cannot be compared with \(\d, \d\)"):
        total_variation(np.zeros((2, 4, 4), np.float32), np.zeros(other, np.float32))


def test_units_are_open_leaking_or_shut() -> None:
    inner = np.array([[1.0, 0.0, -0.5, -4.0], [0.001, 2.0, 0.0, -1.0]], np.float32)
    active = activity(inner, np.array([[0.84, -0.1, -0.15, -0.0001], [0.0, 1.95, -NEAR_ZERO, -0.16]], np.float32))
    assert active.open.tolist() == [0.25, 0.5]
    assert active.leaking.tolist() == [0.5, 0.25]
    assert active.open.dtype == active.leaking.dtype == np.float32


def test_sines_and_cosines_are_as_alike_as_the_distance_says() -> None:
    table = sinusoidal_positions(64, 8).numpy()
    curve = similarity_by_distance(table, longest=20)
    frequencies = 10000.0 ** (-np.arange(0, 8, 2) / 8)
    expected = [np.cos(distance * frequencies).mean() for distance in range(21)]
    np.testing.assert_allclose(curve, expected, atol=1e-5)
    assert curve.dtype == np.float32


@pytest.mark.parametrize(("positions", "longest", "length"), [(3, 20, 3), (3, 2, 3), (3, 1, 2), (5, 0, 1)])
def test_there_is_a_similarity_for_every_distance_that_two_positions_have(
    positions: int, longest: int, length: int
) -> None:
    assert len(similarity_by_distance(np.ones((positions, 2), np.float32), longest=longest)) == length


def test_tiny_vectors_are_compared_and_zero_ones_have_no_similarity() -> None:
    assert similarity_by_distance(np.zeros((4, 2), np.float32), longest=2).tolist() == [0, 0, 0]
    tiny = np.array([[1e-20, 0], [1e-20, 0], [0, 1e-20]], np.float32)
    np.testing.assert_allclose(similarity_by_distance(tiny, longest=2), [1, 0.5, 0])


def test_colours_end_where_nearly_all_numbers_do() -> None:
    values = np.full(1000, 0.5)
    values[:3] = 40
    assert signed_limit(values) == pytest.approx(0.5)
    assert signed_limit(-values, np.full(1000, 0.123)) == pytest.approx(0.5)
    values[3:8] = 40
    assert signed_limit(values) == pytest.approx(40), "eight in a thousand are more than half a per cent"


@pytest.mark.parametrize(
    ("value", "end"), [(2.34, 2.4), (2.4, 2.4), (0.0171, 0.018), (1.0, 1.0), (99.5, 100), (345.0, 350), (0.5, 0.5)]
)
def test_colours_end_at_two_digits_rounded_up(value: float, end: float) -> None:
    assert signed_limit(np.array([-value])) == pytest.approx(end)


def test_numbers_that_are_not_finite_have_no_say_in_where_colours_end() -> None:
    assert signed_limit(np.array([-np.inf, 2.34]), np.array([np.nan])) == pytest.approx(2.4)
    assert signed_limit(np.zeros(3)) == 1
    assert signed_limit(np.array([-np.inf])) == 1
