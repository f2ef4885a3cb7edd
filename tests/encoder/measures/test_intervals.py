"""Bootstrap intervals of few values."""

import numpy as np
import pytest

from encoder.measures.intervals import bootstrap_interval


@pytest.mark.parametrize(("count", "covered"), [(3, 0.75), (5, 0.83), (10, 0.90)])
def test_intervals_of_few_values_are_too_narrow(count: int, covered: float) -> None:
    """As often as the docstring says that they contain the mean."""
    values = np.random.default_rng(1).normal(size=(1_000, count))
    bounds = np.array([bootstrap_interval(each, seed=seed) for seed, each in enumerate(values)])
    assert ((bounds[:, 0] <= 0) & (bounds[:, 1] >= 0)).mean() == pytest.approx(covered, abs=0.03)
