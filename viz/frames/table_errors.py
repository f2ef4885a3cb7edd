"""Where a model is right and wrong in a table of texts, as pandas frames."""

from __future__ import annotations

import warnings
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from encoder.columns import Columns
from encoder.errors import SelectionError, UnsupportedModelError

if TYPE_CHECKING:
    from encoder import Backend
    from encoder.collection.kinds.base import Results
    from encoder.measures.classification import PairedDifference
    from viz.frames import Texts


class TableErrors(Columns):
    """Where a model is right and wrong in a table of texts: the numbers of the view *Texts*; `Texts.errors` makes it.

    Each table is a pandas frame whose columns are named as on the page. "from" and "to" are the ends of a 95 %
    interval, by the methods of `encoder.measures.inference`; NaN for too few rows.

    Attributes:
        texts: the table.
        collection: the rows that are read.
        results: what the model predicts for each.
    """

    def __init__(self, texts: Texts, results: Results) -> None:
        self.texts, self.collection, self.results = texts, texts.collection, results

    @property
    def columns(self) -> dict[str, Any]:
        """The `summary` by columns, with the names of the measures."""
        return self.summary.reset_index(names="measure").to_dict("list")

    @property
    def about(self) -> str:
        reading = self.texts._reading(self.results).rstrip(".")
        return f"of {self.results.model_name} in {self.collection.name}{reading and f' ({reading})'}"

    @cached_property
    def summary(self) -> pd.DataFrame:
        """A row for each measure of the kind of head: its value, its interval, and the n rows that it is from.

        "right" is the share of rows of which all is right; "F1" the mean over classes or labels; "words right", "F1 of
        words" and "among five" are of tags, answers and masked words; "AUC" is of two classes or a reranker, "mean
        absolute error" and "rank correlation" of other scores; "calibration error" is the expected one.
        """
        found = self.results.measures
        return pd.DataFrame(found.values(), index=list(found), columns=["value", "from", "to", "n"])

    @property
    def rows(self) -> pd.DataFrame:
        """The errors as in `Texts.run`, the largest loss in nats first; of a score all rows with a label."""
        from encoder.collection.row_tables import PredictionFormat, predictions_of
        from viz.views.texts.answer.rows import shown_rows

        order = shown_rows(self.collection, self.results, "errors", "errors")
        known = order[self.results.has_gold[order]]
        written = PredictionFormat.of(self.collection, self.results)
        frame = predictions_of(self.collection, self.results, written).to_pandas()
        return self.texts._of_rows(frame, all_rows=False).iloc[known]

    @property
    def confusions(self) -> pd.DataFrame:
        """A row for each cell of the confusion matrix: its rows, and the share of all rows with the own label.

        Raises:
            UnsupportedModelError: the model has no classes.
        """
        from encoder.collection.kinds.classes import Classes
        from viz.views.texts.answer.summary import columns_of_cells

        if not isinstance(self.results, Classes):
            raise self._has_no("classes")
        places = range(len(self.results.labels))
        return pd.DataFrame(columns_of_cells(self.results, list(product(places, places))))

    @property
    def classes(self) -> pd.DataFrame:
        """A row for each class, label or tag: how many rows or words have and get it, its F1, precision and recall.

        Raises:
            UnsupportedModelError: the model has no classes.
        """
        from encoder.collection.kinds.classes import WithShares
        from encoder.collection.tag_scores import scores_of_tags
        from viz.views.texts.answer.details import columns_of_classes, columns_of_scores

        if (of_tags := scores_of_tags(self.collection, self.results)) is not None:
            return pd.DataFrame(columns_of_scores(*of_tags))
        if not isinstance(self.results, WithShares) or (scores := self.results.class_scores) is None:
            raise self._has_no("classes")
        return pd.DataFrame(columns_of_classes(self.results, scores))

    @property
    def entities(self) -> pd.DataFrame:
        """As `classes`, of whole entities: all of them, then each kind, as seqeval's strict mode counts them.

        Raises:
            UnsupportedModelError: the model tags no entities.
        """
        from encoder.collection.tag_scores import scores_of_entities
        from viz.views.texts.answer.details import columns_of_scores

        found = scores_of_entities(self.collection, self.results)
        if found is None:
            raise UnsupportedModelError(f"{self.results.model_name} tags no entities in these rows.")
        return pd.DataFrame(columns_of_scores(*found))

    @property
    def calibration(self) -> pd.DataFrame:
        """A row for each bin: the mean probability, or score, and how often it is right, or the mean label.

        Raises:
            UnsupportedModelError: the model gives no probability.
        """
        from viz.views.texts.answer.details import columns_of_bins

        found = self.results.calibration
        if found is None:
            raise self._has_no("probabilities")
        return pd.DataFrame(columns_of_bins(self.results, found))

    @property
    def prediction_sets(self) -> pd.DataFrame:
        """How many classes the model has to name to be right in 80 to 99 % of the rows: split conformal prediction.

        The least probability is chosen on a random half of the rows; the other columns are of the other half.

        Raises:
            UnsupportedModelError: the model has no classes.
            SelectionError: fewer than 40 rows have a label.
        """
        from encoder.collection.kinds.classes import Classes
        from encoder.measures.prediction_sets import prediction_sets
        from viz.views.texts.answer.details import WANTED, columns_of_sets

        if not isinstance(self.results, Classes):
            raise self._has_no("classes")
        has = self.results.has_gold
        probabilities, gold = self.results.probabilities[has], self.results.gold[has]
        return pd.DataFrame(columns_of_sets([prediction_sets(probabilities, gold, each) for each in sorted(WANTED)]))

    @property
    def slices(self) -> pd.DataFrame:
        """A row for each slice by a column or by length, compared with all other rows; the smallest p first.

        "corrected p" is after Holm's correction for all slices that were tried.
        """
        from encoder.collection.correctness import compared_slices
        from viz.views.texts.answer.details import columns_of_slices

        found = compared_slices(self.collection, self.results)
        return pd.DataFrame(columns_of_slices(found) if found else {})

    @property
    def label_errors(self) -> pd.DataFrame:
        """The rows whose label is probably wrong, the surest first, and the class that each probably has.

        By confident learning, which takes a model that was not trained on the table. In the `attrs`: the share of wrong
        labels that would be `found` if 5 % were wrong, and of the `others` that would be suspected.

        Raises:
            UnsupportedModelError: the model has no classes.
            SelectionError: all labels are the same, or there are fewer than ten.
        Source: Northcutt, Jiang and Chuang (2021), arXiv 1911.00068.
        """
        from encoder.collection.kinds.classes import Classes
        from encoder.collection.label_errors import label_errors, planted

        if not isinstance(self.results, Classes):
            raise self._has_no("classes")
        found = pd.DataFrame(label_errors(self.results).columns(self.results))
        rows = found.pop("row").to_numpy()
        found.insert(0, "text", self.collection.column(self.collection.text, rows.tolist()))
        found.attrs = dict(zip(("found", "others"), planted(self.results), strict=True))
        return found.set_index(self.texts.index[self.texts.numbers(rows)])

    def against(self, other: Backend | TableErrors) -> ModelComparison:
        """A second model over the same rows, or the errors of another table whose index has some of the same rows.

        So `texts(before).errors(model).against(texts(after).errors(model))` compares a table before and after a change.

        Raises:
            SelectionError: the tables have no row in common, or a row twice.
            UnsupportedModelError: it has a head of another kind, or predicts nothing for these rows.
        """
        from encoder.collection.correctness import disagreements
        from encoder.collection.results import results_of_all
        from viz.views.texts.answer.second_model import columns_of_disagreements

        own, collection, rows = self.results, self.collection, np.arange(len(self.results))
        if isinstance(other, TableErrors):
            rows, others = self._common_rows(other)
            own, collection, theirs = own.select(rows), collection.select(rows.tolist()), other.results.select(others)
        else:
            theirs = results_of_all(other, collection)
        found, names = disagreements(own, theirs), (own.model_name, theirs.model_name)
        if names[0] == names[1]:
            names = "before", "after"
        columns = columns_of_disagreements(collection, own, theirs, found.rows, names, found.size)
        columns["row"] = self.texts.numbers(rows[found.rows])  # from 0, as in all frames
        return ModelComparison(pd.DataFrame(columns), found.measure, found.difference)

    def _common_rows(self, other: TableErrors) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """The rows, of those that are read, that both tables have, by the caller's index."""
        own, theirs = (each.texts.index[each.texts.numbers(np.arange(len(each.results)))] for each in (self, other))
        if not (own.is_unique and theirs.is_unique):
            raise SelectionError("A row occurs twice in the index of a table, so that rows cannot be compared.")
        places = theirs.get_indexer(own)
        rows, others = np.flatnonzero(places >= 0), places[places >= 0]
        if not len(rows):
            raise SelectionError("The two tables have no row in common: give both the same index.")
        if all(each.texts.index.equals(pd.RangeIndex(len(each.texts.index))) for each in (self, other)):  # by default
            texts = zip(self.collection.texts(rows.tolist()), other.collection.texts(others.tolist()), strict=True)
            if differing := sum(own != their for own, their in texts):
                said = f"{differing:,} of the {len(rows):,} rows that both tables have differ in text."
                warnings.warn(said, stacklevel=3)
        return rows, others

    def _has_no(self, what: str) -> UnsupportedModelError:
        return UnsupportedModelError(f"{self.results.model_name} has no {what} for whole texts.")


class ModelComparison(NamedTuple):
    """Two models over the same rows.

    Attributes:
        rows: a frame of the rows in which they disagree, the largest difference first; "row" counts from 0.
        measure: that they are compared by, such as "right"; "" where `difference` is None.
        difference: of its mean, the second model minus the first, with McNemar's p; None if no row has a label.
    """

    rows: pd.DataFrame
    measure: str
    difference: PairedDifference | None
