"""Intervals, tests and corrections against scipy, and simulated: whether they hold and find what they say."""

import math
from collections.abc import Callable
from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics

from encoder.measures import inference
from encoder.measures.classification import (
    calibration,
    class_scores,
    mean_absolute_error,
    paired_difference,
    score_calibration,
    scores_within_rows,
    slices,
)
from encoder.measures.inference import (
    FEWEST,
    LEVEL,
    Interval,
    auc,
    bootstrap,
    effective_share,
    holm,
    mean,
    mean_from_sums,
    num_samples,
    p_of_coins,
    p_of_count,
    p_of_groups,
    p_of_largest_means,
    p_of_mean,
    rank_correlation_interval,
    ratio,
    share,
    shuffled_totals,
    wilson_interval,
)
from tests.thorough import THOROUGH

SIZES = (3, 5, 10, 30, 300) if THOROUGH else (3, 5, 30)
TRIALS = 1_000  # a rate of 5 % is within 1.4 points in 95 % of such runs
TWO_POINTS = 0.02
TABLE = np.array([[0.3, 0.05, 0.03], [0.04, 0.25, 0.05], [0.02, 0.06, 0.2]])  # of classes, by own and predicted one
TAG_F1 = 2 * 0.3 * (5 / 6) / (2 * 0.3 * (5 / 6) + 1 / 6)  # of `_tag`, where one word in six is wrong
MACRO_F1 = float(np.mean(2 * TABLE.diagonal() / (TABLE.sum(0) + TABLE.sum(1))))


def _auc(rng: np.random.Generator, n: int) -> Interval:
    positive = np.arange(n) < n // 2
    return auc(rng.normal(size=n) + positive, positive)


def _correlation(rng: np.random.Generator, n: int) -> Interval:
    first, other = rng.normal(size=(2, n))
    return rank_correlation_interval(first, 0.5 * first + math.sqrt(0.75) * other)


def _words(rng: np.random.Generator, n: int) -> Interval:
    words = rng.integers(3, 25, n)
    return ratio(rng.binomial(words, rng.beta(9, 1, n)), words)


def _rare_auc(rng: np.random.Generator, n: int) -> Interval:
    """One row in six is positive, and nearly all of them are above the others."""
    positive = np.arange(n) < n // 6
    return auc(rng.normal(size=n) + math.sqrt(2) * stats.norm.ppf(0.97) * positive, positive)


def _seldom_wrong(rng: np.random.Generator, n: int) -> Interval:
    """One row in twenty has half of its words wrong, the others none."""
    return ratio(np.where(rng.random(n) < 0.05, 10, 20), np.full(n, 20))


def _tag(rng: np.random.Generator, n: int) -> Interval:
    """A tag that three words in ten have; the words of a row err together."""
    has = rng.random((n, 20)) < 0.3
    gets = has ^ (rng.random((n, 20)) < rng.beta(0.4, 2, n)[:, None])
    return scores_within_rows(has.reshape(-1, 1), gets.reshape(-1, 1), np.repeat(np.arange(n), 20)).f1[0]


def _answers(rng: np.random.Generator, n: int) -> Interval:
    """Nine in ten are right or wrong, the others partly right."""
    partly = np.where(rng.random(n) < 0.9, rng.random(n) < 0.8, rng.random(n))
    return ratio(partly, np.ones(n))


def _models(rng: np.random.Generator, n: int) -> Interval:
    """Two models that disagree in 15 % of the rows."""
    outcome = rng.choice(3, size=n, p=[0.85, 0.05, 0.1])
    return paired_difference(outcome != 2, outcome != 1).difference


# What is simulated, its true value, and how far its coverage is from 95 % where docstrings say that it is.
INTERVALS: dict[str, tuple[Callable[[np.random.Generator, int], Interval], float, dict[int, float]]] = {
    "mean of normal values": (lambda rng, n: mean(rng.normal(size=n)), 0, {}),
    "mean of exponential values": (lambda rng, n: mean(rng.exponential(size=n)), 1, {5: 0.87, 10: 0.9, 30: 0.93}),
    "share": (lambda rng, n: share(int(rng.binomial(n, 0.5)), n), 0.5, {3: 1.0, 5: 0.94, 10: 0.98}),  # n + 1 values
    "AUC": (_auc, float(stats.norm.cdf(1 / math.sqrt(2))), {10: 0.99, 30: 0.97}),
    "AUC of few positive rows": (_rare_auc, 0.97, {30: 1.0, 300: 1.0}),
    "rank correlation": (_correlation, 6 / math.pi * math.asin(0.25), {5: 0.98}),
    "ratio": (_words, 0.9, {5: 0.98}),
    "words of rows that are seldom wrong": (_seldom_wrong, 0.975, {5: 1.0, 10: 0.99, 30: 0.94}),
    "F1 of a tag": (_tag, TAG_F1, {5: 0.96, 10: 0.94}),
    "F1 of answers": (_answers, 0.9 * 0.8 + 0.1 * 0.5, {5: 0.98, 10: 0.98, 300: 0.96}),
    "two models": (_models, 0.05, {5: 0.99, 10: 0.99, 30: 0.97}),
    "mean F1": (lambda rng, n: class_scores(rng.multinomial(n, TABLE.ravel()).reshape(3, 3)).macro_f1, MACRO_F1, {}),
}


