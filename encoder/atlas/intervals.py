"""95 % intervals, of means over sentences and of shares of examples."""

from __future__ import annotations

from statistics import NormalDist

CONFIDENCE = 0.95


def normal_quantile(confidence: float) -> float:
    """How many standard errors an interval reaches to each side: 1.96 for 0.95."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def mean_interval(n: int, total: float, squares: float) -> tuple[float, float, float] | None:
    """The mean of n values and its 95 % interval, from their sum and the sum of their squares; None below 2 values."""
    if n < 2:
        return None
    mean = total / n
    variance = max(squares / n - mean * mean, 0.0) * n / (n - 1)
    reach = normal_quantile(CONFIDENCE) * (variance / n) ** 0.5
    return mean, mean - reach, mean + reach


def wilson_interval(right: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The interval of a share `right` / n. Source: Wilson (1927)."""
    if n == 0:
        return 0.0, 1.0
    z = normal_quantile(confidence)
    share = right / n
    middle = share + z * z / (2 * n)
    reach = z * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    scale = 1 + z * z / n
    # At 0 and 1 the bound is the share itself, but for rounding.
    return max(min((middle - reach) / scale, share), 0.0), min(max((middle + reach) / scale, share), 1.0)
