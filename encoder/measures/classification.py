"""How right a model is on labelled rows: shares, F1, calibration, AUC, errors of scores, slices and two models.

Every number has an interval and the count that it is from, by `encoder.measures.inference`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from encoder.errors import ShapeError
from encoder.measures.inference import (
    NOTHING,
    SEED,
    Interval,
    Numbers,
    bootstrap,
    check_rows,
    difference_of_shares,
    effective_share,
    holm,
    is_clear,
    mean,
    num_samples,
    p_of_coins,
    p_of_groups,
    p_of_mean,
    p_of_shuffles,
    ratio,
    share,
)

Indices = NDArray[np.integer[Any]]

BINS: Final = 10
FEWEST_IN_BIN: Final = 5  # rows, of scores
FEWEST_OF_CLASS: Final = 10  # rows that have or get it, for an interval of the mean F1


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
    check_rows(own, found)
    if own.size and (min(own.min(), found.min()) < 0 or max(own.max(), found.max()) >= num_classes):
        raise ShapeError(f"Classes are numbered from 0 to {num_classes - 1}; a row has another one.")
    cells = np.bincount(own * num_classes + found, minlength=num_classes**2)
    return cells.reshape(num_classes, num_classes)


def cell_shares(confusion: NDArray[np.integer[Any]]) -> list[list[Interval]]:
    """Of the rows of each own class, the share that gets each class: (C, C) with Wilson's intervals."""
    return [[share(count, sum(row)) for count in row] for row in confusion.tolist()]


@dataclass(frozen=True, slots=True, eq=False)
class ClassScores:
    """Each of C classes or labels: how well it is found.

    Attributes:
        precision: of each, TP / (TP + FP); `n` counts the rows that get it.
        recall: of each, TP / (TP + FN); `n` counts the rows that have it.
        f1: of each, 2 TP / (2 TP + FP + FN); `n` counts the rows that have it. NaN where no row has or gets it.
        macro_f1: the mean over the classes that a row has or gets; no interval below `FEWEST_OF_CLASS` rows of one.
    """

    precision: tuple[Interval, ...]
    recall: tuple[Interval, ...]
    f1: tuple[Interval, ...]
    macro_f1: Interval


def class_scores(confusion: NDArray[np.integer[Any]]) -> ClassScores:
    """Precision, recall and F1 of each class, from a confusion matrix (C, C)."""
    own, found = np.nonzero(confusion)
    classes = np.arange(len(confusion))
    return _scores(confusion[own, found], own[:, None] == classes, found[:, None] == classes)