@pytest.mark.parametrize(
    "what", sorted(INTERVALS.keys() - {"share", "mean F1", "AUC of few positive rows", "F1 of a tag"})
)
def test_five_rows_have_an_interval_and_four_do_not(what: str) -> None:
    draw, rng, rows = INTERVALS[what][0], np.random.default_rng(5), FEWEST * (2 if what == "AUC" else 1)
    assert [math.isnan(draw(rng, n).low) for n in (rows - 1, rows)] == [True, False]


def _groups(rng: np.random.Generator, n: int) -> float:
    values = rng.exponential(size=n + 30)
    return p_of_groups(values[:n], values[n:])


def _shares(rng: np.random.Generator, n: int) -> float:
    values = rng.integers(0, 2, size=n + 30).astype(float)
    return p_of_groups(values[:n], values[n:])


def _coins(rng: np.random.Generator, n: int) -> float:
    first = int(rng.binomial(n, 0.5))
    return p_of_coins(first, n - first)


def _ten_swaps(rng: np.random.Generator, n: int) -> float:
    return min(holm([p_of_mean(each) for each in rng.normal(size=(10, n))])) if n >= FEWEST else 1.0


def _heads(rng: np.random.Generator, n: int) -> float:
    return float(p_of_largest_means(rng.exponential(size=(12, n)), shuffles=99).min())


def _words_of_rows(rng: np.random.Generator, n: int) -> float:
    """Twelve words of n rows of eight, whose values are skewed and belong to no word."""
    row, form = np.repeat(np.arange(n), 8), rng.integers(0, 12, 8 * n)
    return float(shuffled_totals(rng.exponential(size=8 * n) ** 2, row, form, np.ones(12, bool)).p.min())


TESTS: dict[str, Callable[[np.random.Generator, int], float]] = {
    "mean": lambda rng, n: p_of_mean(rng.normal(size=n)) if n >= FEWEST else 1.0,
    "groups of numbers": _groups,
    "groups of shares": _shares,
    "two models": _coins,
    "ten swaps": _ten_swaps,
    "heads": _heads,
    "words": _words_of_rows,
}


def test_p_values_and_intervals_are_those_of_scipy() -> None:
    rng = np.random.default_rng(2)
    values, other = rng.normal(size=(2, 12))
    assert p_of_mean(values) == pytest.approx(stats.ttest_1samp(values, 0).pvalue)
    assert p_of_mean([0] * FEWEST) == 1
    assert np.isnan(p_of_mean([2] * FEWEST))
    assert mean(values)[1:3] == pytest.approx(tuple(stats.ttest_1samp(values, 0).confidence_interval()))
    assert mean_from_sums(12, values.sum(), np.square(values).sum()) == pytest.approx(mean(values))
    for right in (0, 7, 9):
        wilson = stats.binomtest(right, 9).proportion_ci(method="wilson")
        assert wilson_interval(right, 9) == pytest.approx(tuple(wilson))
    assert p_of_groups(values, other) == pytest.approx(stats.mannwhitneyu(values, other).pvalue)
    assert p_of_groups(values > 0, other > 0) == pytest.approx(  # type: ignore[arg-type]
        stats.fisher_exact([[(values > 0).sum(), (values <= 0).sum()], [(other > 0).sum(), (other <= 0).sum()]]).pvalue
    )
    assert p_of_count(3, 40, 0.05) == pytest.approx(stats.binom.sf(2, 40, 0.05))
    assert p_of_coins(3, 9) == pytest.approx(stats.binomtest(3, 12).pvalue)
    scores, positive = rng.integers(0, 9, 200) / 9, rng.random(200) < 0.4
    wins = np.array([[(own > each) + (own == each) / 2 for each in scores[~positive]] for own in scores[positive]])
    variance = sum(wins.mean(axis).var(ddof=1) / wins.shape[1 - axis] for axis in (0, 1))
    area = metrics.roc_auc_score(positive, scores)
    fewer = int(min(positive.sum(), (~positive).sum()))
    assert auc(scores, positive) == pytest.approx(
        effective_share(area, variance, 200, most=2 * fewer, estimated_from=fewer)
    )
    assert effective_share(0.7, 0.7 * 0.3 / 20, 40)[1:3] == pytest.approx(
        wilson_interval(14, 20, quantile=stats.t.ppf(0.975, 39))
    )


