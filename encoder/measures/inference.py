"""Every interval, test and correction of the program, at 95 % and at 5 % unless a docstring gives another rate.

- Means and their differences have Student's t interval and test, shares Wilson's interval, their differences that of
  Agresti and Min, and other numbers from 0 to 1 Wilson's of as many independent rows as vary as much.
- Shares of two groups are compared by Fisher's exact test, other numbers by their ranks, two models by McNemar's test.
- A p of shuffles is (1 + shuffles that reach the value) / (1 + shuffles), which holds its level for any number of them.
- Where several things were tried, p is corrected: by Holm's method, or by the largest value of each shuffle.

Fewer than `FEWEST` values have no interval and no t test. tests/encoder/measures/test_inference.py simulates how often
an interval holds the truth, and how often a test finds what is not there, for 3 to 300 values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from encoder.errors import ShapeError

Numbers = NDArray[np.floating[Any]]

CONFIDENCE: Final = 0.95
LEVEL: Final = 0.05  # a corrected p below it is called clear
FEWEST: Final = 5  # values of an interval or a t test
FEWEST_UNLIKE: Final = 3  # rows by which it is estimated how much rows differ
ENDS: Final = ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)
DRAWN_VALUES: Final = 20_000_000  # in all shuffles or samples together
FEWEST_DRAWS: Final = 199  # shuffles or samples
MOST_SHUFFLES: Final = 4_999
ROUNDING: Final = 1e-9  # of sums of the same numbers in another order
SEED: Final = 0  # of shuffles and samples
FEWEST_OF_BOOTSTRAP: Final = 30  # rows
MOST_SAMPLES: Final = 999  # of them, by a bootstrap
CHUNK: Final = 4_000_000  # numbers in memory at a time
NUMBERS_AT_ONCE: Final = 20_000  # of small shuffles: one by one they take three to eight times as long


class Interval(NamedTuple):
    """A number with its 95 % interval, from `n` rows; NaN where the rows do not determine it."""

    value: float
    low: float
    high: float
    n: int


NOTHING: Final = Interval(math.nan, math.nan, math.nan, 0)  # from no rows


def is_clear(p: float) -> bool:
    """Whether a p, corrected for all that was tried, is below `LEVEL`."""
    return p < LEVEL


def wilson_interval(
    right: float, n: float, confidence: float = CONFIDENCE, *, quantile: float | None = None
) -> tuple[float, float]:
    """Wilson's interval of the share `right` / n, which is not empty where all are right, or none; 0 to 1 for n = 0.

    Args:
        quantile: half-width in standard errors; None for that of a normal distribution.
    Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.
    """
    if n == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2) if quantile is None else quantile
    share = right / n
    middle = share + z * z / (2 * n)
    reach = z * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    scale = 1 + z * z / n
    # At 0 and 1 the bound equals the share up to rounding.
    return max(min((middle - reach) / scale, share), 0.0), min(max((middle + reach) / scale, share), 1.0)


def share(right: int, n: int) -> Interval:
    """A share with Wilson's interval."""
    return Interval(right / n, *wilson_interval(right, n), n) if n else NOTHING


def effective_share(
    value: float, variance: float, n: int, *, most: float | None = None, estimated_from: int | None = None
) -> Interval:
    """A number from 0 to 1 whose variance is estimated: Wilson's interval of as many rows as would vary as much.

    From five to ten rows, the interval errs on the wide side: it holds in up to 98 %.

    Args:
        variance: of the number, not of a row.
        most: how many rows it can stand for, at most; None for n.
        estimated_from: the rows that the variance was estimated from; None for n.
    Source: Dean and Pagano (2015), Evaluating confidence interval methods for binomial proportions in clustered
        surveys.
    """
    if n < FEWEST or not math.isfinite(value):
        return Interval(value, math.nan, math.nan, n)
    limit = n if most is None else most
    rows = min(value * (1 - value) / variance, limit) if variance > 0 else limit
    quantile = _t_quantile(n if estimated_from is None else estimated_from, CONFIDENCE)
    return Interval(value, *wilson_interval(value * rows, rows, quantile=quantile), n)


