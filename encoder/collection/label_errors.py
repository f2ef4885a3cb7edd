"""Labels of a table that are probably wrong, by confident learning.

It takes the probabilities of a model that was not trained on the table: one that was has learnt the wrong labels.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from encoder.collection.kinds.classes import Classes
from encoder.errors import SelectionError
from encoder.runs.arrays import FloatArray

SHARE: Final = 0.05  # of the labels that are replaced in a test
TIMES: Final = 20


class LabelErrors(NamedTuple):
    """Rows whose label is probably wrong, the surest first.

    Attributes:
        rows: (M,) their indices.
        classes: (M,) the class that each probably has.
        margins: (M,) the probability of that class minus that of the label.
    """

    rows: npt.NDArray[np.intp]
    classes: npt.NDArray[np.intp]
    margins: FloatArray

    def columns(self, results: Classes) -> dict[str, Any]:
        """The rows with their labels, for `pandas.DataFrame`."""
        own = results.gold[self.rows]
        return {
            "row": self.rows,
            "label": [results.labels[each] for each in own],
            "probably": [results.labels[each] for each in self.classes],
            "probability": results.probabilities[self.rows, self.classes],
            "probability of the label": results.probabilities[self.rows, own],
        }


def label_errors(results: Classes) -> LabelErrors:
    """The rows that confident learning counts for another class than their label, which the model predicts as well.

    Raises:
        SelectionError: fewer than two classes are labels of rows.
    Source: Northcutt, Jiang and Chuang (2021), arXiv 1911.00068, equations 1 and 2.
    """
    has = np.flatnonzero(results.has_gold)
    own = results.gold[has]
    if len(np.unique(own)) < 2:
        raise SelectionError("Labels are held against each other: rows need at least two different ones.")
    found, classes, margins = _suspected(own, results.probabilities[has])
    return LabelErrors(has[found], classes, margins)


def planted(results: Classes, *, share: float = SHARE, times: int = TIMES) -> tuple[float, float]:
    """How many wrong labels of this table would be found, and how many other labels suspected, if some were wrong.

    Each time, so many labels are replaced by another class of the table, drawn at random.

    Args:
        share: of the labels that are replaced.
    Returns:
        The share of these that are suspected, and that of the others, both as a mean.
    Raises:
        SelectionError: as `label_errors`, or the table has too few rows.
    """
    random, has = np.random.default_rng(0), np.flatnonzero(results.has_gold)
    own, shares = results.gold[has], results.probabilities[has]
    count = round(share * len(own))
    occurring = np.unique(own)
    if len(occurring) < 2 or not count:
        raise SelectionError("One wrong label in twenty is planted: rows need ten labels, and two different ones.")
    found, others = [], []
    for _ in range(times):
        replaced = random.permutation(len(own))[:count]
        labels = own.copy()
        places = np.searchsorted(occurring, own[replaced])
        labels[replaced] = occurring[(places + random.integers(1, len(occurring), count)) % len(occurring)]
        is_suspected, is_replaced = np.zeros(len(own), bool), np.isin(np.arange(len(own)), replaced)
        is_suspected[_suspected(labels, shares)[0]] = True
        found.append(is_suspected[is_replaced].mean())
        others.append(is_suspected[~is_replaced].mean())
    return float(np.mean(found)), float(np.mean(others))


def _suspected(own: npt.NDArray[np.intp], shares: FloatArray) -> tuple[Any, Any, Any]:
    """The rows, the surest first, the class that each probably has, and by how much it leads.

    Args:
        own: (N,) the classes of the labels.
        shares: (N, C) the probabilities.
    """
    num_classes = shares.shape[1]
    counts = np.bincount(own, minlength=num_classes)
    of_labels = np.bincount(own, weights=shares[np.arange(len(own)), own], minlength=num_classes)
    # From the mean probability of a class in the rows with this label on, a row is counted for the class.
    thresholds = np.where(counts > 0, of_labels / np.maximum(counts, 1), np.inf)
    counted = np.where(shares >= thresholds, shares, -1)  # (N, C)
    classes = counted.argmax(axis=1)
    found = np.flatnonzero((counted.max(axis=1) >= 0) & (classes != own) & (shares.argmax(axis=1) != own))
    margins = shares[found, classes[found]] - shares[found, own[found]]
    order = np.argsort(-margins, kind="stable")
    return found[order], classes[found[order]], margins[order]