def test_ratios_of_single_words_have_the_interval_of_a_mean_or_of_a_share() -> None:
    values = np.random.default_rng(2).normal(size=12)
    assert ratio(values, np.ones(12)) == pytest.approx(mean(values))
    right = values > 0
    assert ratio(right, np.ones(12)) == pytest.approx(effective_share(right.mean(), right.var(ddof=1) / 12, 12))
    as_words = wilson_interval(7, 14, quantile=stats.t.ppf(0.975, 4))
    assert ratio([1, 2, 1, 2, 1], [2, 4, 2, 4, 2])[1:3] == pytest.approx(as_words)


def test_the_interval_of_a_rank_correlation_is_that_of_bonett_and_wright() -> None:
    def interval(r: float, n: int) -> list[float]:
        reach = stats.norm.ppf(0.975) * math.sqrt((1 + r**2 / 2) / (n - 3))
        return [math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)]

    values, other = np.random.default_rng(2).normal(size=(2, 12))
    r = stats.spearmanr(values, other).statistic
    assert rank_correlation_interval(values, other) == pytest.approx((r, *interval(r, 12), 12))
    order = np.arange(6)
    almost = (1 + stats.spearmanr(order, [0, 1, 2, 3, 5, 4]).statistic) / 2  # half of the way to the next order
    low = interval(almost, 6)[0]
    assert rank_correlation_interval(order, order) == pytest.approx((1, low, 1, 6))
    assert rank_correlation_interval(order, -order) == pytest.approx((-1, -1, -low, 6))


def test_a_row_above_the_others_in_every_column_stands_out_however_columns_differ() -> None:
    rows = 100 * np.arange(8) + np.eye(12)[:, :1]
    assert p_of_largest_means(rows, shuffles=99).tolist() == [0.01] + [1.0] * 11
    assert p_of_largest_means(np.full((3, 7), 0.1), shuffles=9).tolist() == [1.0] * 3


def test_shuffles_that_are_made_together_are_those_made_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(1).random((5, 3)) + 0.4 * np.arange(5)[:, None]
    together = p_of_largest_means(rows, shuffles=99)
    for at_once in (1, 5 * 3 * 7):
        monkeypatch.setattr(inference, "NUMBERS_AT_ONCE", at_once)
        assert p_of_largest_means(rows, shuffles=99).tolist() == together.tolist()
    assert len(set(together.tolist())) > 3


def test_the_centre_and_the_spread_of_shuffled_totals_are_exact() -> None:
    rng = np.random.default_rng(3)
    row = np.repeat([0, 1, 2, 3, 4, 5, 7, 8, 9], [1, 2, 2, 2, 2, 2, 3, 4, 12])
    form, values, compared = rng.integers(0, 4, 30), rng.normal(size=30), np.array([True, True, False, True])
    found = shuffled_totals(values, row, form, compared)
    drawn = [
        np.bincount(form, np.concatenate([rng.permutation(values[row == each]) for each in range(10)]), 4)
        for _ in range(4_000)
    ]
    np.testing.assert_allclose(found.centre, np.mean(drawn, 0), atol=0.1)
    np.testing.assert_allclose(found.spread, np.std(drawn, 0), rtol=0.05)
    assert np.isnan(found.p).tolist() == [False, False, True, False]
    np.testing.assert_array_equal(shuffled_totals(1e-12 * values, row, form, compared).p, found.p)
    assert shuffled_totals(np.zeros(30), row, form, np.ones(4, bool)).p.tolist() == [1.0] * 4
    either_way = shuffled_totals(np.array([1.0, 0.0]), np.zeros(2, np.intp), np.arange(2), np.ones(2, bool))
    assert either_way.p.tolist() == [1.0] * 2


