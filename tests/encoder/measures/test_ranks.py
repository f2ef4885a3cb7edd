"""Orders of links, and rank correlation."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from encoder.errors import ShapeError
from encoder.measures.ranks import order_of_links, rank_correlation


def test_links_of_no_effect_have_no_place_in_the_order() -> None:
    assert order_of_links(np.array([[0, -1, 2], [-1, 0, 3]], np.float32)).tolist() == [5, 2, 1, 3]


def test_the_order_is_that_of_a_stable_sort() -> None:
    values = np.random.default_rng(0).integers(-4, 5, (2, 3, 8, 8)).astype(np.float32) / 3
    values[0, 0, 0] = [1e-40, -1e-40, -0.0, 3e38, -3e38, np.inf, -np.inf, 1e-40]
    stable = np.argsort(-values.ravel(), kind="stable")
    assert order_of_links(values).tolist() == [at for at in stable.tolist() if values.flat[at]]


def test_it_is_spearmans_with_ties() -> None:
    generator = np.random.default_rng(0)
    for _ in range(5):
        one, other = generator.integers(0, 6, (2, 3, 5)).astype(np.float32)
        assert rank_correlation(one, other) == pytest.approx(spearmanr(one.ravel(), other.ravel()).statistic)


def test_equal_numbers_have_no_order() -> None:
    assert rank_correlation(np.ones(3, np.float32), np.arange(3, dtype=np.float32)) == 0


def test_arrays_must_match() -> None:
    for one, other in ((np.ones(2), np.ones(3)), (np.ones(1), np.ones(1))):
        with pytest.raises(ShapeError, match="two numbers"):
            rank_correlation(one.astype(np.float32), other.astype(np.float32))
