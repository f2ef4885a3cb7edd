"""The measures of claims about a table of texts: a function for each name, from a subject to a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from encoder.collection.kinds.base import Bools, Results
from encoder.collection.kinds.classes import Classes
from encoder.collection.missed_causes import TESTS
from encoder.collection.search import documents_of, found_among, hits_by_words, rank
from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.table import Collection
from encoder.errors import SelectionError
from encoder.text.common_words import fold_case
from viz.claims.over_heads import state_index
from viz.claims.subject import NOTHING
from viz.recipes.runner import StepRunner
from viz.recipes.step import Recipe
from viz.recipes.tables import results_of
from viz.state.selection import OWN, Selection
from viz.tours.files import NO_OWN_TABLE
from viz.tours.tour import Measure
from viz.views.driving_words.answer import chosen_rows
from viz.views.driving_words.steps import removals_of, words_of
from viz.views.search.answer import relevant_rows
from viz.views.search.steps import NO_QUERY, causes_of, ranked, scores_of_relevant, words_of_table
from viz.views.swaps.steps import chosen_swaps, shifts_of
from viz.views.word_map.answer import shown_colour
from viz.views.word_map.steps import mapped

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableSubject:
    """A table that ships, and a stop's selection.

    Attributes:
        steps: runs the steps of the view's recipes.
    """

    collection: Collection
    selection: Selection
    steps: StepRunner

    def result(self, recipe: Recipe[Found | None]) -> Found:
        """The result of a recipe. Raises HeadlightError."""
        found = self.steps.result(recipe, self.selection.model)
        if found is None:
            raise SelectionError(NOTHING)
        return found

    @property
    def results(self) -> Results:
        """The model's predictions for every row. Raises HeadlightError."""
        return self.result(iter(results_of(self.collection)))


def table_subject(selection: Selection, steps: StepRunner) -> TableSubject:
    """The subject of a stop. Raises DataError, or SelectionError for a table that does not ship."""
    if selection.table.collection == OWN:
        raise SelectionError(NO_OWN_TABLE)
    collection = shipped_collection(selection.table.collection)
    return TableSubject(collection=collection, selection=selection, steps=steps)


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
    if not isinstance(results, Classes) or not results.has_gold.any():
        raise SelectionError("No row of this table has a class of this model.")
    own, said = (word.text.casefold() for word in measure.words)
    for label in (own, said):
        if label not in names:
            raise SelectionError(f"This model has no class “{label}”: {', '.join(results.labels)}.")
    return float(((results.gold == names.index(own)) & (results.predicted == names.index(said))).sum())


def shift(measure: Measure, subject: TableSubject) -> float:
    """What swapping one filler for another changes on average over the stop's templates."""
    before, after = (word.text for word in measure.words)
    args, _ = subject.result(chosen_swaps(subject.collection, subject.selection))
    found = subject.result(iter(shifts_of(subject.collection, args))).shift_of(before, after)
    if found is None:
        raise SelectionError(f"No template of this set swaps “{before}” for “{after}”.")
    return found


def place(measure: Measure, subject: TableSubject) -> float:
    """The place, counted from 1, of the one text with these words in the stop's search, or by words alone."""
    row, query = _row_of(measure, subject), _query(subject)
    if measure.option("by"):
        hits = hits_by_words(subject.result(iter(words_of_table(subject.collection))), query)
        if row not in hits.rows:
            raise SelectionError(f"The text with “{measure.words[0].text}” has no word of the query.")
        return float(hits.place_of(row))
    return float(subject.result(ranked(subject.collection, query)).ranking.place_of(row))


