"""A tensor of the anatomy as a chart: the cells around the chosen one, framed and ringed as in the app."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from viz.exports.charts import Box, Chart
from viz.exports.contents import NumberGrid
from viz.panels.anatomy.shown import Shown
from viz.panels.anatomy.windows import TOKENS, Opened, Window, windows

MOST_TOKENS = 24


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Drawn:
    """What the tensors of a step are drawn with.

    Attributes:
        labels: T tokens.
        opened: the tensor whose cell the stop has chosen; None where it has none.
        head: the one that the steps follow.
        points: of the stop, as `viz.tours.pointing.placed_points` gives them.
    """

    labels: Sequence[str]
    opened: Opened | None
    sentence_b_start: int | None
    head: int
    points: Sequence[Mapping[str, Any]]


def tensor_chart(
    shown: Shown, drawn: Drawn, *, limit: float, labels: Sequence[str] | None = None, most_rows: int = MOST_TOKENS
) -> Chart:
    """As much of a tensor as a slide can hold.

    Args:
        limit: where the colours of signed numbers end.
        labels: of the rows, where these are no tokens of the text.
        most_rows: and columns that are tokens.
    """
    rows, columns = windows(shown, drawn.opened, most_tokens=most_rows)
    names = drawn.labels if labels is None else labels
    across = drawn.labels if shown.columns in TOKENS else [str(column) for column in range(columns.count)]
    signed = shown.kind == "signed"
    frames, frames_name = _frames(shown, drawn, rows, columns)
    return Chart(
        grid=NumberGrid(
            shown.name + _cut(rows, shown.rows) + _cut(columns, shown.columns),
            list(names[rows.part]),
            list(across[columns.part]),
            shown.array[rows.part, columns.part],
            low=-limit if signed else 0,
            high=limit if signed else 1,
            digits=_digits(limit) if signed else 2,
            signed=signed,
        ),
        across="" if shown.columns in TOKENS else shown.columns,
        frames=frames,
        frames_name=frames_name,
        rings=[box for point in drawn.points for box in _ring(point, shown, rows, columns)],
        dividers=_dividers(shown, drawn, columns),
    )


def _digits(limit: float) -> int:
    """Digits behind the point, three of which count at the end of the scale."""
    return max(2, 2 - math.floor(math.log10(limit)))


def _frames(shown: Shown, drawn: Drawn, rows: Window, columns: Window) -> tuple[list[Box], str]:
    """Around the head that the steps follow, or around what the chosen cell has in this tensor."""
    count = rows.stop - rows.start
    if shown.head_width:
        begins = drawn.head * shown.head_width - columns.start
        ends = min(begins + shown.head_width, columns.stop - columns.start)
        if 0 <= begins < ends:
            return [(0, begins, count, ends - begins)], f"head {drawn.head}"
    row, column = drawn.opened.mark(shown) if drawn.opened else (None, None)
    if row is None and column is None:
        return [], ""
    box = (
        0 if row is None else row - rows.start,
        0 if column is None else column - columns.start,
        count if row is None else 1,
        columns.stop - columns.start if column is None else 1,
    )
    chosen = {(False, False): "the chosen cell", (False, True): "the chosen row", (True, False): "the chosen column"}
    return [box], chosen[row is None, column is None]


def _ring(point: Mapping[str, Any], shown: Shown, rows: Window, columns: Window) -> list[Box]:
    """A cell of queries and keys, or the row of a token; none where the tensor has no such place."""
    if point["kind"] == "cell" and (shown.rows, shown.columns) == ("query", "key"):
        return _box(point["query"], point["key"], rows, columns)
    if point["kind"] == "token" and shown.rows in TOKENS:
        return _box(point["token"], range(columns.start, columns.stop), rows, columns)
    return []


def _box(down: Sequence[int], across: Sequence[int], rows: Window, columns: Window) -> list[Box]:
    """What of some rows and columns is drawn."""
    top, bottom = max(min(down), rows.start), min(max(down) + 1, rows.stop)
    left, right = max(min(across), columns.start), min(max(across) + 1, columns.stop)
    if top >= bottom or left >= right:
        return []
    return [(top - rows.start, left - columns.start, bottom - top, right - left)]


def _dividers(shown: Shown, drawn: Drawn, columns: Window) -> list[int]:
    """Columns that begin a head, or sentence B."""
    if shown.head_width:
        begins = range(shown.head_width, columns.count, shown.head_width)
    else:
        begins = range(0)
        if shown.columns == "key" and drawn.sentence_b_start:
            begins = range(drawn.sentence_b_start, drawn.sentence_b_start + 1)
    return [begin - columns.start for begin in begins if columns.start < begin < columns.stop]


def _cut(part: Window, axis: str) -> str:
    """Which part is shown, where it is not all."""
    counted = "queries" if axis == "query" else f"{axis}s"
    return "" if part.whole else f", {counted} {part.start} to {part.stop - 1} of {part.count}"
