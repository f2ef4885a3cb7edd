"""Calibration against scikit-learn, and its intervals and those of rank correlations against a known truth."""

import math

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from sklearn.calibration import calibration_curve

from encoder.errors import ShapeError
from encoder.measures import inference
from encoder.measures.classification import Calibration, calibration, score_calibration

REPEATS = 100
COVERED = 0.88  # of the intervals at least, where 95 % are expected: the chance of fewer is below 1 %


@pytest.fixture(autouse=True)
def few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inference, "MOST_SAMPLES", 199)


@pytest.fixture
def rng() -> Generator:
    """The same numbers in each test, whichever others run."""
    return default_rng(11)


def assert_curve_of_sklearn(found: Calibration, correct: object, confidence: object) -> None:
    right, said = calibration_curve(correct, confidence, n_bins=10, strategy="uniform")
    shown = [index for index, each in enumerate(found.accuracy) if each.n]
    np.testing.assert_allclose([found.accuracy[index].value for index in shown], right)
    np.testing.assert_allclose(found.confidence[shown], said)
    counts = np.array([found.accuracy[index].n for index in shown])
    assert found.error.value == pytest.approx((counts * np.abs(right - said)).sum() / counts.sum())


def test_bins_equal_those_of_sklearn(rng: Generator) -> None:
    confidence = np.append(rng.uniform(0.3, 1, 400), [0.5, 0.7, 1.0])
    correct = rng.random(403) < confidence**2
    found = calibration(confidence, correct)
    assert_curve_of_sklearn(found, correct, confidence)
    np.testing.assert_allclose(found.edges, np.linspace(0, 1, 11))
    assert found.error.value > found.by_chance[1]
    assert found.excess.value == pytest.approx((confidence - correct).mean())
    assert found.excess.low < found.excess.value < found.excess.high
    assert found.error.low < found.error.value < found.error.high < found.error.value + 0.05
    assert found.p == 1 / 200
    with pytest.raises(ShapeError):
        calibration(confidence, correct[:10])


def test_bins_of_several_labels_equal_those_of_sklearn_over_all_decisions(rng: Generator) -> None:
    shares = rng.uniform(0, 1, (100, 6))
    holds = rng.random((100, 6)) < shares
    found = calibration(shares, holds)
    assert_curve_of_sklearn(found, holds.ravel(), shares.ravel())
    assert found.error.n == 100
    assert found.error.value < found.by_chance[1]


def test_share_of_a_rows_words_counts_as_so_many_decisions(rng: Generator) -> None:
    words, confidence = rng.integers(1, 9, 80), rng.uniform(0.2, 1, 80)
    right = rng.binomial(words, confidence)
    found = calibration(confidence, right / words, trials=words)
    each_word = np.concatenate([np.arange(count) < hit for count, hit in zip(words, right, strict=True)])
    assert_curve_of_sklearn(found, each_word, np.repeat(confidence, words))
    assert sum(each.n for each in found.accuracy) == words.sum()


def test_decisions_about_a_row_that_fall_together_are_no_sign_of_bad_calibration(rng: Generator) -> None:
    clear = []
    for _ in range(REPEATS):
        confidence = rng.uniform(0.2, 0.9, 60)
        right = rng.random(60) < confidence  # all words of a row, or none
        clear.append(calibration(confidence, right, trials=np.full(60, 20)).p < 0.05)
    assert np.mean(clear) <= 0.1


def test_scores_are_compared_with_labels_in_bins_of_as_many_rows(rng: Generator) -> None:
    gold = rng.uniform(0, 5, 200)
    scores = gold + 1 + rng.normal(size=200)
    found = score_calibration(scores, gold)
    assert [each.n for each in found.accuracy] == [20] * 10
    np.testing.assert_allclose(found.edges, np.quantile(scores, np.linspace(0, 1, 11)))
    order = np.argsort(scores)
    assert found.confidence[0] == pytest.approx(scores[order[:20]].mean())
    assert found.accuracy[0].value == pytest.approx(gold[order[:20]].mean())
    assert found.excess.value == pytest.approx((scores - gold).mean())
    assert found.error.value > found.by_chance[1]
    assert [each.n for each in score_calibration(scores[:7], gold[:7]).accuracy] == [7]
    ties = score_calibration([-1, *[0] * 9, *[1] * 5], gold[:15])
    assert [each.n for each in ties.accuracy] == [10, 0, 5]
    assert math.isnan(score_calibration([], []).error.value)
    assert score_calibration(np.ones(20), gold[:20]).excess.value == pytest.approx(1 - gold[:20].mean())


@pytest.mark.parametrize("n", [30, 300])
@pytest.mark.parametrize("error", [0, 0.05, 0.2])
def test_intervals_of_the_calibration_error_cover_the_truth(error: float, n: int, rng: Generator) -> None:
    covered, clear = [], []
    for _ in range(REPEATS):
        confidence = rng.uniform(0.5, 1, n)
        found = calibration(confidence, rng.random(n) < confidence - error)
        covered.append(found.error.low <= error <= found.error.high)
        clear.append(found.p < 0.05)
    assert np.mean(covered) >= COVERED
    assert error or np.mean(clear) <= 0.1


def test_calibration_of_few_rows_has_no_interval(rng: Generator) -> None:
    found = calibration(rng.random(20), rng.random(20) < 0.5)
    assert math.isnan(found.error.high)
    assert math.isnan(found.error.low)
    assert calibration(np.ones(5), np.ones(5)).p == 1
    of_four = score_calibration(np.arange(4), [0, 0, 0, 4])  # one sign in eight samples
    assert of_four.by_chance[1] == pytest.approx(6 / 4 * math.sqrt(4 / 3))


@pytest.mark.parametrize("error", [0, 0.5])
def test_intervals_of_the_error_of_scores_cover_the_truth(error: float, rng: Generator) -> None:
    covered = []
    for _ in range(REPEATS):
        scores = rng.uniform(0, 5, 200)
        found = score_calibration(scores, scores - error + rng.normal(size=200)).error
        covered.append(found.low <= error <= found.high)
    assert np.mean(covered) >= COVERED