def found(measure: Measure, subject: TableSubject) -> float:
    """The share of the table's queries of which a relevant text is among the first, by the model or by words alone."""
    wanted = relevant_rows(subject.collection)
    if not wanted:
        raise SelectionError("No label of this table says that a text is relevant.")
    if measure.option("by"):
        index = subject.result(iter(words_of_table(subject.collection)))
        rankings = [hits_by_words(index, query) for query in wanted]
    else:
        rankings = list(map(rank, subject.result(scores_of_relevant(subject.collection, wanted))))
    return found_among(rankings, list(wanted.values()), int(measure.option("first") or 0))


def cause(measure: Measure, subject: TableSubject) -> float:
    """1 if this is named as the cause why the stop's search misses the one text with these words, else 0."""
    if measure.label not in TESTS:
        raise SelectionError(f"“{measure.label}” is no cause: {', '.join(TESTS)} are.")
    row, query = _row_of(measure, subject), _query(subject)
    ranking = subject.result(ranked(subject.collection, query))
    return float(subject.result(causes_of(subject.collection, ranking, query, row)).cause == measure.label)


def _row_of(measure: Measure, subject: TableSubject) -> int:
    """The row of the one text with these words. Raises SelectionError."""
    words = measure.words[0].text.casefold()
    texts = subject.collection.column(documents_of(subject.collection))
    rows = [row for row, text in enumerate(texts) if words in text.casefold()]
    if len(rows) != 1:
        raise SelectionError(f"{len(rows)} texts of this table have the words “{measure.words[0].text}”: name one.")
    return rows[0]


def _query(subject: TableSubject) -> str:
    """The stop's query. Raises SelectionError without one."""
    query = subject.selection.table.query
    if not query.strip():
        raise SelectionError(NO_QUERY)
    return query


def drives(measure: Measure, subject: TableSubject) -> float:
    """What a word adds to the stop's class, as a mean over those of the stop's rows that have it."""
    results, word = subject.results, fold_case(measure.words[0].text)
    rows, driven = chosen_rows(subject.selection.table, subject.collection, results)
    found = subject.result(words_of(subject.collection, results, rows, driven))
    if word not in found.words:
        raise SelectionError(f"None of these {found.num_rows:,} rows has the word “{measure.words[0].text}”.")
    return float(found.means[found.words.index(word)])


def removal(measure: Measure, subject: TableSubject) -> float:
    """What deleting a word from all rows that have it changes in the stop's class, as a mean over these rows."""
    results, word = subject.results, fold_case(measure.words[0].text)
    _, driven = chosen_rows(subject.selection.table, subject.collection, results)
    found = subject.result(removals_of(subject.collection, results, [word], driven))
    if not found:
        raise SelectionError(f"No row of this table has the word “{measure.words[0].text}”.")
    return found[0].change.value


def neighbour(measure: Measure, subject: TableSubject) -> float:
    """The share of a word's occurrences whose nearest neighbour has their label, by the stop's colour."""
    table = subject.selection.table
    found = subject.result(mapped(subject.collection, table, measure.words[0].text))
    colour = shown_colour(found, subject.collection, table.colour)
    if colour not in found.accuracies:
        raise SelectionError(f"No two labels of this column have two texts with “{measure.words[0].text}” each.")
    return float(found.accuracies[colour].neighbour[state_index(measure, len(found.points) - 1)])


def _rows_with(collection: Collection, cell: str) -> Bools:
    """(N,) the rows with this cell in any column but the texts' ones. Raises SelectionError if there are none."""
    columns = [name for name in collection.columns if name not in (collection.text, collection.text_b)]
    found = np.zeros(len(collection), bool)
    for name in columns:
        found |= np.array([each.casefold() == cell.casefold() for each in collection.column(name)])
    if not found.any():
        raise SelectionError(f"No row of this table has “{cell}” in a column.")
    return found


OF_TABLES: Mapping[str, Callable[[Measure, TableSubject], float]] = {
    "accuracy": accuracy,
    "errors": errors,
    "shift": shift,
    "place": place,
    "found": found,
    "cause": cause,
    "drives": drives,
    "removal": removal,
    "neighbour": neighbour,
}
