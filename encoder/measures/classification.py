"""How right a model is on labelled rows: shares, F1, calibration, AUC, errors of scores, slices and two models.

Every number has an interval and the count that it is from. Intervals of shares are Wilson's, all others are quantiles
of bootstrap samples of the rows, drawn with a fixed seed: from fewer than ten rows they are too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from encoder.errors import ShapeError
from encoder.measures.intervals import CHUNK, CONFIDENCE, bootstrap_interval, num_draws, wilson_interval

Numbers = NDArray[np.floating[Any]]
Indices = NDArray[np.integer[Any]]

BINS: Final = 10


class Interval(NamedTuple):
    """A number with its 95 % interval, from `n` rows; NaN where the rows do not determine it."""

    value: float
    low: float
    high: float
    n: int


def share(right: int, n: int) -> Interval:
    """A share with Wilson's interval."""
    return Interval(right / n, *wilson_interval(right, n), n) if n else Interval(math.nan, math.nan, math.nan, 0)


def confusion_matrix(gold: ArrayLike, predicted: ArrayLike, num_classes: int) -> NDArray[np.int64]:
    """Counts of rows by their own class and the predicted one.

    Args:
        gold, predicted: (N,) indices of classes.
    Returns:
        (C, C), own class by predicted class.
    Raises:
        ShapeError: the numbers of rows differ, or an index is no class.
    """
    own, found = np.asarray(gold, np.int64), np.asarray(predicted, np.int64)
    _check_rows(own, found)
    if own.size and (min(own.min(), found.min()) < 0 or max(own.max(), found.max()) >= num_classes):
        raise ShapeError(f"Classes are numbered from 0 to {num_classes - 1}; a row has another one.")
    cells = np.bincount(own * num_classes + found, minlength=num_classes**2)
    return cells.reshape(num_classes, num_classes)


@dataclass(frozen=True, slots=True, eq=False)
class ClassScores:
    """Each of C classes: how well it is found.

    Attributes:
        precision, recall: (C,); NaN where no row is predicted, or has, the class.
        f1: of each class, 2 TP / (2 TP + FP + FN); `n` counts its own rows. NaN where no row has or gets it.
        macro_f1: the mean over the classes that a row has or gets.
    """

    precision: Numbers
    recall: Numbers
    f1: tuple[Interval, ...]
    macro_f1: Interval


