"""How right a model is on a table of texts, by the kind of its head: measures, calibration, slices, a second model."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from encoder.collection.results import Results
from encoder.collection.row_labels import classes_of, translated
from encoder.collection.row_slices import RowSlice, TriedSlices, slices_to_compare
from encoder.collection.table import Collection
from encoder.errors import UnsupportedModelError
from encoder.measures.classification import (
    Calibration,
    ClassScores,
    PairedDifference,
    Slice,
    calibration,
    class_scores,
    confusion_matrix,
    label_scores,
    mean_absolute_error,
    paired_difference,
    score_calibration,
    slices,
)
from encoder.measures.inference import Interval, auc, mean, rank_correlation_interval, ratio, share

PARTLY: Final = {"tags": "words right", "span": "F1 of words", "mask": "among five"}  # the measures of `partly_right`

# Another order of the classes is named from this gain of the share of right rows on, and from so many rows on.
FAR_MORE: Final = 0.2
ENOUGH_ROWS: Final = 20
MOST_ORDERED: Final = 200


def measures(results: Results) -> dict[str, Interval]:
    """The measures of a kind of head by their names on the page; none where no row has a label that the model has.

    Returns:
        "right", the share of rows of which all is right; `PARTLY`; the mean "F1" over classes or labels; the "AUC" of
        two classes, or of a score whose labels are yes and no; the "mean absolute error" and the "rank correlation" of
        other scores; and the "calibration error".
    """
    if not results.has_gold.any():
        return {}
    scores, calibrated = scores_of_classes(results), calibration_of(results)
    found = {
        "right": rows_right(results),
        PARTLY.get(results.kind, ""): partly_right(results),
        "F1": None if scores is None else scores.macro_f1,
        "AUC": area_under_curve(results),
        **errors_of_scores(results),
        "calibration error": None if calibrated is None else calibrated.error,
    }
    return {name: interval for name, interval in found.items() if interval is not None}


def rows_right(results: Results) -> Interval | None:
    """The share of rows of which all that is predicted is right; None for a score."""
    if results.correct is None:
        return None
    has = results.has_gold
    return share(int(results.correct[has].sum()), int(has.sum()))


def partly_right(results: Results) -> Interval | None:
    """The share of words with the right tag, the mean F1 of an answer's words, or how often a word is among five."""
    if results.answers is None or results.kind not in PARTLY:
        return None
    has = results.has_gold
    partly = results.answers.partly[has]
    if results.kind == "mask":
        return share(int(partly.sum()), len(partly))
    if results.kind == "span":
        return mean(partly)
    words = results.answers.counts[has].astype(np.float64)
    return ratio(np.rint(partly * words), words)


def area_under_curve(results: Results) -> Interval | None:
    """The AUC of the second of two classes, or of a score whose labels are yes and no."""
    has = results.has_gold
    if results.kind == "classes" and len(results.labels) == 2 and results.probabilities is not None:
        return auc(results.probabilities[has, 1], results.gold[has] == 1)
    return auc(results.logits[has, 0], results.gold[has] == 1) if results.is_binary else None


def errors_of_scores(results: Results) -> dict[str, Interval]:
    """The "mean absolute error" and the "rank correlation" of scores whose labels are numbers."""
    if results.kind != "score" or results.is_binary:
        return {}
    has = results.has_gold
    scores, own = results.scores[has], results.gold[has]
    return {
        "mean absolute error": mean_absolute_error(scores, own),
        "rank correlation": rank_correlation_interval(scores, own),
    }


def confusions_of(results: Results) -> NDArray[np.int64]:
    """(C, C) rows by their own class and the predicted one."""
    has = results.has_gold
    return confusion_matrix(results.gold[has], results.predicted[has], len(results.labels))


def scores_of_classes(results: Results) -> ClassScores | None:
    """Precision, recall and F1 of each class or label; None where rows have no classes."""
    has = results.has_gold
    if not has.any():
        return None
    if results.kind == "labels":
        return label_scores(results.gold[has] == 1, results.holds[has])
    return class_scores(confusions_of(results)) if results.kind == "classes" else None


def calibration_of(results: Results) -> Calibration | None:
    """Calibration; None where no row has a label, or the head gives no probability.

    Of several labels, over every label of every row. Of tags, a row's words count each. A score whose labels are yes
    and no is the logit of yes; any other is compared with the labels themselves.
    """
    has, shares = results.has_gold, results.confidence
    if shares is not None:
        has = has & ~np.isnan(shares)
    if not has.any():
        return None
    if results.kind == "score":
        own = results.gold[has]
        if not results.is_binary:
            return score_calibration(results.scores[has].astype(np.float64), own)
        return calibration((1 + np.tanh(results.logits[has, 0].astype(np.float64) / 2)) / 2, own)
    if results.kind == "labels" and results.probabilities is not None:
        return calibration(results.probabilities[has], results.gold[has])
    if shares is None or results.correct is None:
        return None
    if results.kind == "tags" and results.answers is not None:
        return calibration(shares[has], results.answers.partly[has], trials=results.answers.counts[has])
    return calibration(shares[has], results.correct[has])


