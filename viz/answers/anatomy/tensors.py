"""A tensor as a step shows it: the part around the chosen cell, as a square of queries by keys or as a band."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

import plotly.graph_objects as go

from encoder.measures.operations import signed_limit
from encoder.runs.arrays import FloatArray
from viz.answers.answer import Chart
from viz.figures.anatomy import Box, tensor_band, tensor_square
from viz.state.selection import Selection
from viz.theme import Theme

MOST_TOKENS: Final = 40  # rows that the page names in full
MOST_COLUMNS: Final = 384
TOKENS: Final = ("token", "query", "key")
ALIKE: Final = {"query": "token"}  # a token that looks; one that is looked at is another
ALONE: Final = (780, 420)  # pixels of a square: the figure's width, the height of its cells
PAIRED: Final = (390, 300)
Cell = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shown:
    """A tensor of a step, (R, C).

    Attributes:
        name: what it is, in a few words and without sizes.
        rows, columns: what its axes count: "token", "query", "key", "position", "dimension", "unit". Tensors of
            a step with an axis of the same kind share its marked row or column.
        kind: "weight" for numbers in [0, 1], "signed" for any.
        head_width: columns of one head, where heads stand side by side; else 0.
    """

    name: str
    array: FloatArray
    rows: str = "token"
    columns: str = "dimension"
    kind: Literal["weight", "signed"] = "signed"
    head_width: int = 0


def queries_by_keys(name: str, array: FloatArray, *, kind: Literal["weight", "signed"] = "signed") -> Shown:
    """A tensor with a number for each query and each key."""
    return Shown(name=name, array=array, rows="query", columns="key", kind=kind)


@dataclass(frozen=True, slots=True)
class Window:
    """Positions `start` to `stop` - 1 of `count`."""

    start: int
    stop: int
    count: int

    @property
    def part(self) -> slice:
        """The same as a slice."""
        return slice(self.start, self.stop)

    @property
    def whole(self) -> bool:
        """Whether nothing is left out."""
        return self.stop - self.start == self.count


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """The tensor whose cells can be worked out, and the opened cell."""

    shown: Shown
    cell: Cell

    def same_axes(self, other: Shown) -> tuple[bool, bool]:
        """Whether another tensor's rows, and its columns, count the same things as those of this one."""
        (rows, columns), (other_rows, other_columns) = self.shown.array.shape, other.array.shape
        return (
            rows == other_rows and ALIKE.get(self.shown.rows, self.shown.rows) == ALIKE.get(other.rows, other.rows),
            columns == other_columns and self.shown.columns == other.columns,
        )

    def mark(self, other: Shown) -> tuple[int | None, int | None]:
        """The row and the column of another tensor that the chosen cell lies in."""
        rows, columns = self.same_axes(other)
        return self.cell[0] if rows else None, self.cell[1] if columns else None


