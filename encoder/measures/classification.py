"""How right a model is on labelled rows: shares, F1, calibration, AUC, errors of scores, slices and two models.

Every number has an interval and the count that it is from. Intervals of shares and of a class's F1 are Wilson's. All
others are quantiles of bootstrap samples of the rows with a fixed seed: from fewer than ten rows they are too narrow.
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
FEWEST_IN_BIN: Final = 5  # rows, of scores


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


def cell_shares(confusion: NDArray[np.integer[Any]]) -> list[list[Interval]]:
    """Of the rows of each own class, the share that gets each class: (C, C) with Wilson's intervals."""
    counts = np.asarray(confusion, np.int64)
    return [[share(int(count), int(row.sum())) for count in row] for row in counts]


@dataclass(frozen=True, slots=True, eq=False)
class ClassScores:
    """Each of C classes or labels: how well it is found.

    Attributes:
        precision: of each, TP / (TP + FP); `n` counts the rows that get it.
        recall: of each, TP / (TP + FN); `n` counts the rows that have it.
        f1: of each, 2 TP / (2 TP + FP + FN); `n` counts the rows that have it. NaN where no row has or gets it.
        macro_f1: the mean over the classes that a row has or gets.
    """

    precision: tuple[Interval, ...]
    recall: tuple[Interval, ...]
    f1: tuple[Interval, ...]
    macro_f1: Interval


def class_scores(confusion: NDArray[np.integer[Any]], *, seed: int = 0) -> ClassScores:
    """Precision, recall and F1 of each class, from a confusion matrix (C, C)."""
    counts = np.asarray(confusion, np.int64)
    own, found = np.nonzero(counts)
    classes = np.arange(len(counts))
    return _scores(counts[own, found], own[:, None] == classes, found[:, None] == classes, seed=seed)


def label_scores(gold: ArrayLike, predicted: ArrayLike, *, seed: int = 0) -> ClassScores:
    """Precision, recall and F1 of each label, of rows that may have several.

    Args:
        gold, predicted: (N, C) whether a row has, or gets, each label.
    Raises:
        ShapeError: the shapes differ.
    """
    own, found = np.asarray(gold, bool), np.asarray(predicted, bool)
    _check_rows(own, found)
    kinds, counts = np.unique(np.concatenate([own, found], axis=1), axis=0, return_counts=True)
    num_labels = own.shape[1]
    return _scores(counts, kinds[:, :num_labels], kinds[:, num_labels:], seed=seed)


def _scores(cells: Indices, is_own: NDArray[np.bool_], is_found: NDArray[np.bool_], *, seed: int) -> ClassScores:
    """The scores of C classes from K kinds of rows: how many are of each, and which classes (K, C) it has and gets."""
    hits, either = (is_own & is_found).astype(np.float64), is_own.astype(np.float64) + is_found

    def f1_of(drawn: Numbers) -> Numbers:
        with np.errstate(invalid="ignore"):
            return np.asarray(2 * (drawn @ hits) / (drawn @ either))  # (S, C)

    sampled = [f1_of(drawn) for drawn in _drawn_cells(cells, seed=seed)] if len(cells) else []
    samples = np.concatenate(sampled) if sampled else np.full((1, is_own.shape[1]), np.nan)
    values = f1_of(cells[None].astype(np.float64))[0]
    right, rows, gets = (np.asarray(cells @ each, np.int64).tolist() for each in (hits, is_own, is_found))
    return ClassScores(
        precision=tuple(share(hit, n) for hit, n in zip(right, gets, strict=True)),
        recall=tuple(share(hit, n) for hit, n in zip(right, rows, strict=True)),
        f1=tuple(_f1(hit, n + got - hit, n) for hit, n, got in zip(right, rows, gets, strict=True)),
        macro_f1=_interval(_mean(values), [_mean(row) for row in samples], int(cells.sum())),
    )