def class_scores(confusion: NDArray[np.integer[Any]], *, seed: int = 0) -> ClassScores:
    """Precision, recall and F1 of each class, from a confusion matrix (C, C)."""
    counts = np.asarray(confusion, np.int64)
    total = int(counts.sum())
    own, found = np.nonzero(counts)
    cells = counts[own, found]  # (K,)
    classes = np.arange(len(counts))
    is_own, is_found = own[:, None] == classes, found[:, None] == classes  # (K, C)
    hits, either = (is_own & is_found).astype(np.float64), is_own.astype(np.float64) + is_found

    def f1_of(drawn: Numbers) -> Numbers:
        with np.errstate(invalid="ignore"):
            return np.asarray(2 * (drawn @ hits) / (drawn @ either))  # (S, C)

    sampled = [f1_of(drawn) for drawn in _drawn_cells(cells, seed=seed)] if total else []
    samples = np.concatenate(sampled) if sampled else np.full((1, len(counts)), np.nan)
    values = f1_of(cells[None].astype(np.float64))[0]
    rows = counts.sum(axis=1)
    with np.errstate(invalid="ignore"):
        precision, recall = np.diag(counts) / counts.sum(axis=0), np.diag(counts) / rows
    return ClassScores(
        precision=precision,
        recall=recall,
        f1=tuple(_interval(value, column, int(n)) for value, column, n in zip(values, samples.T, rows, strict=True)),
        macro_f1=_interval(_mean(values), [_mean(row) for row in samples], total),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Whether rows with a probability of p are right in a share p of the cases.

    Attributes:
        edges: (B + 1,) of the bins.
        confidence: (B,) mean probability of a bin's rows, NaN of an empty one.
        accuracy: of each bin.
        error: expected calibration error: the mean of |accuracy - confidence| over the rows.
        by_chance: the 5 % and the 95 % quantile of this error for a perfectly calibrated model on as many rows.
    """

    edges: Numbers
    confidence: Numbers
    accuracy: tuple[Interval, ...]
    error: Interval
    by_chance: tuple[float, float]


def calibration(confidence: ArrayLike, correct: ArrayLike, *, bins: int = BINS, seed: int = 0) -> Calibration:
    """Calibration in bins of equal width.

    Args:
        confidence: (N,) probability of each row's predicted class.
        correct: (N,) whether it is right.
    Raises:
        ShapeError: the numbers of rows differ.
    Source: Guo et al. (2017), On calibration of modern neural networks, equation 3.
    """
    shares, right = np.asarray(confidence, np.float64), np.asarray(correct, np.float64)
    _check_rows(shares, right)
    edges = np.linspace(0, 1, bins + 1)
    bin_of = np.clip(np.ceil(shares * bins).astype(int) - 1, 0, bins - 1)  # bins are open on the left
    member = (bin_of[:, None] == np.arange(bins)).astype(np.float64)  # (N, B)
    gaps = member * (right - shares)[:, None]
    n = len(shares)

    def error_of(drawn: Numbers) -> Numbers:
        return np.asarray(np.abs(drawn @ gaps).sum(axis=1) / drawn.sum(axis=1))

    counts, sums = member.sum(axis=0), shares @ member
    with np.errstate(invalid="ignore"):
        means = sums / counts
    rng = np.random.default_rng(seed)
    chance = np.array(
        [np.abs(((rng.random(n) < shares) - shares) @ member).sum() / n for _ in range(num_draws(n))]
        if n
        else [math.nan]
    )
    return Calibration(
        edges=edges,
        confidence=means,
        accuracy=tuple(share(int(hit), int(count)) for hit, count in zip(right @ member, counts, strict=True)),
        error=_bootstrapped(error_of, n, seed=seed),
        by_chance=(float(np.quantile(chance, 0.05)), float(np.quantile(chance, 0.95))),
    )


def auc(scores: ArrayLike, positive: ArrayLike, *, seed: int = 0) -> Interval:
    """Area under the ROC curve: how often a positive row scores higher than a negative one, ties counted half.

    Args:
        scores: (N,).
        positive: (N,) whether each row is positive.
    Raises:
        ShapeError: the numbers of rows differ.
    """
    values, is_positive = np.asarray(scores, np.float64), np.asarray(positive, np.float64)
    _check_rows(values, is_positive)
    ranks = _Ranks(values)

    def area(drawn: Numbers) -> Numbers:
        hits = drawn * is_positive
        found, others = hits.sum(axis=1), (drawn * (1 - is_positive)).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(((hits * ranks.of(drawn)).sum(axis=1) - found * (found + 1) / 2) / (found * others))

    return _bootstrapped(area, len(values), seed=seed)


def mean_absolute_error(predicted: ArrayLike, gold: ArrayLike, *, seed: int = 0) -> Interval:
    """The mean of |predicted - gold| over (N,) rows. Raises ShapeError."""
    values, own = np.asarray(predicted, np.float64), np.asarray(gold, np.float64)
    _check_rows(values, own)
    return mean(np.abs(values - own), seed=seed)


def mean(values: ArrayLike, *, seed: int = 0) -> Interval:
    """The mean of (N,) numbers."""
    numbers = np.asarray(values, np.float64)
    value = float(numbers.mean()) if len(numbers) else math.nan
    return Interval(value, *bootstrap_interval(numbers, seed=seed), len(numbers))


def ratio(numerators: ArrayLike, denominators: ArrayLike, *, seed: int = 0) -> Interval:
    """The sum of (N,) numbers over the sum of others, such as right words over words. Raises ShapeError."""
    above, below = np.asarray(numerators, np.float64), np.asarray(denominators, np.float64)
    _check_rows(above, below)
    return _bootstrapped(lambda drawn: np.asarray(drawn @ above / (drawn @ below)), len(above), seed=seed)


def rank_correlation_interval(predicted: ArrayLike, gold: ArrayLike, *, seed: int = 0) -> Interval:
    """Spearman's rank correlation of (N,) numbers; ties have their mean rank. Raises ShapeError."""
    values, own = np.asarray(predicted, np.float64), np.asarray(gold, np.float64)
    _check_rows(values, own)
    first, second = _Ranks(values), _Ranks(own)

    def correlation(drawn: Numbers) -> Numbers:
        centre = (drawn.sum(axis=1, keepdims=True) + 1) / 2  # the mean rank
        x, y = first.of(drawn) - centre, second.of(drawn) - centre
        with np.errstate(invalid="ignore", divide="ignore"):
            squares = (drawn * x * x).sum(axis=1) * (drawn * y * y).sum(axis=1)
            return np.asarray((drawn * x * y).sum(axis=1) / np.sqrt(squares))

    return _bootstrapped(correlation, len(values), seed=seed)


@dataclass(frozen=True, slots=True)
class Slice:
    """Some of the rows, compared with all others.

    Attributes:
        name: of the slice.
        inside: mean of its rows; a share if the values are 0 and 1.
        outside: mean of the other rows.
        p: of the difference, two-sided.
        corrected: the same after Holm's correction for all slices that were tried.
    """

    name: str
    inside: Interval
    outside: float
    p: float
    corrected: float


def slices(values: ArrayLike, members: Sequence[tuple[str, NDArray[np.bool_]]], *, seed: int = 0) -> list[Slice]:
    """Compare slices of the rows with the rest, the smallest p first.

    Shares are compared by Fisher's exact test, other means by the normal approximation of a random subset's mean.

    Args:
        values: (N,) of the rows, such as 1 where the model is right, and 0 elsewhere.
        members: name of each slice, and which rows (N,) are in it.
    Returns:
        Those that hold some rows, and not all.
    """
    numbers = np.asarray(values, np.float64)
    is_share = bool(np.isin(numbers, (0, 1)).all())
    found = []
    for name, rows in members:
        _check_rows(numbers, rows)
        inside, outside = numbers[rows], numbers[~rows]
        if not (len(inside) and len(outside)):
            continue
        p = _fisher(inside, outside) if is_share else _p_of_subset(numbers, inside)
        value = share(int(inside.sum()), len(inside)) if is_share else mean(inside, seed=seed)
        found.append(Slice(name, value, float(outside.mean()), p, 1.0))
    corrected = holm([each.p for each in found])
    done = [replace(each, corrected=p) for each, p in zip(found, corrected, strict=True)]
    return sorted(done, key=lambda each: each.p)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values after Holm's correction, in their order: it bounds the chance of any false finding among them.

    Source: Holm (1979), A simple sequentially rejective multiple test procedure.
    """
    order = np.argsort(p_values, kind="stable")
    steps = np.arange(len(order), 0, -1) * np.asarray(p_values, np.float64)[order]
    corrected = np.empty(len(order))
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return [float(p) for p in corrected]


def _fisher(inside: Numbers, outside: Numbers) -> float:
    """The two-sided p of Fisher's exact test, of numbers that are 0 or 1."""
    from scipy.stats import fisher_exact  # takes a moment

    table = [[int(numbers.sum()), len(numbers) - int(numbers.sum())] for numbers in (inside, outside)]
    return float(fisher_exact(table).pvalue)


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """Two models on the same rows.

    Attributes:
        difference: of their means, the second minus the first.
        only_first, only_second: rows in which one alone is right; None where rows are not right or wrong.
        p: of McNemar's exact test on these; None without them.
    """

    difference: Interval
    only_first: int | None = None
    only_second: int | None = None
    p: float | None = None


def paired_difference(first: ArrayLike, second: ArrayLike, *, seed: int = 0) -> PairedDifference:
    """Compare two models row by row.

    Args:
        first, second: (N,) of each row: 1 where the model is right and 0 elsewhere, or any other number.
    Raises:
        ShapeError: the numbers of rows differ.
    Source: McNemar (1947), Note on the sampling error of the difference between correlated proportions.
    """
    one, other = np.asarray(first, np.float64), np.asarray(second, np.float64)
    _check_rows(one, other)
    difference = mean(other - one, seed=seed)
    if not np.isin((one, other), (0, 1)).all():
        return PairedDifference(difference)
    only_first, only_second = int(((one == 1) & (other == 0)).sum()), int(((one == 0) & (other == 1)).sum())
    return PairedDifference(difference, only_first, only_second, _sign_test(only_first, only_second))


def _sign_test(first: int, second: int) -> float:
    """The two-sided chance of a split at least as uneven, of fair coins."""
    from scipy.stats import binomtest  # takes a moment

    return float(binomtest(first, first + second).pvalue) if first + second else 1.0


def _p_of_subset(values: Numbers, inside: Numbers) -> float:
    """The two-sided chance of a mean as far off in a random subset of this size."""
    n, size = len(values), len(inside)
    spread = float(values.var(ddof=1)) / size * (n - size) / n
    if not spread:
        return 1.0
    return math.erfc(abs(float(inside.mean() - values.mean())) / math.sqrt(2 * spread))


class _Ranks:
    """Mean ranks of numbers in samples of them, which the numbers are sorted once for."""

    def __init__(self, values: Numbers) -> None:
        _, self._group, counts = np.unique(values, return_inverse=True, return_counts=True)
        self._order = np.argsort(self._group, kind="stable")
        self._starts = np.concatenate(([0], np.cumsum(counts)[:-1])).astype(int)

    def of(self, drawn: Numbers) -> Numbers:
        """(S, N) ranks, counted from 1; `drawn` (S, N) is how often each number is in a sample."""
        sizes = np.add.reduceat(drawn[:, self._order], self._starts, axis=1)  # (S, G)
        before = np.cumsum(sizes, axis=1) - sizes
        return np.asarray((before + (sizes + 1) / 2)[:, self._group])


def _bootstrapped(statistic: Callable[[Numbers], Numbers], n: int, *, seed: int) -> Interval:
    """A statistic of N rows and its interval; it takes (S, N) counts of the rows in samples, and returns (S,)."""
    if not n:
        return Interval(math.nan, math.nan, math.nan, 0)
    value = float(statistic(np.ones((1, n)))[0])
    return _interval(value, np.concatenate([statistic(drawn) for drawn in _drawn_rows(n, seed=seed)]), n)


def _interval(value: float, samples: ArrayLike, n: int) -> Interval:
    """Quantiles of the samples that determine the statistic."""
    finite = np.asarray(samples, np.float64)
    finite = finite[np.isfinite(finite)]
    if not (finite.size and math.isfinite(value)):
        return Interval(float(value), math.nan, math.nan, n)
    low, high = np.quantile(finite, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return Interval(float(value), float(low), float(high), n)


def _drawn_rows(n: int, *, seed: int) -> Iterator[Numbers]:
    """How often each of N rows is in each bootstrap sample, (S, N) at a time."""
    rng, draws, step = np.random.default_rng(seed), num_draws(n), max(1, CHUNK // n)
    for first in range(0, draws, step):
        count = min(step, draws - first)
        yield np.stack([np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(count)]).astype(np.float64)


def _drawn_cells(cells: Indices, *, seed: int) -> Iterator[Numbers]:
    """Counts of K cells in bootstrap samples of the rows that they count, (S, K) at a time."""
    rng, n = np.random.default_rng(seed), int(cells.sum())
    draws, step = num_draws(len(cells)), max(1, CHUNK // len(cells))
    for first in range(0, draws, step):
        yield rng.multinomial(n, cells / n, size=min(step, draws - first)).astype(np.float64)


def _mean(values: Numbers) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else math.nan


def _check_rows(first: NDArray[Any], second: NDArray[Any]) -> None:
    if first.shape != second.shape:
        raise ShapeError(f"{len(first)} rows are compared with {len(second)}: both need one number for each row.")
