"""How right a model is: against scikit-learn and SciPy."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from sklearn import metrics

from encoder.errors import ShapeError
from encoder.measures.classification import (
    FEWEST_OF_CLASS,
    PairedDifference,
    calibration,
    cell_shares,
    class_scores,
    confusion_matrix,
    label_scores,
    mean_absolute_error,
    paired_difference,
    slices,
)
from encoder.measures.inference import mean, ratio, share

RNG = np.random.default_rng(7)


def labelled(n: int = 300, classes: int = 4) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    gold = RNG.integers(0, classes, n)
    return gold, np.where(RNG.random(n) < 0.7, gold, RNG.integers(0, classes, n))


def test_confusion_matrix_and_class_scores_equal_those_of_sklearn() -> None:
    gold, predicted = labelled()
    counts = confusion_matrix(gold, predicted, 4)
    np.testing.assert_array_equal(counts, metrics.confusion_matrix(gold, predicted))
    found = class_scores(counts)
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(gold, predicted)
    for ours, theirs in ((found.precision, precision), (found.recall, recall), (found.f1, f1)):
        np.testing.assert_allclose([each.value for each in ours], theirs)
    assert [each.n for each in found.precision] == np.bincount(predicted).tolist()
    assert [each.n for each in found.recall] == np.bincount(gold).tolist()
    accuracy = share(int((gold == predicted).sum()), len(gold))
    assert accuracy.value == pytest.approx(metrics.accuracy_score(gold, predicted))
    assert found.macro_f1.value == pytest.approx(metrics.f1_score(gold, predicted, average="macro"))
    assert [each.n for each in found.f1] == np.bincount(gold).tolist()
    either = counts.sum(0) + counts.sum(1) - counts.diagonal()
    bounds = [share(int(hit), int(n))[1:3] for hit, n in zip(counts.diagonal(), either, strict=True)]
    np.testing.assert_allclose([each[1:3] for each in found.f1], 2 * np.array(bounds) / (1 + np.array(bounds)))


def test_scores_of_several_labels_equal_those_of_sklearn() -> None:
    gold = RNG.random((200, 5)) < [0.5, 0.3, 0.1, 0.05, 0]
    predicted = gold ^ (RNG.random((200, 5)) < 0.1) & (np.arange(5) < 4)
    found = label_scores(gold, predicted)
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(gold[:, :4], predicted[:, :4])
    for ours, theirs in ((found.precision, precision), (found.recall, recall), (found.f1, f1)):
        np.testing.assert_allclose([each.value for each in ours[:4]], theirs)
    assert math.isnan(found.f1[4].value)
    macro = found.macro_f1
    assert macro.value == pytest.approx(metrics.f1_score(gold[:, :4], predicted[:, :4], average="macro"))
    assert macro.low < macro.value < macro.high
    assert macro.n == 200
    with pytest.raises(ShapeError):
        label_scores(gold, predicted[:10])


def test_cells_of_a_confusion_matrix_are_shares_of_their_row() -> None:
    gold, predicted = labelled()
    counts = confusion_matrix(gold, predicted, 4)
    found = cell_shares(counts)
    normalised = metrics.confusion_matrix(gold, predicted, normalize="true")
    np.testing.assert_allclose([[cell.value for cell in row] for row in found], normalised)
    assert found[1][2] == share(int(counts[1, 2]), int(counts[1].sum()))
    assert found[1][1] == class_scores(counts).recall[1]


def test_class_that_no_row_has_or_gets_has_no_f1() -> None:
    found = class_scores(confusion_matrix([0, 1, 1], [0, 1, 0], 3))
    assert math.isnan(found.f1[2].value)
    assert found.f1[2].n == 0
    assert found.macro_f1.value == pytest.approx((2 / 3 + 2 / 3) / 2)


def test_class_that_no_row_gets_has_an_f1_of_0_and_an_interval() -> None:
    found = class_scores(confusion_matrix([0] * 8 + [1] * 12, [1] * 20, 2))
    assert math.isnan(found.precision[0].value)
    low, high = share(0, 8)[1:3]
    assert found.f1[0] == (0, low, pytest.approx(2 * high / (1 + high)), 8)


@pytest.mark.parametrize("rarest", [FEWEST_OF_CLASS - 1, FEWEST_OF_CLASS])
def test_mean_f1_has_an_interval_from_ten_rows_of_each_class(rarest: int) -> None:
    found = class_scores(np.diag([rarest, 30])).macro_f1
    assert (math.isnan(found.low), found.n) == (rarest < FEWEST_OF_CLASS, rarest + 30)


def test_mean_f1_of_two_classes_alike_has_the_interval_of_the_accuracy() -> None:
    right = np.repeat([1, 0], [28, 12])
    assert class_scores(np.array([[14, 6], [6, 14]])).macro_f1 == pytest.approx(ratio(right, np.ones(40)))


def test_no_rows_give_no_numbers() -> None:
    found, nothing = calibration([], []), (*[math.nan] * 3, 0)
    np.testing.assert_equal((found.error, found.excess, *found.by_chance, found.p), (nothing, nothing, *nothing[:3]))
    assert math.isnan(class_scores(confusion_matrix([], [], 2)).macro_f1.value)


def test_index_that_is_no_class_is_refused() -> None:
    with pytest.raises(ShapeError, match="from 0 to 1"):
        confusion_matrix([0, 2], [0, 1], 2)
    with pytest.raises(ShapeError, match="3 rows are compared with 2"):
        mean_absolute_error([1, 2, 3], [1, 2])


def test_error_equals_that_of_sklearn() -> None:
    gold = RNG.integers(0, 6, 150).astype(float)
    predicted = gold + RNG.normal(size=150).round(1)
    assert mean_absolute_error(predicted, gold).value == pytest.approx(metrics.mean_absolute_error(gold, predicted))


def test_planted_slice_is_found_first_and_random_ones_are_not() -> None:
    planted = np.arange(400) < 60
    right = np.where(planted, RNG.random(400) < 0.4, RNG.random(400) < 0.9)
    members = [("planted", planted), *((f"random {index}", RNG.random(400) < 0.3) for index in range(20))]
    first, *others = slices(right, members)
    assert first.name == "planted"
    assert first.corrected < 0.001
    assert first.inside == share(int(right[planted].sum()), 60)
    assert first.outside == right[~planted].mean()
    assert all(each.corrected > 0.05 for each in others)


def test_two_halves_of_a_table_are_one_comparison() -> None:
    """Of a column of two values, and of two columns that say the same."""
    right, old, long = RNG.random(60) < 0.7, np.arange(60) < 20, np.arange(60) % 2 == 0
    twice = slices(right, [("old=yes", old), ("old=no", ~old), ("age=high", old), ("long", long)])
    once = {each.name: each for each in slices(right, [("old=yes", old), ("long", long)])}
    assert {each.corrected for each in twice if each.name != "long"} == {once["old=yes"].corrected}
    assert next(each for each in twice if each.name == "long").corrected == once["long"].corrected


def test_slices_of_other_numbers_compare_means() -> None:
    planted = np.arange(300) < 50
    values = RNG.normal(size=300) + planted
    [found] = slices(values, [("planted", planted), ("all", np.ones(300, bool))])
    assert (found.inside, found.outside) == (mean(values[planted]), values[~planted].mean())
    assert found.corrected < 0.001


def test_same_answers_have_an_interval_around_no_difference() -> None:
    right = RNG.random(50) < 0.5
    found = paired_difference(right, right)
    assert (found.only_first, found.only_second, found.p) == (0, 0, 1.0)
    reach = stats.norm.ppf(0.975) / 52  # half a row of each kind more
    assert found.difference[:3] == pytest.approx((0, -reach, reach))
    assert math.isnan(paired_difference([0.5, 0.2], [0.1, 0.3]).p)


def test_difference_is_the_second_minus_the_first() -> None:
    found = paired_difference([1, 1, 1, 0], [0, 0, 1, 1])
    assert (found.difference.value, found.only_first, found.only_second, found.p) == (-0.25, 2, 1, 1.0)
    assert paired_difference([1] * 5, [1, 0, 0, 0, 0]).difference.low == -1
    assert paired_difference([1, 0, 0, 0, 0], [1] * 5).difference.high == 1
    first, second = RNG.normal(size=(2, 30))
    scores = paired_difference(first, second)
    assert scores == PairedDifference(mean(second - first), p=scores.p)
    assert scores.p == pytest.approx(stats.ttest_rel(second, first).pvalue)
