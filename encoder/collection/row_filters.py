"""Filters of a table's rows, by a model's output or by their cells.

| filter | rows |
|---|---|
| `all`, `errors`, `unsure` | all; with another label than predicted; with the likeliest classes near each other |
| `positive>negative` | a cell of the confusion matrix: the row's own label, and the predicted one |
| `false positives of negative`, `false negatives of negative` | the mistakes of a class, or of one of several labels |
| `topic=hotel`, `price=3-5`, `tokens=3-12` | a slice: a value of a column, or a range of its numbers or of lengths |
| `~worse`, `topic~hot` | the text, or another column, has these characters, in upper or lower case |
| `rows 5,9-12` | numbers of rows, counted from 0 |
| `errors & topic=hotel` | rows that several filters have |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from encoder.collection.kinds.base import Bools, Results
from encoder.collection.kinds.classes import Classes, WithShares
from encoder.collection.row_slices import find_slice
from encoder.collection.table import Collection
from encoder.errors import SelectionError

ALL, ERRORS, UNSURE = "all", "errors", "unsure"
ARROW: Final = ">"  # between the own class of a row and the predicted one
FALSE_POSITIVES, FALSE_NEGATIVES = "false positives of ", "false negatives of "  # before a class
CONTAINS: Final = "~"  # between a column, or nothing for the texts, and what is searched
NUMBERED: Final = "rows "
AND: Final = " & "  # between filters
RANGE: Final = re.compile("([0-9]{1,9})(?:-([0-9]{1,9}))?")
Indices = npt.NDArray[np.intp]


class Search(NamedTuple):
    """The rows with some characters in a column; in a column of texts if the column is "".

    Attributes:
        members: (N,) whether each row is one of them.
    """

    column: str
    characters: str
    members: Bools


def name_of_cell(own: str | int, predicted: str | int) -> str:
    """The filter of a cell of the confusion matrix, by names of classes or by their numbers."""
    return f"{own}{ARROW}{predicted}"


def cell_of(rows: str, results: Results) -> tuple[int, int] | None:
    """The own class and the predicted one that a filter such as "negative>positive" names, or None."""
    if not isinstance(results, Classes):
        return None
    for place, character in enumerate(rows):
        if character == ARROW:
            own, predicted = (_class_of(end, results) for end in (rows[:place], rows[place + 1 :]))
            if own is not None and predicted is not None:
                return own, predicted
    return None


def mistakes_of(rows: str, results: Results) -> tuple[str, int] | None:
    """The kind of mistake and the class that a filter such as "false positives of negative" names, or None."""
    for kind in (FALSE_POSITIVES, FALSE_NEGATIVES):
        if rows.startswith(kind) and isinstance(results, WithShares):
            index = _class_of(rows.removeprefix(kind), results)
            return None if index is None else (kind, index)
    return None


def _class_of(name: str, results: Results) -> int | None:
    """The index of a class, by its name or its number."""
    numbers = {str(index): index for index in range(len(results.labels))}
    return results.labels.index(name) if name in results.labels else numbers.get(name)


def is_error(results: Results) -> Bools:
    """(N,) whether a row's label is known, and something else is predicted; False for all of a score."""
    correct = results.correct
    return np.zeros(len(results), bool) if correct is None else results.has_gold & ~correct


def search_of(rows: str, collection: Collection) -> Search | None:
    """The rows that a filter such as "~worse" searches, whether or not there are any; None if it searches nothing."""
    column, sign, characters = rows.partition(CONTAINS)
    if not sign or not characters or column not in ("", *collection.columns):
        return None
    searched = [column] if column else [collection.text, *filter(None, [collection.text_b])]
    cells = [pc.fill_null(collection.table.column(each), "") for each in searched]
    found = [pc.match_substring(each, characters, ignore_case=True).to_numpy(zero_copy_only=False) for each in cells]
    return Search(column, characters, np.any(found, axis=0))


def name_of_rows(rows: Sequence[int]) -> str:
    """The filter of rows by their numbers.

    Raises:
        SelectionError: they are no whole numbers, as those of a mask.
    """
    given = np.asarray(rows)
    if given.size and given.dtype.kind not in "iu":
        raise SelectionError("Rows are chosen by whole numbers: of a mask, take numpy.flatnonzero(mask).")
    numbers = np.unique(given.astype(np.intp))
    ranges = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
    return NUMBERED + ",".join("-".join(dict.fromkeys((f"{each[0]}", f"{each[-1]}"))) for each in ranges if len(each))


def check_row(row: int, count: int) -> None:
    """Refuse a row that a table of so many rows does not have. Raises SelectionError."""
    if not 0 <= row < count:
        raise SelectionError(f"Row {row:,} was asked for; the table has rows 0 to {count - 1:,}.")


def numbers_of(rows: str, count: int) -> Indices | None:
    """The rows that a filter such as "rows 5,9-12" names; None if it names none, or others than the first `count`."""
    ranges = [RANGE.fullmatch(each) for each in rows.removeprefix(NUMBERED).split(",")]
    if not rows.startswith(NUMBERED) or None in ranges:
        return None
    ends = [(int(found[1]), int(found[2] or found[1])) for found in ranges if found]
    if not all(first <= last < count for first, last in ends):
        return None
    return np.unique(np.concatenate([np.arange(first, last + 1) for first, last in ends]))