def row_values(results: Results) -> tuple[NDArray[np.floating[Any]], str]:
    """(N,) a number for each row that slices and models are compared by, and what it is."""
    if results.answers is not None and results.kind in ("tags", "span"):
        return results.answers.partly.astype(np.float64), PARTLY[results.kind]
    if results.correct is not None:
        return results.correct.astype(np.float64), "right"
    if results.is_binary:
        return results.losses.astype(np.float64), "loss"
    return np.abs(results.scores - results.gold).astype(np.float64), "absolute error"


class ComparedSlices(NamedTuple):
    """Slices of a table, each compared with all other rows.

    Attributes:
        measure: that they are compared by, as in `row_values`.
        slices: the smallest p first; a name is the filter of the rows.
        rows: which rows each slice has, by its name.
        tried: the slices that were compared, and what was left out.
    """

    measure: str
    slices: tuple[Slice, ...]
    rows: dict[str, RowSlice]
    tried: TriedSlices


def compared_slices(collection: Collection, results: Results) -> ComparedSlices | None:
    """Slices by every column and by length, compared with all other rows; None without labels."""
    has = results.has_gold
    if not has.any():
        return None
    values, measure = row_values(results)
    tried = slices_to_compare(collection, results)
    by_name = {each.rows: each for each in tried.slices}
    found = slices(values[has], [(name, each.members[has]) for name, each in by_name.items()])
    return ComparedSlices(measure, tuple(found), by_name, tried)


class BetterOrder(NamedTuple):
    """Another order of the classes, in which a model is right far more often: labels may count them so.

    Attributes:
        classes: of each label, by its number, the class that fits it best.
        right, now: the shares of right rows, with that order and with the model's.
    """

    classes: tuple[int, ...]
    right: Interval
    now: Interval


def better_order(results: Results) -> BetterOrder | None:
    """The order of the classes in which most rows are right, if these are far more; None for other kinds of head."""
    if results.kind != "classes" or len(results.labels) > MOST_ORDERED or results.has_gold.sum() < ENOUGH_ROWS:
        return None
    from scipy.optimize import linear_sum_assignment  # takes long to import

    counts = confusions_of(results)
    _, classes = linear_sum_assignment(-counts)
    total = int(counts.sum())
    right, now = share(int(counts[range(len(classes)), classes].sum()), total), share(int(counts.trace()), total)
    if right.value - now.value < FAR_MORE or right.low <= now.high:
        return None
    return BetterOrder(tuple(classes.tolist()), right, now)


def classes_in_order(order: BetterOrder, collection: Collection, results: Results) -> dict[str, int]:
    """The class of each label of the column in another order, for `Collection.with_classes`; {} for zeros and ones."""
    if results.label_rule == "vectors":
        return {}
    read = {label: translated(label, collection.label_classes) for label in collection.own_labels}
    found = {label: classes_of(said, results.labels, results.label_rule) for label, said in read.items()}
    return {label: order.classes[own[0]] for label, own in found.items() if own is not None and len(own) == 1}


class Disagreements(NamedTuple):
    """Two models over the same rows.

    Attributes:
        rows: indices of the rows in which they disagree, the largest difference first.
        size: (N,) of every row: the largest difference of a probability, or that of the scores; where the models have
            different labels the probability of the less sure one.
        measure: that they are compared by, as in `row_values`; "" where `difference` is None.
        difference: of the measure; None without rows that both can be compared with.
    """

    rows: NDArray[np.intp]
    size: NDArray[np.float64]
    measure: str
    difference: PairedDifference | None


def disagreements(first: Results, second: Results) -> Disagreements:
    """Where two models disagree, and whether one is right more often.

    Raises:
        UnsupportedModelError: their heads are of different kinds.
    """
    if first.kind != second.kind:
        raise UnsupportedModelError(
            f"{first.model_name} and {second.model_name} have heads of different kinds: choose two of the same kind."
        )
    differs, size = _differences(first, second)
    rows = np.flatnonzero(differs)
    has = first.has_gold & second.has_gold
    measure, difference = "", None
    if has.any() and first.is_binary == second.is_binary:
        (one, measure), (other, _) = row_values(first), row_values(second)
        difference = paired_difference(one[has], other[has])
    return Disagreements(rows[np.argsort(-size[rows], kind="stable")], size, measure, difference)


def _differences(first: Results, second: Results) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """(N,) whether the models disagree, and by how much."""
    if first.kind == "score":
        size = np.abs(first.scores - second.scores).astype(np.float64)
        return size > 0, size
    said = [np.array(_said(each), object) for each in (first, second)]
    differs = np.asarray(said[0] != said[1], bool)
    if first.probabilities is not None and second.probabilities is not None and _same_labels(first, second):
        order = [[label.lower() for label in second.labels].index(label.lower()) for label in first.labels]
        return differs, np.abs(first.probabilities - second.probabilities[:, order]).max(axis=1).astype(np.float64)
    if first.confidence is None or second.confidence is None:
        return differs, differs.astype(np.float64)
    sure = np.fmin(first.confidence, second.confidence)
    return differs, np.nan_to_num(sure).astype(np.float64)


def _said(results: Results) -> list[str]:
    """What a model says of each row, in lower case; several labels in the order of the alphabet."""
    texts = [text.lower() for text in results.predictions]
    return [", ".join(sorted(text.split(", "))) for text in texts] if results.kind == "labels" else texts


def _same_labels(first: Results, second: Results) -> bool:
    return sorted(map(str.lower, first.labels)) == sorted(map(str.lower, second.labels))
