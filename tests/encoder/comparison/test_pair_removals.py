"""Pairs are removed in the order of the map and in random orders, and each step is measured."""

import numpy as np
import pytest

from encoder import Backend
from encoder.attribution.removal_curves import RANDOM_ORDERS, verdict
from encoder.attribution.removals import removable_units
from encoder.comparison import text_path as path_module
from encoder.comparison import text_vectors as vector_module
from encoder.comparison.pair_removals import PairRemovals, largest_pairs_first, random_pair_curves, random_pairs
from encoder.comparison.similarity_map import similarity_map
from encoder.errors import ArgumentError
from encoder.text.tokens import Tokens
from tests.encoder.random_models import A, B, Zoo, backend_of


def removals_of(backend: Backend, a: Tokens, b: Tokens) -> PairRemovals:
    units_a, units_b = removable_units(a), removable_units(b)
    return PairRemovals(backend=backend, a=a, b=b, units_a=units_a, units_b=units_b)


def test_the_largest_pairs_come_first_and_no_word_comes_twice() -> None:
    values = np.array([[0.5, 0.9, 0.1], [0.8, 0.7, -0.2]], np.float32)
    assert largest_pairs_first(values) == ((0, 1), (1, 0))
    assert largest_pairs_first(np.zeros((3, 1), np.float32)) == ((0, 0),)


def test_random_pairs_hold_each_word_once_at_most() -> None:
    orders = random_pairs(5, 3)
    assert len(set(orders)) == RANDOM_ORDERS
    assert all(len({pair[0] for pair in order}) == 3 == len({pair[1] for pair in order}) for order in orders)
    assert random_pairs(5, 3) == orders


def test_a_curve_falls_from_what_the_map_splits_to_zero(zoo: Zoo) -> None:
    backend = backend_of(zoo, "scratch")
    a, b = backend.tokenize(A), backend.tokenize("time flies like")
    found = similarity_map(backend, a, b, points=2)
    removals = removals_of(backend, a, b)
    curve = removals.curve(((4, 0), (2, 1), (0, 2)))
    assert curve[0] == pytest.approx(found.cosine - found.references, abs=1e-5)
    assert curve[-1] == pytest.approx(0, abs=1e-5)
    assert curve.shape == (4,)
    for wrong in (((0, 0), (0, 1), (1, 2)), ((0, 0),)):
        with pytest.raises(ArgumentError, match="must have 3 pairs"):
            removals.curve(wrong)


def test_of_a_linear_encoder_each_pair_takes_its_row_and_column_with_it(
    zoo: Zoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (path_module, vector_module):
        monkeypatch.setattr(module, "text_vector", lambda _, output, *__: output.hidden_states[0].mean(1))
    backend = backend_of(zoo, "scratch")
    a, b = backend.tokenize(A), backend.tokenize(B)
    found = similarity_map(backend, a, b, points=20)
    order = largest_pairs_first(found.values)
    left = [np.delete(np.delete(found.values, rows, 0), columns, 1).sum() for rows, columns in _gone(order)]
    np.testing.assert_allclose(removals_of(backend, a, b).curve(order), left, atol=1e-4)


def _gone(order: tuple[tuple[int, int], ...]) -> list[tuple[list[int], list[int]]]:
    """The rows and columns that are gone after 0, 1, 2 … pairs."""
    return [([row for row, _ in order[:count]], [column for _, column in order[:count]]) for count in range(6)]


def test_random_curves_tell_their_progress_and_are_held_against_an_order(zoo: Zoo) -> None:
    backend = backend_of(zoo, "scratch")
    a, b = backend.tokenize(A), backend.tokenize(B)
    removals, steps = removals_of(backend, a, b), list[tuple[int, int]]()
    random = random_pair_curves(removals, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(done, RANDOM_ORDERS) for done in range(1, RANDOM_ORDERS + 1)]
    assert random.shape == (RANDOM_ORDERS, 6)
    best = random[np.argmin(random.mean(1))]
    found = verdict(best, random, units=5)
    assert (found.beaten, found.p) == (RANDOM_ORDERS - 1, pytest.approx(2 / 21))  # it is one of them