def filtered(collection: Collection, results: Results, rows: str) -> Bools | None:
    """(N,) the rows that a filter keeps; None for one that does not apply to this table or these results."""
    found = [_filtered_alone(collection, results, part) for part in parts_of(rows, collection, results)]
    known = [each for each in found if each is not None]
    return np.all(known, axis=0) if known else None


def parts_of(rows: str, collection: Collection, results: Results) -> list[str]:
    """The filters that a filter combines: itself where it combines none, and nothing where it does not apply."""
    for place in (each.start() for each in re.finditer(AND, rows)):
        first, others = rows[:place], rows[place + len(AND) :]
        if _filtered_alone(collection, results, first) is not None and (rest := parts_of(others, collection, results)):
            return [first, *rest]
    return [] if _filtered_alone(collection, results, rows) is None else [rows]


def _filtered_alone(collection: Collection, results: Results, rows: str) -> Bools | None:
    """As `filtered`, of a filter that combines no others."""
    if rows == ALL:
        return np.ones(len(results), bool)
    if rows == ERRORS:
        return None if results.correct is None else is_error(results)
    if rows == UNSURE:
        return None if results.confidence is None else results.unsure
    if isinstance(results, Classes) and (cell := cell_of(rows, results)) is not None:
        kept: Bools = (results.gold == cell[0]) & (results.predicted == cell[1])
        return kept
    if isinstance(results, WithShares) and (mistakes := mistakes_of(rows, results)) is not None:
        kind, index = mistakes
        return None if results.correct is None else find_mistakes(results, kind)[:, index]
    if (chosen := find_slice(rows, collection, results) or search_of(rows, collection)) is not None:
        return chosen.members
    if (numbers := numbers_of(rows, len(results))) is not None:
        return np.isin(np.arange(len(results)), numbers)
    return None


def add_filter(rows: str, added: str, collection: Collection, results: Results) -> str:
    """The filter that combines one with another.

    A cell of the confusion matrix, or the mistakes of a class, takes the place of others and of all errors; a slice
    takes that of another one of its column, and numbers of rows that of others.
    """
    parts = [part for part in parts_of(rows, collection, results) if part != ALL]
    if is_about_labels(added, results):
        parts = [part for part in parts if not is_about_labels(part, results)]
    elif added.startswith(NUMBERED):
        parts = [part for part in parts if not part.startswith(NUMBERED)]
    elif (chosen := find_slice(added, collection, results)) is not None:
        slices = {part: find_slice(part, collection, results) for part in parts}
        parts = [part for part, found in slices.items() if found is None or found.column != chosen.column]
    return AND.join(dict.fromkeys((*parts, added)))


def is_about_labels(rows: str, results: Results) -> bool:
    """Whether a filter compares the labels of rows with what a model says."""
    return rows == ERRORS or cell_of(rows, results) is not None or mistakes_of(rows, results) is not None


def find_mistakes(results: WithShares, kind: str) -> Bools:
    """(N, C) whether a labelled row is a false positive, or a false negative, of each class or label."""
    has, gets = results.memberships
    found: Bools = results.has_gold[:, None] & (gets & ~has if kind == FALSE_POSITIVES else has & ~gets)
    return found


def nothing_to_be_right(collection: Collection) -> str:
    """Why no row is right or wrong, where none has a label that the model predicts."""
    unread = " No column is read as labels: name the one that has them." if collection.label is None else ""
    return f"No row has a label that this model predicts, so none is right or wrong.{unread}"


def select_rows(collection: Collection, results: Results, rows: str | Sequence[int]) -> Indices:
    """Indices of some rows, in the order of the table.

    Args:
        rows: a filter, as in the table above; or numbers of rows, counted from 0.
    Raises:
        SelectionError: the filter does not apply to this table or these results, or it keeps no row.
    """
    rows = rows if isinstance(rows, str) else name_of_rows(rows)
    kept = filtered(collection, results, rows)
    if kept is None and rows == ERRORS:
        raise SelectionError(nothing_to_be_right(collection))
    if kept is None:
        example = name_of_cell(results.labels[0], results.labels[-1]) if results.labels else "own>predicted"
        raise SelectionError(
            f"There are no rows {rows!r}: name {ALL!r}, {ERRORS!r}, {UNSURE!r}, a cell such as {example!r}, "
            f"'{FALSE_POSITIVES}' or '{FALSE_NEGATIVES}' and a class, a column's value such as 'topic=hotel', '~' and "
            f"some characters of the text, or numbers of rows from 0; or several with '{AND}' between."
        )
    if not kept.any() and len(parts_of(rows, collection, results)) > 1:
        raise SelectionError(f"No row of the table has all of {rows!r}: choose fewer filters.")
    if not kept.any() and rows.startswith(CONTAINS):
        raise SelectionError(f"No text of the table has “{rows.removeprefix(CONTAINS)}”: choose other rows.")
    if not kept.any():
        raise SelectionError(f"The table has no rows {rows!r}: choose others.")
    return np.flatnonzero(kept)
