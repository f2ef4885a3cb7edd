"""Which rows of a table are shown, in which order, and with which columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from encoder.collection.kinds.base import Answered, Results
from encoder.collection.row_filters import filtered, is_error
from encoder.collection.table import Collection
from encoder.text.readings import CUT_OFF, NO_KNOWN_WORD
from viz.answers.answer import Columns
from viz.state.selection import Order
from viz.wording.labels import spreadsheet_text

ORDERS: Final[Mapping[Order, str]] = {
    "errors": "Errors first",
    "unsure": "Least sure first",
    "table": "As in the table",
}
MOST_OTHERS: Final = 12  # columns of the table that the page shows besides the texts and the label
Indices = NDArray[np.intp]


def orders(results: Results) -> dict[Order, str]:
    """The titles of the orders that apply; the table's own does always."""
    titles = dict(ORDERS)
    if not results.has_gold.any():
        del titles["errors"]
    elif results.correct is None:
        titles["errors"] = "Largest loss first"
    if results.confidence is None:
        del titles["unsure"]
    return titles


def shown_rows(collection: Collection, results: Results, rows: str, order: Order) -> Indices:
    """The rows that a filter leaves, in an order. A filter that does not apply leaves all."""
    kept = filtered(collection, results, rows)
    found = np.arange(len(results)) if kept is None else np.flatnonzero(kept)
    if order == "errors" and results.has_gold.any():
        wrong = is_error(results)
        losses = np.nan_to_num(results.losses, nan=-1)
        return found[np.lexsort((found, -losses[found], ~wrong[found]))]
    if order == "unsure" and results.confidence is not None:
        return found[np.argsort(np.nan_to_num(results.confidence[found], nan=-1), kind="stable")]
    return found


def texts_of(collection: Collection, rows: Indices) -> dict[str, Any]:
    """The columns that need no model: the numbers of the rows, their texts and their labels."""
    return {"row": collection.numbers(rows) + 1} | {
        name: collection.column(name, rows.tolist()) for name in _read_columns(collection)
    }


def _read_columns(collection: Collection) -> list[str]:
    return list(dict.fromkeys([collection.text, *filter(None, (collection.text_b, collection.label))]))


def columns_of(collection: Collection, results: Results, rows: Indices) -> dict[str, Any]:
    """The columns on the page: few, the texts first. Numbers stay numbers, so that they can be sorted."""
    places = rows.tolist()
    columns = texts_of(collection, rows)
    others = [name for name in collection.columns if name not in _read_columns(collection)][:MOST_OTHERS]
    columns |= results.columns_of(places)
    if results.confidence is not None:
        columns["probability"] = results.confidence[rows]
    if isinstance(results, Answered) and results.partly_means and results.has_gold.any():
        columns[results.partly_means] = results.answers.partly[rows]
    if results.has_gold.any() and not np.isnan(results.losses).all():
        columns["loss"] = results.losses[rows]
    columns["tokens"] = results.lengths[rows]
    if results.truncated.any():
        columns[CUT_OFF] = results.truncated[rows]
    if results.unread.any():
        columns[NO_KNOWN_WORD] = results.unread[rows]
    own = {name: collection.column(name, places) for name in others}
    return columns | {name if name not in columns else f"{name} (table)": column for name, column in own.items()}


def saved_columns(collection: Collection, results: Results) -> Columns:
    """All columns of all rows in their order, for a file: the table's own, and what the model says.

    Cells of text that a spreadsheet would run as a formula begin with an apostrophe.
    """
    own = {spreadsheet_text(name): list(map(spreadsheet_text, collection.column(name))) for name in collection.columns}
    if collection.positions is not None:  # rows are left out
        own = {collection.unused_name("row"): (collection.positions + 1).tolist()} | own
    found = {
        collection.unused_name(name): list(map(spreadsheet_text, column)) if is_text(column) else column
        for name, column in (_right(results) | results.columns()).items()
    }
    return own | {spreadsheet_text(name): column for name, column in found.items()}


def _right(results: Results) -> dict[str, Any]:
    """Whether each row is right; "" without a label."""
    if results.correct is None:
        return {}
    return {"right": np.where(results.has_gold, np.where(results.correct, "yes", "no"), "").tolist()}


def is_text(column: Any) -> bool:
    """Whether a column holds texts."""
    return len(column) > 0 and isinstance(column[0], str)