def _f1(right: int, either: int, rows: int) -> Interval:
    """F1 of a class that `right` rows have and get, and `either` have or get; `rows` have it.

    F1 is 2J / (1 + J) of the share J = `right` / `either`. It rises with J, so the ends of J's interval become its own.
    """
    value, low, high = (2 * each / (1 + each) for each in share(right, either)[:3])
    return Interval(value, low, high, rows)


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Whether rows with a probability of p are right in a share p of the cases, or whether scores equal the labels.

    Attributes:
        edges: (B + 1,) of the bins.
        confidence: (B,) mean probability or score in a bin, NaN of an empty one.
        accuracy: of each bin: the share that is right, or the mean label; `n` counts decisions.
        error: expected calibration error: the mean of |accuracy - confidence|; `n` counts rows.
        by_chance: the 5 % and the 95 % quantile of this error for a perfectly calibrated model on as many rows.
        excess: the mean of confidence - accuracy: above 0 where the model is too sure, or its score too high.
    """

    edges: Numbers
    confidence: Numbers
    accuracy: tuple[Interval, ...]
    error: Interval
    by_chance: tuple[float, float]
    excess: Interval


def calibration(
    confidence: ArrayLike, correct: ArrayLike, *, trials: ArrayLike = 1, bins: int = BINS, seed: int = 0
) -> Calibration:
    """Calibration in bins of equal width.

    Args:
        confidence: (N,) probability of each row's prediction, or (N, K) those of K decisions about each row.
        correct: as many: whether it is right, or the share of its trials that are right.
        trials: decisions that each of them stands for, such as the words of a row.
    Raises:
        ShapeError: the numbers of rows differ.
    Source: Guo et al. (2017), On calibration of modern neural networks, equation 3.
    """
    shares, right = np.asarray(confidence, np.float64), np.asarray(correct, np.float64)
    _check_rows(shares, right)
    times = np.broadcast_to(np.asarray(trials, np.int64), shares.shape)
    edges = np.linspace(0, 1, bins + 1)
    bin_of = np.clip(np.ceil(shares * bins).astype(int) - 1, 0, bins - 1)  # bins are open on the left
    rng = np.random.default_rng(seed)

    def hits_by_chance() -> Numbers:
        if (times == 1).all():
            return (rng.random(shares.shape) < shares).astype(np.float64)
        return rng.binomial(times, shares).astype(np.float64)

    means, hits, counts = _binned(bin_of, bins, shares * times, right * times, times)
    accuracy = tuple(share(round(hit), round(count)) for hit, count in zip(hits, counts, strict=True))
    gaps = (right - shares) * times
    return _calibration(
        edges, means, accuracy, gaps, times, bin_of, chance=lambda: hits_by_chance() - shares * times, seed=seed
    )


def score_calibration(scores: ArrayLike, gold: ArrayLike, *, bins: int = BINS, seed: int = 0) -> Calibration:
    """Whether rows with a score of s have a label of s on average, in bins of as many rows each.

    By chance, the signs of what the labels differ from the mean of their bin by are drawn again.

    Args:
        scores, gold: (N,) numbers.
        bins: fewer where a bin would have fewer than `FEWEST_IN_BIN` rows.
    Raises:
        ShapeError: the numbers of rows differ.
    """
    values, own = np.asarray(scores, np.float64), np.asarray(gold, np.float64)
    _check_rows(values, own)
    bins = min(bins, max(len(values) // FEWEST_IN_BIN, 1))
    edges = np.unique(np.quantile(values, np.linspace(0, 1, bins + 1))) if len(values) else np.zeros(2)
    if len(edges) == 1:  # all scores are equal
        edges = np.repeat(edges, 2)
    bins = len(edges) - 1
    bin_of = np.searchsorted(edges[1:-1], values)
    times = np.ones(len(values), np.int64)
    means, sums, counts = _binned(bin_of, bins, values, own, times)
    rest = own - (sums / np.maximum(counts, 1))[bin_of]
    rest *= np.sqrt(counts / np.maximum(counts - 1, 1))[bin_of]
    accuracy = tuple(mean(own[bin_of == index], seed=seed) for index in range(bins))
    rng = np.random.default_rng(seed)
    return _calibration(
        edges,
        means,
        accuracy,
        own - values,
        times,
        bin_of,
        chance=lambda: rest * rng.choice((-1, 1), len(rest)),
        seed=seed,
    )


def _binned(
    bin_of: Indices, bins: int, said: Numbers, right: Numbers, times: Indices
) -> tuple[Numbers, Numbers, Numbers]:
    """(B,) the mean of what is said in each bin, the sum of what is right, and the decisions."""
    sums, hits, counts = (
        np.asarray(np.bincount(bin_of.ravel(), each.ravel(), bins), np.float64) for each in (said, right, times)
    )
    with np.errstate(invalid="ignore"):
        return sums / counts, hits, counts


def _calibration(
    edges: Numbers,
    means: Numbers,
    accuracy: tuple[Interval, ...],
    gaps: Numbers,
    times: Indices,
    bin_of: Indices,
    *,
    chance: Callable[[], Numbers],
    seed: int,
) -> Calibration:
    """The calibration from each decision's gap between what is right and what is said; `chance` draws such gaps.

    The error cannot be negative, so that samples of rows raise it. Its interval begins as far below it as the samples
    reach above it, and at 0 where chance explains it.
    """
    n, bins = len(gaps), len(accuracy)
    if not n:
        nothing = share(0, 0)
        return Calibration(edges, means, accuracy, nothing, (math.nan, math.nan), nothing)
    rows = np.broadcast_to(np.arange(n).reshape(-1, *[1] * (gaps.ndim - 1)), gaps.shape)
    of_rows = np.bincount((rows * bins + bin_of).ravel(), gaps.ravel(), n * bins).reshape(n, bins)  # (N, B)
    decisions = times.reshape(n, -1).sum(axis=1)  # (N,)

    def error_of(drawn: Numbers) -> Numbers:
        return np.asarray(np.abs(drawn @ of_rows).sum(axis=1) / (drawn @ decisions))

    total = decisions.sum()
    by_chance = [
        np.abs(np.bincount(bin_of.ravel(), chance().ravel(), bins)).sum() / total for _ in range(num_draws(gaps.size))
    ]
    low, high = (float(each) for each in np.quantile(by_chance, (0.05, 0.95)))
    error = _bootstrapped(error_of, n, seed=seed)
    begin = 0.0 if error.value <= high else max(2 * error.value - error.high, 0.0)
    excess = ratio(-of_rows.sum(axis=1), decisions, seed=seed)
    return Calibration(edges, means, accuracy, error._replace(low=begin), (low, high), excess)


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
