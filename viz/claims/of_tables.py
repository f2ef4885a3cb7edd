"""The measures of claims about a table of texts: a function for each name, from a subject to a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np

from encoder.collection.driving_words import DrivingWords, WordRemoval, remove_words, row_words, words_of_rows
from encoder.collection.results import Bools, Results, no_progress, results_of_all
from encoder.collection.search import (
    GrowingVectors,
    Ranking,
    Vectors,
    documents_of,
    embed_rows,
    is_reranker,
    rank,
    rerank,
    scores_of_query,
)
from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.swaps import Swaps, class_labels, parse_template, run_swaps, texts_by_set
from encoder.collection.table import Collection
from encoder.collection.word_map import WordMap, find_word, map_word, suggest_words
from encoder.errors import SelectionError
from encoder.models.base import Backend
from encoder.text.common_words import fold_case
from viz.answers.driving_words import chosen_rows
from viz.answers.swaps import chosen_label, chosen_set
from viz.answers.word_map import chosen_word, shown_colour
from viz.claims.over_heads import existing
from viz.state.selection import OWN, Table
from viz.tours.files import NO_OWN_TABLE
from viz.tours.tour import Measure


@dataclass(frozen=True, kw_only=True, eq=False)
class TableSubject:
    """A model and a table that ships, as a stop shows it; what the model says of it is computed when it is needed.

    Attributes:
        table: the stop's search, its swaps and its words.
        maps: finished maps, by their word.
    """

    backend: Backend
    collection: Collection
    table: Table
    maps: dict[str, WordMap] = field(default_factory=dict)

    @cached_property
    def results(self) -> Results:
        """What the model says of every row. Raises HeadlightError."""
        return results_of_all(self.backend, self.collection)

    @cached_property
    def vectors(self) -> Vectors:
        """The vectors of the texts that are searched. Raises HeadlightError."""
        return embed_rows(self.backend, GrowingVectors(self.collection), no_progress)

    @cached_property
    def ranking(self) -> Ranking:
        """The rows in the order of the stop's query. Raises HeadlightError."""
        query = self.table.query.strip()
        if not query:
            raise SelectionError("The stop searches for nothing: “find” is its query.")
        if is_reranker(self.backend):
            return rerank(self.backend, no_progress, self.collection, query).ranking
        return rank(scores_of_query(self.backend, query, self.vectors))

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

    @cached_property
    def driving(self) -> DrivingWords:
        """The words that drive the stop's rows to its class. Raises HeadlightError."""
        rows, driven = chosen_rows(self.table, self.collection, self.results)
        return words_of_rows(row_words(self.backend, self.collection, self.results, rows, label=driven or None))

    def removals(self, words: Sequence[str]) -> tuple[WordRemoval, ...]:
        """What the stop's class loses without each word, and without all of them. Raises HeadlightError."""
        _, driven = chosen_rows(self.table, self.collection, self.results)
        return remove_words(self.backend, self.collection, self.results, words, label=driven or None)

    def word_map(self, word: str = "") -> WordMap:
        """The occurrences of a word, or of the stop's. Raises HeadlightError."""
        wanted = word or chosen_word(self.table, suggest_words(self.collection))
        if wanted not in self.maps:
            found = find_word(self.collection, wanted, self.table.forms)
            self.maps[wanted] = map_word(self.backend, no_progress, self.collection, found)
        return self.maps[wanted]


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
    found = subject.swaps.shift_of(before, after)
    if found is None:
        raise SelectionError(f"No template of this set swaps “{before}” for “{after}”.")
    return found


def place(measure: Measure, subject: TableSubject) -> float:
    """The place, counted from 1, of the one text with these words in the stop's search."""
    words = measure.words[0].text.casefold()
    texts = subject.collection.column(documents_of(subject.collection))
    rows = [row for row, text in enumerate(texts) if words in text.casefold()]
    if len(rows) != 1:
        raise SelectionError(f"{len(rows)} texts of this table have the words “{measure.words[0].text}”: name one.")
    return float(subject.ranking.place_of(rows[0]))


def drives(measure: Measure, subject: TableSubject) -> float:
    """What a word adds to the stop's class, as a mean over those of the stop's rows that have it."""
    found, word = subject.driving, fold_case(measure.words[0].text)
    if word not in found.words:
        raise SelectionError(f"None of these {found.num_rows:,} rows has the word “{measure.words[0].text}”.")
    return float(found.means[found.words.index(word)])


def removal(measure: Measure, subject: TableSubject) -> float:
    """What deleting a word from all rows that have it changes in the stop's class, as a mean over these rows."""
    found = subject.removals([fold_case(measure.words[0].text)])
    if not found:
        raise SelectionError(f"No row of this table has the word “{measure.words[0].text}”.")
    return found[0].change.value


def neighbour(measure: Measure, subject: TableSubject) -> float:
    """The share of a word's occurrences whose nearest neighbour has their label, by the stop's colour."""
    found = subject.word_map(measure.words[0].text)
    colour = shown_colour(found, subject.collection, subject.table.colour)
    if colour not in found.accuracies:
        raise SelectionError(f"No two labels of this column have two texts with “{measure.words[0].text}” each.")
    layer = measure.option("layer") or ""
    state = 0 if layer == "embeddings" else 1 + existing(int(layer), subject.backend.num_layers, "layer")
    return float(found.accuracies[colour].neighbour[state])


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
    {
        "accuracy": accuracy,
        "errors": errors,
        "shift": shift,
        "place": place,
        "drives": drives,
        "removal": removal,
        "neighbour": neighbour,
    }
)