def label_scores(gold: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> ClassScores:
    """Precision, recall and F1 of each label, of rows that may have several.

    Args:
        gold, predicted: (N, C) whether a row has, or gets, each label.
    Raises:
        ShapeError: the shapes differ.
    """
    check_rows(gold, predicted)
    kinds, counts = np.unique(np.concatenate([gold, predicted], axis=1), axis=0, return_counts=True)
    num_labels = gold.shape[1]
    return _scores(counts, kinds[:, :num_labels], kinds[:, num_labels:])


def scores_within_rows(
    gold: NDArray[np.bool_], predicted: NDArray[np.bool_], rows: NDArray[np.integer[Any]]
) -> ClassScores:
    """`label_scores` of D decisions about fewer rows, such as the tags of words: the rows vary, not each decision.

    Args:
        gold, predicted: (D, C) whether a decision should be, or is, each label.
        rows: (D,) the number of its row. Intervals need `FEWEST` rows that have or get the label.
    Raises:
        ShapeError: the shapes differ.
    """
    check_rows(gold, predicted)
    _, row_of = np.unique(rows, return_inverse=True)
    either, hits, own, said = (
        np.stack([np.bincount(row_of, column) for column in each.T], axis=1).astype(np.float64)
        for each in (gold | predicted, gold & predicted, gold, predicted)
    )  # (R, C) each

    def of_rows(above: Numbers, below: Numbers) -> Interval:
        has = below > 0
        return ratio(above[has], below[has])._replace(n=int(below.sum())) if has.any() else NOTHING

    labels = range(gold.shape[1])
    shares = [of_rows(hits[:, label], either[:, label]) for label in labels]
    return ClassScores(
        precision=tuple(of_rows(hits[:, label], said[:, label]) for label in labels),
        recall=tuple(of_rows(hits[:, label], own[:, label]) for label in labels),
        f1=tuple(_f1_of(found, int(own[:, label].sum())) for label, found in enumerate(shares)),
        macro_f1=_macro_f1(np.ones(len(hits), np.int64), 2.0 * hits, own + said),
    )


def _scores(cells: Indices, is_own: NDArray[np.bool_], is_found: NDArray[np.bool_]) -> ClassScores:
    """The scores of C classes from K kinds of rows: how many are of each, and which classes (K, C) it has and gets."""
    right, rows, gets = (np.asarray(cells @ each, np.int64) for each in (is_own & is_found, is_own, is_found))
    return ClassScores(
        precision=tuple(share(hit, n) for hit, n in zip(right.tolist(), gets.tolist(), strict=True)),
        recall=tuple(share(hit, n) for hit, n in zip(right.tolist(), rows.tolist(), strict=True)),
        f1=tuple(map(_f1_of, map(share, right.tolist(), (rows + gets - right).tolist()), rows.tolist())),
        macro_f1=_macro_f1(cells, 2.0 * (is_own & is_found), is_own.astype(np.float64) + is_found),
    )


def _macro_f1(cells: Indices, hits: Numbers, either: Numbers) -> Interval:
    """The mean F1 of the classes that rows have or get, with the variance of its first-order expansion.

    Args:
        hits, either: (K, C) what a row of each kind adds above and below each F1's fraction bar.
    """
    n, below = int(cells.sum()), cells @ either
    counted = below > 0
    if not counted.any():
        return NOTHING
    f1 = (cells @ hits)[counted] / below[counted]
    of_row = ((hits[:, counted] - f1 * either[:, counted]) / below[counted]).mean(axis=1)  # (K,)
    found = effective_share(float(f1.mean()), float(cells @ of_row**2) * n / max(n - 1, 1), n)
    rarest = int((cells @ (either > 0))[counted].min())
    return found if rarest >= FEWEST_OF_CLASS else Interval(found.value, math.nan, math.nan, n)


def _f1_of(found: Interval, rows: int) -> Interval:
    """F1 of a class from the share of those rows that have and get it among those that have or get it.

    F1 is 2J / (1 + J) of that share J. It rises with J, so the ends of J's interval become its own.
    """
    value, low, high = (2 * each / (1 + each) for each in found[:3])
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
        p: how often such a model has as large an error.
        excess: the mean of confidence - accuracy: above 0 where the model is too sure, or its score too high.
    """

    edges: Numbers
    confidence: Numbers
    accuracy: tuple[Interval, ...]
    error: Interval
    by_chance: tuple[float, float]
    p: float
    excess: Interval


def calibration(confidence: ArrayLike, correct: ArrayLike, *, trials: ArrayLike = 1, bins: int = BINS) -> Calibration:
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
    check_rows(shares, right)
    times = np.broadcast_to(np.asarray(trials, np.int64), shares.shape)
    edges = np.linspace(0, 1, bins + 1)
    bin_of = np.clip(np.ceil(shares * bins).astype(int) - 1, 0, bins - 1)  # bins are open on the left
    rng = np.random.default_rng(SEED)

    gaps = (right - shares) * times

    def gaps_by_chance() -> Numbers:
        if shares.ndim == 1 and (times == 1).all():
            return (rng.random(shares.shape) < shares) - shares
        # The decisions about a row depend on each other: its gaps change their signs together.
        return gaps * rng.choice((-1.0, 1.0), (len(gaps), *[1] * (gaps.ndim - 1)))

    means, hits, counts = _binned(bin_of, bins, shares * times, right * times, times)
    accuracy = tuple(share(round(hit), round(count)) for hit, count in zip(hits, counts, strict=True))
    return _calibration(edges, means, accuracy, gaps, times, bin_of, chance=gaps_by_chance)


def score_calibration(scores: ArrayLike, gold: ArrayLike, *, bins: int = BINS) -> Calibration:
    """Whether rows with a score of s have a label of s on average, in bins of as many rows each.

    By chance, the signs of what the labels differ from the mean of their bin by are drawn again.

    Args:
        scores, gold: (N,) numbers.
        bins: fewer where a bin would have fewer than `FEWEST_IN_BIN` rows.
    Raises:
        ShapeError: the numbers of rows differ.
    """
    values, own = np.asarray(scores, np.float64), np.asarray(gold, np.float64)
    check_rows(values, own)
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
    accuracy = tuple(mean(own[bin_of == index]) for index in range(bins))
    rng = np.random.default_rng(SEED)
    return _calibration(
        edges, means, accuracy, own - values, times, bin_of, chance=lambda: rest * rng.choice((-1, 1), len(rest))
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
) -> Calibration:
    """The calibration from each decision's gap between what is right and what is said; `chance` draws such gaps.

    The error cannot be negative, so that samples of rows raise it. Its interval begins as far below it as the samples
    reach above it, and at 0 unless chance explains it in fewer than 5 %.
    """
    n, bins = len(gaps), len(accuracy)
    if not n:
        return Calibration(edges, means, accuracy, NOTHING, (math.nan, math.nan), math.nan, NOTHING)
    rows = np.broadcast_to(np.arange(n).reshape(-1, *[1] * (gaps.ndim - 1)), gaps.shape)
    of_rows = np.bincount((rows * bins + bin_of).ravel(), gaps.ravel(), n * bins).reshape(n, bins)  # (N, B)
    decisions = times.reshape(n, -1).sum(axis=1)  # (N,)

    def error_of(drawn: Numbers) -> Numbers:
        return np.asarray(np.abs(drawn @ of_rows).sum(axis=1) / (drawn @ decisions))

    total = decisions.sum()
    by_chance = [
        np.abs(np.bincount(bin_of.ravel(), chance().ravel(), bins)).sum() / total for _ in range(num_samples(gaps.size))
    ]
    low, high = (float(each) for each in np.quantile(by_chance, (0.05, 0.95)))
    error = bootstrap(error_of, n)
    p = float(p_of_shuffles(sum(each >= error.value for each in by_chance), len(by_chance)))
    if math.isfinite(error.high):
        error = error._replace(low=max(2 * error.value - error.high, 0.0) if is_clear(p) else 0.0)
    excess = ratio(-of_rows.sum(axis=1), decisions)
    return Calibration(edges, means, accuracy, error, (low, high), p, excess)


def mean_absolute_error(predicted: ArrayLike, gold: ArrayLike) -> Interval:
    """The mean of |predicted - gold| over (N,) rows. Raises ShapeError."""
    values, own = np.asarray(predicted, np.float64), np.asarray(gold, np.float64)
    check_rows(values, own)
    return mean(np.abs(values - own))


@dataclass(frozen=True, slots=True)
class Slice:
    """Some of the rows, compared with all others.

    Attributes:
        name: of the slice.
        inside: mean of its rows; a share if the values are 0 and 1.
        outside: mean of the other rows.
        p: of the difference, two-sided.
        corrected: the same after Holm's correction for all comparisons: a slice and all other rows are one.
    """

    name: str
    inside: Interval
    outside: float
    p: float
    corrected: float


def slices(values: ArrayLike, members: Sequence[tuple[str, NDArray[np.bool_]]]) -> list[Slice]:
    """Compare slices of the rows with the rest, the smallest p first: by `p_of_groups`.

    Args:
        values: (N,) of the rows, such as 1 where the model is right, and 0 elsewhere.
        members: name of each slice, and which rows (N,) are in it.
    Returns:
        Those that hold some rows, and not all.
    """
    numbers = np.asarray(values, np.float64)
    is_share = bool(np.isin(numbers, (0, 1)).all())
    found: list[tuple[str, Interval, float, float]] = []
    tests: dict[bytes, float] = {}  # by the rows on the side of the first row: two halves of a table are one test
    keys: list[bytes] = []
    for name, rows in members:
        check_rows(numbers, rows)
        inside, outside = numbers[rows], numbers[~rows]
        if not (len(inside) and len(outside)):
            continue
        keys.append(np.packbits(rows == rows[0]).tobytes())
        p = tests.setdefault(keys[-1], p_of_groups(inside, outside))
        value = share(int(inside.sum()), len(inside)) if is_share else mean(inside)
        found.append((name, value, float(outside.mean()), p))
    corrected = dict(zip(tests, holm(list(tests.values())), strict=True))
    done = [Slice(*each, corrected[key]) for each, key in zip(found, keys, strict=True)]
    return sorted(done, key=lambda each: each.p)


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """Two models on the same rows.

    Attributes:
        difference: of their means, the second minus the first.
        only_first, only_second: rows in which one alone is right; None where rows are not right or wrong.
        p: of McNemar's exact test on these; without them, of a t test of the differences.
    """

    difference: Interval
    only_first: int | None = None
    only_second: int | None = None
    p: float = math.nan


def paired_difference(first: ArrayLike, second: ArrayLike) -> PairedDifference:
    """Compare two models row by row.

    Args:
        first, second: (N,) of each row: 1 where the model is right and 0 elsewhere, or any other number.
    Raises:
        ShapeError: the numbers of rows differ.
    """
    one, other = np.asarray(first, np.float64), np.asarray(second, np.float64)
    check_rows(one, other)
    if not np.isin((one, other), (0, 1)).all():
        return PairedDifference(mean(other - one), p=p_of_mean(other - one))
    only_first, only_second = int(((one == 1) & (other == 0)).sum()), int(((one == 0) & (other == 1)).sum())
    difference = difference_of_shares(only_first, only_second, len(one))
    return PairedDifference(difference, only_first, only_second, p_of_coins(only_first, only_second))