def test_the_p_of_a_word_hardly_depends_on_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word at about 0.05: the standard error of 4,999 shuffles is 0.003."""
    rng = np.random.default_rng(8)
    row, form = np.repeat(np.arange(40), 6), rng.integers(0, 10, 240)
    values = rng.normal(size=240) + 0.72 * (form == 3)
    p = []
    for seed in range(5):
        monkeypatch.setattr(inference, "SEED", seed)
        p.append(shuffled_totals(values, row, form, np.ones(10, bool)).p[3])
    assert np.ptp(p) < 0.015
    assert 0.005 < np.mean(p) < 0.2


OF_NUMBERS: dict[str, Callable[[Any, Any], object]] = {
    "mean": lambda values, _: mean(values),
    "ratio": ratio,
    "AUC": auc,
    "rank correlation": rank_correlation_interval,
    "largest means": lambda values, _: p_of_largest_means(values.reshape(6, 10), shuffles=9),
    "totals": lambda values, _: shuffled_totals(values, np.arange(60) // 6, np.arange(60) % 6, np.ones(6, bool)),
    "absolute error": mean_absolute_error,
    "models": lambda values, other: astuple(paired_difference(values, other)),
    "calibration": lambda values, other: calibration(values, other).error,
    "calibration of scores": lambda values, other: score_calibration(values, other).error,
    "slices": lambda values, other: slices(values, [("some", other > 0)]),
}


@pytest.mark.parametrize("kind", [np.float16, np.bool_])
@pytest.mark.parametrize("what", OF_NUMBERS)
def test_numbers_of_any_kind_are_computed_in_double_precision(what: str, kind: type[np.generic]) -> None:
    rng = np.random.default_rng(4)
    values, other = (rng.random((2, 60)) * rng.integers(0, 2, (2, 60))).astype(kind)
    doubles = values.astype(np.float64), other.astype(np.float64)
    np.testing.assert_equal(OF_NUMBERS[what](values, other), OF_NUMBERS[what](*doubles))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_correction_only_raises_and_keeps_the_order(p_values: list[float]) -> None:
    corrected = holm(p_values)
    assert all(p <= after <= 1 for p, after in zip(p_values, corrected, strict=True))
    assert min(corrected) == pytest.approx(min(min(p_values) * len(p_values), 1))
    order = np.argsort(p_values, kind="stable")
    assert (np.diff(np.array(corrected)[order]) >= 0).all()
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])  # the paper's rule


def test_an_interval_does_not_pass_what_is_possible() -> None:
    found = mean([-0.9, -0.95, -1, 0.1, -0.99], least=-1, most=1)
    assert found.low == -1
    assert found.value < found.high < 1
    assert np.isnan(mean([0.5], least=0, most=1).low)
    assert wilson_interval(0, 0) == (0, 1)
    for n in range(1, 40):
        for right in range(n + 1):
            low, high = wilson_interval(right, n)
            assert 0 <= low <= right / n <= high <= 1


@pytest.mark.parametrize(
    ("found", "value", "n"),
    [
        (share(0, 0), math.nan, 0),
        (mean([]), math.nan, 0),
        (mean([1, 3]), 2, 2),
        (mean([0.1] * 7), 0.1, 7),
        (ratio([], []), math.nan, 0),
        (ratio([1, 2], [2, 2]), 0.75, 2),
        (auc([], []), math.nan, 0),
        (auc([1, 2], [True, True]), math.nan, 2),
        (auc([1, 2], [False, True]), 1, 2),
        (rank_correlation_interval(np.ones(7), np.arange(7)), math.nan, 7),
        (rank_correlation_interval([1, 2], [1, 2]), 1, 2),
        (bootstrap(lambda counts: counts.mean(axis=1), 0), math.nan, 0),
        (bootstrap(lambda counts: counts.mean(axis=1), 3), 1, 3),
    ],
)
def test_without_an_interval_the_value_and_the_number_of_rows_are_named(found: Interval, value: float, n: int) -> None:
    np.testing.assert_allclose(found, (value, math.nan, math.nan, n))


def test_many_rows_have_fewer_samples() -> None:
    assert [num_samples(n) for n in (0, 40_000, 1_000_000)] == [999, 500, 199]


# Simulations, last because they take longest --------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("what", INTERVALS)
def test_an_interval_holds_the_truth_as_often_as_it_says(what: str, n: int) -> None:
    draw, truth, known = INTERVALS[what]
    rng = np.random.default_rng(5)
    found = [draw(rng, n) for _ in range(TRIALS)]
    held = [each.low <= truth <= each.high for each in found if not math.isnan(each.low)]
    if n < FEWEST and what != "share":
        assert not held
    elif len(held) > len(found) / 2:  # the others have no interval, because a class is too rare
        assert np.mean(held) == pytest.approx(known.get(n, 0.95), abs=TWO_POINTS)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("what", TESTS)
def test_what_is_not_there_is_found_in_at_most_five_per_cent(
    what: str, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over all that is tried at once; tests of counts cannot reach 5 % and are below it."""
    monkeypatch.setattr(inference, "MOST_SHUFFLES", 99)
    monkeypatch.setattr(inference, "FEWEST_DRAWS", 99)
    draw, rng = TESTS[what], np.random.default_rng(6)
    rate = np.mean([draw(rng, n) < LEVEL for _ in range(TRIALS)])
    assert rate <= LEVEL + TWO_POINTS
    if what in ("mean", "heads", "words") and n >= FEWEST:
        assert rate >= LEVEL - TWO_POINTS