def window(position: int, count: int, most: int) -> Window:
    """The part of `most` positions that holds one.

    It moves in steps of half its size, so that it stays in place for choices near its middle.
    """
    half = most // 2
    step = max(0, position - half // 2) // half * half
    start = max(0, min(step, count - most))
    return Window(start, min(start + most, count), count)


def windows(shown: Shown, opened: Opened | None) -> tuple[Window, Window]:
    """Which rows and columns of a tensor are drawn.

    Token axes always show the tokens around the chosen row.
    """
    rows, columns = shown.array.shape
    row, column = opened.mark(shown) if opened else (None, None)
    near = opened.cell[0] if opened and opened.shown.rows in TOKENS else 0
    by_token = shown.columns in TOKENS
    return (
        window(row if row is not None else near if shown.rows in TOKENS else 0, rows, MOST_TOKENS),
        window(
            column if column is not None else near if by_token else 0,
            columns,
            MOST_TOKENS if by_token else MOST_COLUMNS,
        ),
    )


def token_window(opened: Opened | None, count: int) -> Window:
    """The part of `count` tokens that holds the row of the chosen cell."""
    return window(opened.cell[0] if opened else 0, count, MOST_TOKENS)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Drawn:
    """Options for rendering the tensors of a step.

    Attributes:
        labels: of the rows, and of the columns where these are tokens.
        opened: the tensor whose cell is worked out; None where a step has none.
        head: the selected head.
        points: of a stop, as `viz.tours.pointing.placed_points` gives them.
    """

    labels: Sequence[str]
    opened: Opened | None
    sentence_b_start: int | None
    head: int
    points: Sequence[Mapping[str, Any]] = ()


def opened_in(shown: Shown, selection: Selection) -> Opened:
    """A tensor and its opened cell: the selected one, or the nearest that exists."""
    rows, columns = shown.array.shape
    return Opened(shown, (min(selection.anatomy.row, rows - 1), min(selection.anatomy.column, columns - 1)))


def limit_of(row: Iterable[Shown]) -> float:
    """The end of the colour scale that tensors of one row share."""
    signed = [shown.array for shown in row if shown.kind == "signed"]
    return signed_limit(*signed) if signed else 1.0


def tensor_chart(shown: Shown, drawn: Drawn, *, limit: float, alone: bool) -> Chart:
    """As much of a tensor as can be drawn.

    Args:
        limit: where the colours of signed numbers end.
        alone: whether no other tensor stands next to it.
    """
    return Chart(
        name=re.sub(r"[^A-Za-z0-9]+", "-", shown.name).strip("-"),
        alt=f"{shown.name}: a row for each {shown.rows}, a column for each {shown.columns}.",
        figure=partial(_figure, shown, drawn, limit, ALONE if alone else PAIRED),
    )


def _figure(shown: Shown, drawn: Drawn, limit: float, room: tuple[float, float], theme: Theme) -> go.Figure:
    """A square of queries by keys, or a band."""
    rows, columns = windows(shown, drawn.opened)
    part = shown.array[rows.part, columns.part]
    first = (rows.start, columns.start)
    marked = drawn.opened.mark(shown) if drawn.opened else (None, None)
    ringed = [box for point in drawn.points for box in _ringed(point, shown, rows, columns)]
    if shown.columns == "key":
        return tensor_square(
            part,
            drawn.labels[rows.part],
            drawn.labels[columns.part],
            theme=theme,
            title=shown.name,
            limit=None if shown.kind == "weight" else limit,
            sentence_b_start=drawn.sentence_b_start,
            room=room,
            first=first,
            marked=marked,
            ringed=ringed,
        )
    return tensor_band(
        part,
        drawn.labels[rows.part],
        theme=theme,
        title=shown.name,
        limit=limit,
        axis=shown.columns,
        head_width=shown.head_width,
        head=drawn.head,
        first=first,
        marked=marked,
        ringed=ringed,
    )


def _ringed(point: Mapping[str, Any], shown: Shown, rows: Window, columns: Window) -> list[Box]:
    """A cell of queries and keys, or the row of a token; none where the tensor has no such place."""
    if point["kind"] == "cell" and (shown.rows, shown.columns) == ("query", "key"):
        down, across = point["query"], point["key"]
    elif point["kind"] == "token" and shown.rows in TOKENS:
        down, across = point["token"], range(columns.start, columns.stop)
    else:
        return []
    top, bottom = max(min(down), rows.start), min(max(down) + 1, rows.stop)
    left, right = max(min(across), columns.start), min(max(across) + 1, columns.stop)
    return [(left, right, top, bottom)] if top < bottom and left < right else []


def how_to_read(
    tensors: Sequence[Shown], opened: Opened | None, *, one_scale: bool = True, clickable: bool = False
) -> str:
    """How to read some pictures, and what of the tensors is not drawn; "" where there is nothing to say.

    Args:
        one_scale: whether pictures side by side have the same scale of colours.
        clickable: whether a click chooses another cell.
    """
    sentences = []
    if ranges := ranges_in_words(windows(shown, opened) for shown in tensors):
        sentences.append(f"{ranges}; choose another, and they follow." if clickable else f"{ranges}.")
    if clickable:
        sentences.append("Click a cell, and its number is worked out below. Point at one to read it.")
    scale = "pictures side by side have one scale" if one_scale else "each picture has a scale of its own"
    if any(shown.kind == "signed" for shown in tensors):
        sentences.append(
            f"Orange is below zero, blue above; {scale}, and the few numbers beyond it have its last colour."
        )
    if any(shown.columns != "key" for shown in tensors):
        sentences.append("Drag over a band to enlarge it.")
    return " ".join(sentences)


def ranges_in_words(drawn: Iterable[tuple[Window, Window]]) -> str:
    """Which rows and columns of some pictures are drawn, as the beginning of a sentence; "" where all are."""
    pairs = list(drawn)
    axes = {"rows": [rows for rows, _ in pairs], "columns": [columns for _, columns in pairs]}
    ranges = []
    for name, axis in axes.items():
        cut = dict.fromkeys(_range(window) for window in axis if not window.whole)
        if cut:
            ranges.append(f"{name} {' and '.join(cut)}")
    if not ranges:
        return ""
    both = " and ".join(ranges)
    return f"{both[0].upper()}{both[1:]} are drawn, those around the chosen cell"


def _range(window: Window) -> str:
    return f"{window.start:,} to {window.stop - 1:,} of {window.count:,}"
