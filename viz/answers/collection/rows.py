"""Which rows of a table are shown, in which order, and with which columns."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from encoder.collection.results import Results
from encoder.collection.table import Collection
from viz.answers.answer import Columns
from viz.state.codecs import LONGEST_ROWS
from viz.state.selection import Order
from viz.wording.labels import make_visible, shorten

ALL, ERRORS, UNSURE = "all", "errors", "unsure"
ARROW: Final = ">"
MARGIN: Final = 0.2  # by which the likeliest class leads the next in a row that the model is unsure of
ORDERS: Final[Mapping[Order, str]] = MappingProxyType(
    {"errors": "Errors first", "unsure": "Least sure first", "table": "As in the table"}
)
PARTLY: Final[Mapping[str, str]] = MappingProxyType(
    {"tags": "words right", "span": "F1 of words", "mask": "among five"}
)
MOST_OTHERS: Final = 12  # columns of the table that the page shows besides the texts and the label
LONGEST_LABEL: Final = 30  # characters on a button
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")  # begin what a spreadsheet may run
Indices = NDArray[np.intp]


def cell_of(rows: str, results: Results) -> tuple[int, int] | None:
    """The own class and the predicted one that a filter such as "negative>positive" names, or None."""
    names = {name: index for index, name in enumerate(results.labels)}
    numbers = {str(index): index for index in range(len(names))}
    for place, character in enumerate(rows):
        if character == ARROW:
            ends = [names.get(end, numbers.get(end)) for end in (rows[:place], rows[place + 1 :])]
            if ends[0] is not None and ends[1] is not None:
                return ends[0], ends[1]
    return None


def name_of_cell(own: int, predicted: int, results: Results) -> str:
    """The filter of a cell of the confusion matrix: by names, or by numbers where these are no part of an address."""
    named = f"{results.labels[own]}{ARROW}{results.labels[predicted]}"
    fits = len(named) <= LONGEST_ROWS and named.isprintable() and cell_of(named, results) == (own, predicted)
    return named if fits else f"{own}{ARROW}{predicted}"


def filters(rows: str, results: Results) -> dict[str, str]:
    """The titles of the filters that apply: all rows, errors, unsure ones, and the cell that is chosen."""
    titles = {ALL: "All rows"}
    if results.correct is not None:
        titles[ERRORS] = "Errors"
    if results.confidence is not None:
        titles[UNSURE] = "Unsure"
    if (cell := cell_of(rows, results)) is not None and results.kind == "classes":
        own, predicted = (shorten(make_visible(results.labels[index]), LONGEST_LABEL) for index in cell)
        titles[rows] = f"{own} → {predicted}"
    return titles


def is_unsure(results: Results) -> NDArray[np.bool_]:
    """(N,) whether the likeliest class leads the next by less than `MARGIN`.

    Where several labels may hold, whether the probability of one is as near to 50 %; elsewhere, whether that of what
    is said is below 50 %.
    """
    shares = results.probabilities
    if shares is None:
        return np.zeros(len(results), bool) if results.confidence is None else ~(results.confidence >= 0.5)
    if results.kind == "labels":
        return np.asarray(np.abs(shares - 0.5).min(axis=1) < MARGIN / 2)
    if shares.shape[1] < 2:
        return np.zeros(len(results), bool)
    ordered = np.partition(shares, -2, axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2] < MARGIN)


def shown_rows(results: Results, rows: str, order: Order) -> Indices:
    """The rows that a filter leaves, in an order. A filter that does not apply leaves all."""
    keep = np.ones(len(results), bool)
    cell, correct = cell_of(rows, results), results.correct
    if rows == ERRORS and correct is not None:
        keep = results.has_gold & ~correct
    elif rows == UNSURE:
        keep = is_unsure(results)
    elif cell is not None and results.kind == "classes":
        keep = (results.gold == cell[0]) & (results.predicted == cell[1])
    found = np.flatnonzero(keep)
    if order == "errors" and results.has_gold.any():
        wrong = np.zeros(len(results), bool) if correct is None else results.has_gold & ~correct
        losses = np.nan_to_num(results.losses, nan=-1)
        return found[np.lexsort((found, -losses[found], ~wrong[found]))]
    if order == "unsure" and results.confidence is not None:
        return found[np.argsort(np.nan_to_num(results.confidence[found], nan=-1), kind="stable")]
    return found


def columns_of(collection: Collection, results: Results, rows: Indices) -> dict[str, Any]:
    """The columns on the page: few, the texts first. Numbers stay numbers, so that they can be sorted."""
    places = rows.tolist()
    first = dict.fromkeys([collection.text, *filter(None, (collection.text_b, collection.label))])
    others = [name for name in collection.columns if name not in first][:MOST_OTHERS]
    columns: dict[str, Any] = {"row": rows + 1} | {name: collection.column(name, places) for name in first}
    columns["prediction"] = results.logits[rows, 0] if results.kind == "score" else results.predictions_of(places)
    if results.confidence is not None:
        columns["probability"] = results.confidence[rows]
    if results.answers is not None and results.kind in ("tags", "span", "mask") and results.has_gold.any():
        columns[PARTLY[results.kind]] = results.answers.partly[rows]
    if results.has_gold.any() and not np.isnan(results.losses).all():
        columns["loss"] = results.losses[rows]
    columns["tokens"] = results.lengths[rows]
    if results.truncated.any():
        columns["cut off"] = results.truncated[rows]
    own = {name: collection.column(name, places) for name in others}
    return columns | {name if name not in columns else f"{name} of the table": column for name, column in own.items()}


def saved_columns(collection: Collection, results: Results) -> Columns:
    """All columns of all rows in their order, for a file: the table's own, and what the model says.

    Cells of text that a spreadsheet would run as a formula begin with an apostrophe.
    """
    own = {safe_cell(name): list(map(safe_cell, collection.column(name))) for name in collection.columns}
    found = {
        f"{name} of the model" if name in own else name: list(map(safe_cell, column)) if is_text(column) else column
        for name, column in results.columns().items()
    }
    return own | {safe_cell(name): column for name, column in found.items()}


def is_text(column: Any) -> bool:
    """Whether a column holds texts."""
    return len(column) > 0 and isinstance(column[0], str)


def safe_cell(text: str) -> str:
    """A text with an apostrophe before what a spreadsheet would run as a formula."""
    return f"'{text}" if text.startswith(FORMULA) else str(text)
