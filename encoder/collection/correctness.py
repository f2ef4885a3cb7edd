"""Where a model is right in a table of texts: slices of the rows, the order of its classes, a second model."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from encoder.collection.kinds.base import Results
from encoder.collection.kinds.classes import Classes
from encoder.collection.row_labels import classes_of, translated
from encoder.collection.row_slices import RowSlice, TriedSlices, slices_to_compare
from encoder.collection.table import Collection
from encoder.errors import UnsupportedModelError
from encoder.measures.classification import PairedDifference, Slice, paired_difference, slices
from encoder.measures.inference import Interval, share

# Another order of the classes is named from this gain of the share of right rows on, and from so many rows on.
FAR_MORE: Final = 0.2
ENOUGH_ROWS: Final = 20
MOST_ORDERED: Final = 200


class ComparedSlices(NamedTuple):
    """Slices of a table, each compared with all other rows.

    Attributes:
        measure: that they are compared by, as in `Results.row_values`.
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
    values, measure = results.row_values
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
    if not isinstance(results, Classes) or len(results.labels) > MOST_ORDERED or results.has_gold.sum() < ENOUGH_ROWS:
        return None
    from scipy.optimize import linear_sum_assignment  # takes long to import

    counts = results.confusions
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
        size: (N,) of every row, as in `Results.differences`.
        measure: that they are compared by, as in `Results.row_values`; "" where `difference` is None.
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
    differs, size = first.differences(second)
    rows = np.flatnonzero(differs)
    has = first.has_gold & second.has_gold
    measure, difference = "", None
    (one, measured), (other, in_other) = first.row_values, second.row_values
    if has.any() and measured == in_other:
        measure = measured
        difference = paired_difference(one[has], other[has])
    return Disagreements(rows[np.argsort(-size[rows], kind="stable")], size, measure, difference)
