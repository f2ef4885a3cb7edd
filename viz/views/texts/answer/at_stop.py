"""A model's output for a table in one sentence and one picture: at a stop of a tour, and in a file of it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from encoder.collection.kinds.base import Results
from encoder.collection.row_filters import ALL, ERRORS, UNSURE, cell_of
from encoder.collection.row_slices import find_slice
from encoder.collection.table import Collection
from viz.answers.answer import Answer, Part, Row, Sentence, Table
from viz.answers.collection.row_titles import title_of_rows
from viz.answers.room import PAGE, Room
from viz.state.selection import Order
from viz.views.texts.answer.rows import columns_of, shown_rows
from viz.views.texts.answer.summary import confusions, summary
from viz.wording.labels import escape_markdown, safe_name, shorten

LEFT_OUT: Final = ("row", "tokens", "cut off", "loss")  # columns that an audience does not need
ROOM: Final = 168  # pixels of all rows of the confusion matrix
MOST_IN_FILE: Final = 2_000  # rows


def of_rows(
    collection: Collection,
    results: Results,
    *,
    rows: str,
    order: Order,
    room: Room = PAGE,
) -> Answer:
    """All rows: the finding and the confusion matrix. Some: how many they are, and the first of them.

    Args:
        rows: the filter.
        order: of the rows.
        room: an audience needs no probabilities.
    """
    most = room.rows or MOST_IN_FILE
    finding = summary(collection, results)
    matrix = confusions(results, rows, room=ROOM) if rows == ALL else None
    if matrix is not None:
        return Answer((*finding.parts, *matrix.parts))
    found = shown_rows(collection, results, rows, order)
    said = _said(collection, results, rows, len(found))
    shown: list[Part | Row] = [Sentence(said)] if said else list(finding.parts)
    table = Table(
        name="rows",
        title=f"{min(most, len(found)):,} of {len(found):,} rows",
        columns=lambda: _columns(collection, results, found[:most], longest=room.characters),
        on_page="open",
    )
    return Answer((*shown, table) if len(found) else tuple(shown))


def _said(collection: Collection, results: Results, rows: str, count: int) -> str:
    """How many rows a filter leaves; "" without a filter."""
    of = f"**{count:,} of {len(results):,}** rows"
    if (cell := cell_of(rows, results)) is not None:
        own, predicted = (f"“{safe_name(results.labels[each])}”" for each in cell)
        said = f"agree: both say {own}" if cell[0] == cell[1] else f"are {own}, and the model says {predicted}"
        return f"{of} {said}."
    if rows == ERRORS and results.correct is not None:
        return f"The model is wrong in {of}."
    if rows == UNSURE:
        return f"The model is unsure in {of}."
    title = escape_markdown(title_of_rows(rows, collection, results))
    if not title or rows == ALL:
        return ""
    is_slice = find_slice(rows, collection, results) is not None
    return f"{of} are in the slice “{title}”." if is_slice else f"{of} are shown: {title}."


def _columns(collection: Collection, results: Results, rows: np.ndarray, *, longest: int | None) -> dict[str, Any]:
    found = {name: cells for name, cells in columns_of(collection, results, rows).items() if name not in LEFT_OUT}
    if longest is None:
        return found
    found.pop("probability", None)
    for name in filter(None, (collection.text, collection.text_b)):
        found[name] = [shorten(text, longest) for text in found[name]]
    return found