def mean(values: ArrayLike, *, least: float = -math.inf, most: float = math.inf) -> Interval:
    """The mean of (N,) numbers with Student's t interval.

    For skewed numbers it holds less often: for exponential ones in 87, 90, 93 and 95 % of 5, 10, 30 and 300. Equal
    numbers have none: they do not say how far others are from them.

    Args:
        least, most: of the numbers that are possible, which an interval does not pass.
    """
    numbers = np.asarray(values, np.float64)
    n = len(numbers)
    value = float(numbers.mean()) if n else math.nan
    varies = n >= FEWEST and np.ptp(numbers) > 0
    found = _around(value, float(numbers.var(ddof=1)) / n if varies else math.nan, n)
    return found._replace(low=max(found.low, least), high=min(found.high, most))


def mean_from_sums(n: int, total: float, squares: float, *, confidence: float = CONFIDENCE) -> Interval:
    """The same from the sums of the numbers and of their squares."""
    value = total / n if n else math.nan
    variance = max(squares / n - value * value, 0.0) / (n - 1) if n >= FEWEST else math.nan
    return _around(value, variance, n, confidence)


def difference_of_shares(only_first: int, only_second: int, n: int) -> Interval:
    """How much more often the second of two things holds in the same n rows, by the rows in which one alone does.

    The interval is as if there were half a row more of each kind. With few rows it errs on the wide side.

    Source: Agresti and Min (2005), Simple improved confidence intervals for comparing matched proportions.
    """
    if n < FEWEST:
        return Interval((only_second - only_first) / n if n else math.nan, math.nan, math.nan, n)
    rows, difference = n + 2, only_second - only_first
    variance = (only_first + only_second + 1 - difference * difference / rows) / rows**2
    reach = NormalDist().inv_cdf(ENDS[1]) * variance**0.5
    middle = difference / rows
    return Interval(difference / n, max(middle - reach, -1.0), min(middle + reach, 1.0), n)


def _around(value: float, variance: float, n: int, confidence: float = CONFIDENCE) -> Interval:
    """Student's t interval; `variance` is the value's own."""
    reach = _t_quantile(n, confidence) * variance**0.5 if n >= FEWEST else math.nan
    return Interval(value, value - reach, value + reach, n)


def _t_quantile(n: int, confidence: float) -> float:
    from scipy.special import stdtrit  # takes a moment

    return float(stdtrit(n - 1, (1 + confidence) / 2))


def ratio(numerators: ArrayLike, denominators: ArrayLike) -> Interval:
    """The sum of (N,) numbers over the sum of others, such as right words over words. Raises ShapeError.

    While hardly a row is unlike the others, nothing shows that the words of a row differ: it then counts as one.

    Source: Cochran (1977), Sampling Techniques, section 6.3, for the variance.
    """
    above, below = np.asarray(numerators, np.float64), np.asarray(denominators, np.float64)
    check_rows(above, below)
    n = len(above)
    value = float(above.sum() / below.sum()) if n else math.nan
    variance = float(((above - value * below) / below.mean()).var(ddof=1)) / n if n >= FEWEST else math.nan
    if ((above >= 0) & (above <= below)).all():
        unlike = min(np.count_nonzero(above), np.count_nonzero(above < below))
        return effective_share(value, variance, n, most=float(below.sum()) if unlike >= FEWEST_UNLIKE else n)
    return _around(value, variance, n)


def auc(scores: ArrayLike, positive: ArrayLike) -> Interval:
    """Area under the ROC curve: how often a positive row scores higher than a negative one, ties counted half.

    Without an interval below `FEWEST` rows of either kind.

    Args:
        scores: (N,).
        positive: (N,) whether each row is positive.
    Raises:
        ShapeError: the numbers of rows differ.
    Source: DeLong, DeLong and Clarke-Pearson (1988) for the variance.
    """
    from scipy.stats import rankdata

    values, is_positive = np.asarray(scores), np.asarray(positive, bool)
    check_rows(values, is_positive)
    own, others = values[is_positive], values[~is_positive]
    if not (len(own) and len(others)):
        return Interval(math.nan, math.nan, math.nan, len(values))
    ranks = rankdata(values)
    above = (ranks[is_positive] - rankdata(own)) / len(others)  # the share of negative rows below each positive one
    below = 1 - (ranks[~is_positive] - rankdata(others)) / len(own)
    if min(len(own), len(others)) < FEWEST:
        return Interval(float(above.mean()), math.nan, math.nan, len(values))
    variance = float(above.var(ddof=1) / len(own) + below.var(ddof=1) / len(others))
    fewer = min(len(own), len(others))
    return effective_share(float(above.mean()), variance, len(values), most=2 * fewer, estimated_from=fewer)


