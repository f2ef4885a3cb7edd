"""Filters of a table's rows that the page offers, and how those that are clicked or typed are named in an address."""

from __future__ import annotations

from typing import Final

import numpy as np

from encoder.collection.kinds.base import Results
from encoder.collection.kinds.classes import Classes, WithShares
from encoder.collection.row_filters import (
    ALL,
    CONTAINS,
    ERRORS,
    FALSE_NEGATIVES,
    FALSE_POSITIVES,
    UNSURE,
    Indices,
    cell_of,
    filtered,
    find_mistakes,
    is_about_labels,
    mistakes_of,
    name_of_cell,
    parts_of,
)
from encoder.collection.row_slices import slices_to_compare
from encoder.collection.table import Collection
from viz.answers.collection.row_titles import title_of_rows
from viz.answers.collection.slices import is_in_address
from viz.state.codecs import LONGEST_ROWS

MOST_CHOICES: Final = 12  # cells of the confusion matrix to choose from, and classes with mistakes


def chips(rows: str, collection: Collection, results: Results) -> dict[str, str]:
    """The titles of the filters that are in sight: errors, unsure rows, and those that are chosen."""
    offered = [] if results.correct is None else [ERRORS]
    offered += [] if results.confidence is None else [UNSURE]
    found = dict.fromkeys((*offered, *chosen_parts(rows, collection, results)))
    return {part: title_of_rows(part, collection, results) for part in found}


def chosen_parts(rows: str, collection: Collection, results: Results) -> list[str]:
    """The filters that are combined; none for all rows."""
    return [part for part in parts_of(rows, collection, results) if part != ALL]


def without_labels(rows: str, collection: Collection, results: Results) -> Results:
    """The results of the rows that are left by the filters that compare nothing with the labels, as slices do."""
    kept = np.ones(len(results), bool)
    for part in chosen_parts(rows, collection, results):
        if part != UNSURE and not is_about_labels(part, results):
            kept &= np.asarray(filtered(collection, results, part))
    return results if kept.all() else results.select(np.flatnonzero(kept))


def filter_choices(collection: Collection, results: Results) -> dict[str, str]:
    """Filters to choose from, with their titles: the mistakes of each class, cells, and slices."""
    counts = dict[str, int]()
    if isinstance(results, WithShares):
        for kind in (FALSE_POSITIVES, FALSE_NEGATIVES):
            of_classes = find_mistakes(results, kind).sum(axis=0)
            counts |= {
                filter_of_mistakes(kind, index, results): int(of_classes[index]) for index in _largest(of_classes)
            }
    if isinstance(results, Classes):
        counts |= _cells(results)
    slices = slices_to_compare(collection, results).slices
    counts |= {each.rows: int(each.members.sum()) for each in slices if is_in_address(each.rows)}
    return {rows: f"{title_of_rows(rows, collection, results)} ({count:,})" for rows, count in counts.items()}


def _cells(results: Classes) -> dict[str, int]:
    """The largest cells of the confusion matrix and their rows; of two classes, errors are mistakes of a class."""
    labelled = results.has_gold
    if len(results.labels) == 2:
        labelled = labelled & (results.gold == results.predicted)
    pairs = np.stack([results.gold[labelled], results.predicted[labelled]], axis=1)
    cells, counts = np.unique(pairs, axis=0, return_counts=True)
    largest = _largest(counts)
    return {
        filter_of_cell(own, predicted, results): count
        for (own, predicted), count in zip(cells[largest].tolist(), counts[largest].tolist(), strict=True)
    }


def _largest(counts: Indices) -> list[int]:
    """The indices of the largest numbers above 0."""
    order = np.argsort(-counts, kind="stable")[:MOST_CHOICES]
    largest: list[int] = order[counts[order] > 0].tolist()
    return largest


def filter_of_cell(own: int, predicted: int, results: Results) -> str:
    """The filter of a cell of the confusion matrix: by names, or by numbers where these are no part of an address."""
    named = name_of_cell(results.labels[own], results.labels[predicted])
    fits = is_in_address(named) and cell_of(named, results) == (own, predicted)
    return named if fits else name_of_cell(own, predicted)


def filter_of_mistakes(kind: str, index: int, results: Results) -> str:
    """The filter of a kind of mistakes of a class: by its name, or by its number for an address."""
    named = f"{kind}{results.labels[index]}"
    fits = is_in_address(named) and mistakes_of(named, results) == (kind, index)
    return named if fits else f"{kind}{index}"


def filter_of_typed(typed: str, collection: Collection, results: Results) -> str:
    """The filter that a user types: one that applies, else a search in the texts."""
    shown = "".join(filter(str.isprintable, typed))[: LONGEST_ROWS - len(CONTAINS)]
    return shown if filtered(collection, results, shown) is not None else f"{CONTAINS}{shown}"
