"""95 % intervals: of a share by Wilson, of a mean by drawing the rows again."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

CONFIDENCE: Final = 0.95
DRAWS: Final = 1_000  # bootstrap samples
FEWEST_DRAWS: Final = 200  # of many rows, whose intervals are narrow
DRAWN_ROWS: Final = 20_000_000  # in all samples together
CHUNK: Final = 4_000_000  # numbers in memory at a time


def normal_quantile(confidence: float) -> float:
    """Half-width of an interval in standard errors: 1.96 for 0.95."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def wilson_interval(right: float, n: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson's interval of the share `right` / n, which is not empty where all are right, or none; 0 to 1 for n = 0.

    Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.
    """
    if n == 0:
        return 0.0, 1.0
    z = normal_quantile(confidence)
    share = right / n
    middle = share + z * z / (2 * n)
    reach = z * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    scale = 1 + z * z / n
    # At 0 and 1 the bound equals the share up to rounding.
    return max(min((middle - reach) / scale, share), 0.0), min(max((middle + reach) / scale, share), 1.0)


def bootstrap_interval(values: NDArray[np.floating[Any]], *, seed: int = 0) -> tuple[float, float]:
    """The 95 % interval of the mean of (N,) values by drawing as many of them again; NaN for fewer than two.

    It is too narrow for few values: of normal ones, it contains the true mean in 75 % of cases for three values, in
    83 % for five and in 90 % for ten.

    Source: Efron (1979), the percentile method.
    """
    count = len(values)
    if count < 2:
        return math.nan, math.nan
    generator, draws, at_once = np.random.default_rng(seed), num_draws(count), max(1, CHUNK // count)
    means = [
        values[generator.integers(count, size=(min(at_once, draws - done), count))].mean(axis=1)
        for done in range(0, draws, at_once)
    ]
    low, high = np.quantile(np.concatenate(means), ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return float(low), float(high)


def num_draws(n: int) -> int:
    """The number of bootstrap samples of n rows."""
    return max(FEWEST_DRAWS, min(DRAWS, DRAWN_ROWS // max(n, 1)))
