"""Bootstrap intervals: how often they contain the true mean."""

import numpy as np
import pytest

from encoder.measures.intervals import bootstrap_interval


@pytest.mark.parametrize(("count", "covered"), [(3, 0.75), (5, 0.83), (10, 0.90)])
def test_intervals_of_few_values_are_too_narrow(count: int, covered: float) -> None:
    """As often as the docstring says that they contain the mean."""
    values = np.random.default_rng(1).normal(size=(1_000, count))
    bounds = np.array([bootstrap_interval(each, seed=seed) for seed, each in enumerate(values)])
    assert ((bounds[:, 0] <= 0) & (bounds[:, 1] >= 0)).mean() == pytest.approx(covered, abs=0.03)


def test_intervals_of_means_cover_the_truth_as_often_as_they_say() -> None:
    generator = np.random.default_rng(1)
    covered = 0
    for trial in range(200):
        low, high = bootstrap_interval(generator.exponential(size=40).astype(np.float32), seed=trial)
        covered += low <= 1 <= high
    assert 0.88 <= covered / 200 <= 0.98