def rank_correlation_interval(predicted: ArrayLike, gold: ArrayLike) -> Interval:
    """Spearman's rank correlation of (N,) numbers; ties have their mean rank. Raises ShapeError.

    From five rows, the interval errs on the wide side: it holds in 98 %.

    Source: Bonett and Wright (2000), Sample size requirements for estimating Pearson, Kendall and Spearman
        correlations.
    """
    from scipy.stats import spearmanr

    values, own = np.asarray(predicted, np.float64), np.asarray(gold, np.float64)
    check_rows(values, own)
    n = len(values)
    if n < 2 or not (np.ptp(values) and np.ptp(own)):
        return Interval(math.nan, math.nan, math.nan, n)
    value = float(spearmanr(values, own).statistic)
    if n < FEWEST:
        return Interval(value, math.nan, math.nan, n)
    step = 6 / (n * (n * n - 1))  # half of that from equal ranks to the next order
    inside = min(max(value, step - 1), 1 - step)
    reach = NormalDist().inv_cdf(ENDS[1]) * math.sqrt((1 + inside * inside / 2) / (n - 3))
    low, high = (math.tanh(math.atanh(inside) + side * reach) for side in (-1, 1))
    return Interval(value, min(low, value), max(high, value), n)


def bootstrap(statistic: Callable[[Numbers], Numbers], n: int) -> Interval:
    """A statistic of N rows that has no formula, and quantiles of samples of these rows; none below 30.

    Args:
        statistic: takes (S, N) counts of the rows in samples, and returns (S,).
    Source: Efron (1979), the percentile method.
    """
    if not n:
        return NOTHING
    value = float(statistic(np.ones((1, n)))[0])
    if n < FEWEST_OF_BOOTSTRAP:
        return Interval(value, math.nan, math.nan, n)
    rng, draws, step = np.random.default_rng(SEED), num_samples(n), max(1, CHUNK // n)
    samples = [
        statistic(rng.multinomial(n, np.full(n, 1 / n), size=min(step, draws - first)).astype(np.float64))
        for first in range(0, draws, step)
    ]
    low, high = np.quantile(np.concatenate(samples), ENDS)
    return Interval(value, float(low), float(high), n)


def num_samples(n: int) -> int:
    """The number of bootstrap samples of n rows: fewer of many, whose intervals are narrow."""
    return _draws(n, MOST_SAMPLES)


def _draws(n: int, most: int) -> int:
    return max(FEWEST_DRAWS, min(most, DRAWN_VALUES // max(n, 1)))


def p_of_mean(values: ArrayLike) -> float:
    """The two-sided p of Student's t test that the mean of (N,) numbers is 0.

    NaN below `FEWEST`, and for equal numbers other than 0, which do not say how far others are from them.
    """
    found = mean(values)
    if found.n < FEWEST:
        return math.nan
    from scipy.special import stdtr

    spread = (found.high - found.value) / _t_quantile(found.n, CONFIDENCE)
    if math.isnan(spread) or spread == 0:
        return 1.0 if found.value == 0 else math.nan
    return float(2 * stdtr(found.n - 1, -abs(found.value) / spread))


def p_of_groups(inside: Numbers, outside: Numbers) -> float:
    """The two-sided p that two groups of numbers differ: by Fisher's exact test if all are 0 or 1, else by their ranks.

    Source: Fisher (1934); Mann and Whitney (1947).
    """
    if np.isin(np.concatenate([inside, outside]), (0, 1)).all():
        return p_of_shares(*(share(int(numbers.sum()), len(numbers)) for numbers in (inside, outside)))
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(inside, outside).pvalue)


def p_of_shares(first: Interval, second: Interval) -> float:
    """The two-sided p of Fisher's exact test that two shares differ."""
    from scipy.stats import fisher_exact

    table = [[round(each.value * each.n), each.n - round(each.value * each.n)] for each in (first, second)]
    return float(fisher_exact(table).pvalue)


def p_of_coins(first: int, second: int) -> float:
    """The two-sided chance of a split at least as uneven, of fair coins: McNemar's exact test of two models.

    Source: McNemar (1947), Note on the sampling error of the difference between correlated proportions.
    """
    from scipy.stats import binomtest

    return float(binomtest(first, first + second).pvalue) if first + second else 1.0


def p_of_count(count: int, n: int, rate: float) -> float:
    """The chance that so many of n things stand out, or more, where each does at a rate and alone."""
    from scipy.stats import binomtest

    return float(binomtest(count, n, rate, alternative="greater").pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values after Holm's correction, in their order: it bounds the chance of any false finding among them.

    Source: Holm (1979), A simple sequentially rejective multiple test procedure.
    """
    order = np.argsort(p_values)
    steps = np.arange(len(order), 0, -1) * np.asarray(p_values)[order]
    corrected = np.empty(len(order))
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return [float(p) for p in corrected]


def p_of_shuffles(reached: Any, shuffles: int) -> Any:
    """The p of values that so many of the shuffles reach; a number, or an array of them.

    Source: Phipson and Smyth (2010), Permutation P-values Should Never Be Zero.
    """
    return (1 + reached) / (1 + shuffles)


def p_of_largest_means(rows: ArrayLike, *, shuffles: int) -> Numbers:
    """Corrected p of each row's mean: how often the largest mean of all rows reaches it, each column being shuffled.

    Args:
        rows: (N, P).
    Returns:
        (N,) in (0, 1].
    Source: Westfall and Young (1993), Resampling-Based Multiple Testing; Nichols and Holmes (2002).
    """
    numbers, generator = np.asarray(rows, np.float64), np.random.default_rng(SEED)
    limit = numbers.mean(1) - ROUNDING
    at_once = max(1, NUMBERS_AT_ONCE // numbers.size)
    reached = np.zeros(len(numbers))
    for start in range(0, shuffles, at_once):
        copies = np.repeat(numbers[:, None], min(at_once, shuffles - start), axis=1)  # (N, S, P)
        largest = generator.permuted(copies, axis=0, out=copies).mean(2).max(0)  # (S,)
        reached += (largest[:, None] >= limit).sum(0)
    return np.asarray(p_of_shuffles(reached, shuffles))


class ShuffledTotals(NamedTuple):
    """What the totals of W forms would be if the values of each row were shuffled among its places.

    Attributes:
        centre, spread: (W,) exact mean and standard deviation of each total.
        p: (W,) corrected p of each total, which is how often some form stands as far above its mean, in its standard
            deviations; NaN of forms that are not compared.
    """

    centre: Numbers
    spread: Numbers
    p: Numbers


def shuffled_totals(
    values: Numbers, row: NDArray[np.intp], form: NDArray[np.intp], compared: NDArray[np.bool_]
) -> ShuffledTotals:
    """Compare the total of each form's values with those of shuffles.

    Args:
        values, row, form: (M,) a value, the row that it is in, ascending, and the form that has it.
        compared: (W,) which forms are tested.
    Source: Cochran (1977), section 2.5, for the mean and variance of a sample of a row; Westfall and Young (1993).
    """
    numbers, size = np.asarray(values, np.float64), len(compared)
    counts = np.maximum(np.bincount(row), 1)  # (N,)
    means = np.bincount(row, numbers) / counts
    variances = np.bincount(row, (numbers - means[row]) ** 2) / counts
    pairs, taken = np.unique(row * size + form, return_counts=True)
    of_row, of_form = np.divmod(pairs, size)
    left = taken * (counts[of_row] - taken) / np.maximum(counts[of_row] - 1, 1)
    centre = np.asarray(np.bincount(of_form, taken * means[of_row], size), np.float64)
    spread = np.sqrt(np.bincount(of_form, left * variances[of_row], size))
    tested = compared & (spread > ROUNDING * np.abs(numbers).max(initial=0))
    p = np.where(compared, 1.0, np.nan)
    if tested.any():
        totals = np.bincount(form, numbers, size)
        own = ((totals - centre)[tested] / spread[tested]) - ROUNDING
        generator, reached = np.random.default_rng(SEED), np.zeros(len(own))
        shuffles = _draws(len(numbers), MOST_SHUFFLES)
        for _ in range(shuffles):
            order = np.argsort(row + generator.random(len(row)))  # rows stay together
            shuffled = np.bincount(form, numbers[order], size)
            reached += ((shuffled - centre)[tested] / spread[tested]).max() >= own
        p[tested] = p_of_shuffles(reached, shuffles)
    return ShuffledTotals(centre, spread, p)


def check_rows(first: NDArray[Any], second: NDArray[Any]) -> None:
    """Raise ShapeError unless two arrays have the same shape."""
    if first.shape != second.shape:
        raise ShapeError(f"{len(first)} rows are compared with {len(second)}: both need one number for each row.")
