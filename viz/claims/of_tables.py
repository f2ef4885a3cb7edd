"""The measures of claims about a table of texts: a function for each name, from a subject to a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final

import numpy as np

from encoder.collection.results import Bools, Results, no_progress, results_of_all
from encoder.collection.search import (
    GrowingVectors,
    Ranking,
    documents_of,
    embed_rows,
    is_reranker,
    query_vector,
    rank,
    rerank,
)
from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.swaps import Swaps, class_labels, parse_template, run_swaps, texts_by_set
from encoder.collection.table import Collection
from encoder.errors import SelectionError
from encoder.models.base import Backend
from encoder.runs.arrays import FloatArray
from viz.answers.swaps import chosen_label, chosen_set
from viz.state.selection import OWN, Table
from viz.tours.tour import Measure

NO_OWN_TABLE: Final = "A stop carries no table of your own: it can show one that ships."


@dataclass(frozen=True, kw_only=True, eq=False)
class TableSubject:
    """A model and a table that ships, as a stop shows it; what the model says of it is computed when it is needed.

    Attributes:
        table: the stop's search and its swaps.
    """

    backend: Backend
    collection: Collection
    table: Table

    @cached_property
    def results(self) -> Results:
        """What the model says of every row. Raises HeadlightError."""
        return results_of_all(self.backend, self.collection)

    @cached_property
    def vectors(self) -> FloatArray:
        """(N, D) the vectors of the texts that are searched. Raises HeadlightError."""
        return embed_rows(self.backend, GrowingVectors(self.collection), no_progress)

    @cached_property
    def ranking(self) -> Ranking:
        """The rows in the order of the stop's query. Raises HeadlightError."""
        query = self.table.query.strip()
        if not query:
            raise SelectionError("The stop searches for nothing: “find” is its query.")
        if is_reranker(self.backend):
            return rank(rerank(self.backend, no_progress, self.collection, query))
        return rank(self.vectors @ query_vector(self.backend, query))

    @cached_property
    def swap_label(self) -> tuple[int, str]:
        """The class whose probability swaps are measured by: its index, and its name, "" without classes."""
        labels = class_labels(self.backend)
        index = chosen_label(self.table, labels)
        return index, labels[index] if labels and self.table.measure == "class" else ""

    @cached_property
    def swaps(self) -> Swaps:
        """What the model says of all fillings of the stop's templates. Raises HeadlightError."""
        sets = texts_by_set(self.collection)
        if not sets:
            raise SelectionError("No row of this table has a slot such as {he|she}.")
        templates = list(map(parse_template, sets[chosen_set(self.table, sets)]))
        return run_swaps(self.backend, no_progress, templates, self.table.measure, self.swap_label[0])


def table_subject(backend: Backend, table: Table) -> TableSubject:
    """The subject of a stop. Raises DataError, or SelectionError for a table that does not ship."""
    if table.collection == OWN:
        raise SelectionError(NO_OWN_TABLE)
    return TableSubject(backend=backend, collection=shipped_collection(table.collection), table=table)


def accuracy(measure: Measure, subject: TableSubject) -> float:
    """The share of labelled rows that are right, of those that a cell selects."""
    results = subject.results
    correct = results.correct
    if correct is None:
        raise SelectionError("No row of this table has a label of this model.")
    rows = results.has_gold
    for keyword in ("where", "without"):
        cell = measure.option(keyword)
        if cell:
            found = _rows_with(subject.collection, cell)
            rows = rows & (found if keyword == "where" else ~found)
    if not rows.any():
        raise SelectionError("No labelled row is left.")
    return float(correct[rows].mean())


def errors(measure: Measure, subject: TableSubject) -> float:
    """How many rows with one label are given another one."""
    results = subject.results
    names = [label.casefold() for label in results.labels]
    if results.kind != "classes" or not results.has_gold.any():
        raise SelectionError("No row of this table has a class of this model.")
    own, said = (word.text.casefold() for word in measure.words)
    for label in (own, said):
        if label not in names:
            raise SelectionError(f"This model has no class “{label}”: {', '.join(results.labels)}.")
    return float(((results.gold == names.index(own)) & (results.predicted == names.index(said))).sum())


def shift(measure: Measure, subject: TableSubject) -> float:
    """What swapping one filler for another changes on average over the stop's templates."""
    before, after = (word.text for word in measure.words)
    found = [swap.shift for swap in subject.swaps.swaps if (swap.before, swap.after) == (before, after)]
    if not found:
        raise SelectionError(f"No template of this set swaps “{before}” for “{after}”.")
    return float(np.mean(found))


def place(measure: Measure, subject: TableSubject) -> float:
    """The place, counted from 1, of the one text with these words in the stop's search."""
    words = measure.words[0].text.casefold()
    texts = subject.collection.column(documents_of(subject.collection))
    rows = [row for row, text in enumerate(texts) if words in text.casefold()]
    if len(rows) != 1:
        raise SelectionError(f"{len(rows)} texts of this table have the words “{measure.words[0].text}”: name one.")
    return float(subject.ranking.place_of(rows[0]))


def _rows_with(collection: Collection, cell: str) -> Bools:
    """(N,) the rows with this cell in any column but the texts' ones. Raises SelectionError if there are none."""
    columns = [name for name in collection.columns if name not in (collection.text, collection.text_b)]
    found = np.zeros(len(collection), bool)
    for name in columns:
        found |= np.array([each.casefold() == cell.casefold() for each in collection.column(name)])
    if not found.any():
        raise SelectionError(f"No row of this table has “{cell}” in a column.")
    return found


OF_TABLES: Mapping[str, Callable[[Measure, TableSubject], float]] = MappingProxyType(
    {"accuracy": accuracy, "errors": errors, "shift": shift, "place": place}
)
