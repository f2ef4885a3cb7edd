"""Occurrences in two dimensions, and their neighbours."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.errors import ShapeError
from encoder.measures.sense_map import MANY, aligned, nearest_neighbours, sense_map
from encoder.runs.arrays import FloatArray

SEEDS = st.integers(0, 2**32 - 1)


def states_of(count: int, width: int, seed: int) -> FloatArray:
    return np.random.default_rng(seed).normal(size=(count, width)).astype(np.float32)


@given(st.integers(1, 12), st.integers(1, 9), SEEDS)
def test_the_map_explains_what_the_two_largest_singular_values_do(count: int, width: int, seed: int) -> None:
    states = states_of(count, width, seed)
    before = states.copy()
    found = sense_map(states)
    values = np.linalg.svd(states - states.mean(axis=0), compute_uv=False) ** 2
    expected = np.zeros(2) if count == 1 else np.append(values, 0)[:2] / values.sum()
    assert (found.points.shape, found.points.dtype, found.explained.dtype) == ((count, 2), np.float32, np.float32)
    np.testing.assert_allclose(found.explained, expected, atol=1e-4)
    np.testing.assert_allclose((found.points**2).sum(axis=0), found.explained * values.sum(), rtol=1e-3, atol=1e-4)
    np.testing.assert_array_equal(states, before)


@pytest.mark.parametrize("shape", [(600, 60), (MANY + 1, 20)])
def test_the_map_of_many_occurrences_is_exact_and_the_same_again(shape: tuple[int, int]) -> None:
    """Where scikit-learn chooses its solver, it takes a randomised one for so many."""
    states = states_of(*shape, seed=0)
    values = np.linalg.svd((states - states.mean(axis=0)).astype(np.float64), compute_uv=False) ** 2
    found, again = sense_map(states), sense_map(states)
    np.testing.assert_allclose(found.explained, values[:2] / values.sum(), rtol=1e-6)
    np.testing.assert_array_equal(found.points, again.points)


def test_occurrences_that_are_all_alike_lie_on_one_point() -> None:
    found = sense_map(np.ones((4, 3), np.float32))
    assert not found.points.any()
    assert not found.explained.any()


@given(st.integers(1, 9), st.integers(1, 12), SEEDS)
def test_neighbours_are_the_most_alike_others(count: int, wanted: int, seed: int) -> None:
    states = states_of(count, 5, seed)
    nearest, cosines = nearest_neighbours(states, wanted)
    assert nearest.shape == cosines.shape == (count, min(wanted, count - 1))
    for at in range(count):
        others = [other for other in range(count) if other != at]
        length = np.linalg.norm(states, axis=1)
        cosine = {other: states[at] @ states[other] / length[at] / length[other] for other in others}
        expected = sorted(cosine.values(), reverse=True)[:wanted]
        np.testing.assert_allclose(cosines[at], expected, atol=1e-5)
        np.testing.assert_allclose([cosine[other] for other in nearest[at]], expected, atol=1e-5)


def test_cosines_of_opposite_and_equal_states_stay_within_one() -> None:
    states = states_of(12, 5, seed=0)
    _, cosines = nearest_neighbours(np.concatenate([states, states, -states]), 35)
    assert (cosines.min(), cosines.max()) == (-1, 1)


@pytest.mark.parametrize("shape", [(0, 3), (3,), (2, 0)])
def test_no_states_have_no_map_and_no_neighbours(shape: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError, match=r"\(N, D\)"):
        sense_map(np.ones(shape, np.float32))
    with pytest.raises(ShapeError, match=r"\(N, D\)"):
        nearest_neighbours(np.ones(shape, np.float32), 3)


@given(st.integers(1, 9), st.integers(1, 4), SEEDS)
def test_alignment_leaves_distances_unchanged(count: int, maps: int, seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(maps, count, 2)).astype(np.float32)
    points -= points.mean(axis=1, keepdims=True)
    found = aligned(points)
    for before, after in zip(points, found, strict=True):
        theirs, ours = (np.linalg.norm(each[:, None] - each, axis=2) for each in (before, after))
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


@given(st.integers(3, 9), SEEDS, st.floats(0, 6), st.booleans())
def test_alignment_undoes_a_rotation_and_a_reflection(count: int, seed: int, angle: float, mirrored: bool) -> None:
    points = np.random.default_rng(seed).normal(size=(count, 2)).astype(np.float32)
    points -= points.mean(axis=0)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ np.diag([1, 1 - 2 * mirrored])
    found = aligned([points, 3 * points @ turn.astype(np.float32)])
    np.testing.assert_allclose(found[1], 3 * points, atol=1e-4)
    assert found[1].dtype == np.float32
