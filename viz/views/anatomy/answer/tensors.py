"""A tensor as a step shows it: the part around the chosen cell, as a square of queries by keys or as a band."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import plotly.graph_objects as go

from encoder.measures.operations import signed_limit
from encoder.runs.arrays import FloatArray
from viz.answers.answer import Answer, Chart, Part, Row, Sentence
from viz.figures.anatomy import Box, tensor_band, tensor_square
from viz.theme import Theme
from viz.wording.labels import escape_markdown, make_visible

MOST_TOKENS: Final = 40  # rows that the page names in full
MOST_COLUMNS: Final = 384
TOKENS: Final = ("token", "query", "key")
ALIKE: Final = {"query": "token"}  # queries are all tokens; keys are tokens that are looked at
HEIGHT: Final = 510  # pixels that the rows of charts of a step share
WIDTHS: Final = (640, 310)  # of a chart alone in its row, and of one of two
STOP_WIDTHS: Final = (370, 180)  # the same at a stop of a tour, before the page is enlarged
NO_LABELS: Final[Mapping[str, Sequence[str]]] = {}
Cell = tuple[int, int]
Room = tuple[int, int]  # pixels: the width and the height of a chart


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shown:
    """A tensor of a step, (R, C).

    Attributes:
        name: a few words without sizes.
        rows, columns: what the axes count: "token", "query", "key", "position", "dimension", "unit". Tensors of
            a step with an axis of the same kind share its marked row or column.
        kind: "weight" for numbers in [0, 1], "signed" for any.
        head_width: columns of one head, where the heads are concatenated; else 0.
    """

    name: str
    array: FloatArray
    rows: str = "token"
    columns: str = "dimension"
    kind: Literal["weight", "signed"] = "signed"
    head_width: int = 0


def column_field(shown: Shown) -> Literal["column", "dimension"]:
    """The field of the selection that has the column of a tensor's cell."""
    return "column" if shown.columns == "key" else "dimension"


def scores_of(name: str, array: FloatArray) -> Shown:
    """(T, T) scores, query by key."""
    return Shown(name=name, array=array, rows="query", columns="key")


def weights_of(name: str, array: FloatArray) -> Shown:
    """(T, T) attention weights, query by key."""
    return Shown(name=name, array=array, rows="query", columns="key", kind="weight")


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


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """The tensor whose cells can be worked out, and the opened cell."""

    shown: Shown
    cell: Cell

    def heading(self, labels: Sequence[str]) -> Sentence:
        """Above the computation of the cell: its row and its column, in words."""
        (row, column), shown = self.cell, self.shown
        begin = escape_markdown(make_visible(labels[row])) if shown.rows in TOKENS else f"{shown.rows} {row}"
        if shown.columns == "key":
            return Sentence(f"**{begin} → {escape_markdown(make_visible(labels[column]))}**, worked out")
        return Sentence(f"**{begin}, {shown.columns} {column:,}**, worked out")

    @property
    def column_field(self) -> Literal["column", "dimension"]:
        """The field of the selection that has the column."""
        return column_field(self.shown)

    def mark(self, other: Shown) -> tuple[int | None, int | None]:
        """The row and the column of the cell in another tensor; None for an axis that counts something else."""
        own, (rows, columns) = self.shown, other.array.shape
        same_rows = own.array.shape[0] == rows and ALIKE.get(own.rows, own.rows) == ALIKE.get(other.rows, other.rows)
        same_columns = own.array.shape[1] == columns and own.columns == other.columns
        return self.cell[0] if same_rows else None, self.cell[1] if same_columns else None


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedCell:
    """The cell that all steps follow: a row, and a column among keys and one among dimensions or units."""

    row: int
    key: int
    dimension: int


def opened_in(shown: Shown, cell: FollowedCell) -> Opened:
    """A tensor and the followed cell in it, or the nearest that exists."""
    rows, columns = shown.array.shape
    column = cell.key if shown.columns == "key" else cell.dimension
    return Opened(shown, (min(cell.row, rows - 1), min(column, columns - 1)))


def window(position: int, count: int, most: int) -> Window:
    """The part of `most` positions that holds one.

    It moves in steps of half its size, so that it stays in place for choices near its middle.
    """
    half = most // 2
    step = max(0, position - half // 2) // half * half
    start = max(0, min(step, count - most))
    return Window(start, min(start + most, count), count)


def windows(shown: Shown, opened: Opened | None) -> tuple[Window, Window]:
    """The rendered rows and columns of a tensor; token axes show the tokens around the chosen row."""
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
        clickable: whether a click chooses another cell.
        at_stop: whether the picture is of a stop of a tour, and has to be legible from afar.
    """

    labels: Sequence[str]
    opened: Opened | None = None
    sentence_b_start: int | None = None
    head: int
    points: Sequence[Mapping[str, Any]] = ()
    clickable: bool = False
    at_stop: bool = False

    @property
    def opened_cell(self) -> Opened:
        """The tensor whose cell is worked out, and the cell. Raises ValueError without one."""
        if self.opened is None:
            raise ValueError("No tensor is opened.")
        return self.opened


def tensors(
    rows: Sequence[Sequence[Shown]],
    drawn: Drawn,
    *,
    one_scale: bool = True,
    labels_of: Mapping[str, Sequence[str]] = NO_LABELS,
) -> Answer:
    """Tensors in rows, and how to read them; at a stop of a tour one row of at most two, and what is left out.

    Args:
        one_scale: whether those of one row share their colours.
        labels_of: names of the rows of single tensors, by the tensor's name.
    """
    given, widths = rows, WIDTHS
    if drawn.at_stop:
        rows, widths = [_of_stop(rows, drawn.opened)], STOP_WIDTHS
    height = HEIGHT // max(len(rows), 1)
    parts: list[Part | Row] = []
    for row in rows:
        room = (widths[len(row) > 1], height)
        charts = [
            _chart(
                shown,
                replace(drawn, labels=labels_of.get(shown.name, drawn.labels)),
                next(each for each in given if shown in each) if one_scale else [shown],
                room,
            )
            for shown in row
        ]
        parts.append(Row(tuple((chart,) for chart in charts)) if len(charts) > 1 else charts[0])
    if drawn.at_stop:
        return Answer((*parts, *_left_out(given, rows[0])))
    said = _how_to_read(rows, drawn, one_scale=one_scale)
    return Answer((*parts, Sentence(said, "caption")) if said else tuple(parts))


def _of_stop(rows: Sequence[Sequence[Shown]], opened: Opened | None) -> Sequence[Shown]:
    """What a stop has room for: the opened square, whose names need width; or the opened band and the first other."""
    if opened and opened.shown.columns == "key":
        return [opened.shown]
    bands = [shown for row in rows for shown in row if shown.columns != "key"]
    other = next((shown for shown in bands if opened is None or shown is not opened.shown), None)
    return [shown for shown in bands if shown is other or (opened and shown is opened.shown)]


def _left_out(rows: Sequence[Sequence[Shown]], shown: Sequence[Shown]) -> Sequence[Sentence]:
    """A sentence with the names of the tensors that a stop has no room for; none if it shows all."""
    names = [escape_markdown(each.name) for row in rows for each in row if each not in shown]
    return [Sentence(f"Left out here: {'; '.join(names)}.", "left out")] if names else []


def _chart(shown: Shown, drawn: Drawn, compared: Iterable[Shown], room: Room) -> Chart:
    """The part of a tensor around the opened cell, in colours that the compared tensors share."""
    signed = [each.array for each in compared if each.kind == "signed"]
    limit = signed_limit(*signed) if signed else 1.0
    marked = drawn.opened.mark(shown) if drawn.opened else (None, None)
    fields = zip(("y", "x"), ("row", column_field(shown)), marked, strict=True)
    return Chart(
        name=re.sub(r"[^A-Za-z0-9]+", "-", shown.name).strip("-"),
        alt=f"{shown.name}: a row for each {shown.rows}, a column for each {shown.columns}.",
        figure=lambda theme: _figure(shown, drawn, limit, room, theme),
        axes={axis: name for axis, name, place in fields if drawn.clickable and place is not None},
        width="figure",
    )


def _figure(shown: Shown, drawn: Drawn, limit: float, room: Room, theme: Theme) -> go.Figure:
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
        room=room,
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


def _how_to_read(rows: Sequence[Sequence[Shown]], drawn: Drawn, *, one_scale: bool) -> str:
    """How to read some charts, and which rows and columns they omit; "" where there is nothing to say."""
    shown = [each for row in rows for each in row]
    sentences = []
    if ranges := _ranges_in_words([windows(each, drawn.opened) for each in shown]):
        sentences.append(f"{ranges}.")
    if drawn.clickable and drawn.opened:
        sentences.append("Click a cell to work it out.")
    if any(len(row) > 1 and row[0].kind == "signed" for row in rows):
        sentences.append("Same colours, same scale." if one_scale else "Same colours, each on a scale of its own.")
    if any(each.columns != "key" for each in shown):
        sentences.append("Drag to zoom.")
    return " ".join(sentences)


def _ranges_in_words(shown: Sequence[tuple[Window, Window]]) -> str:
    """The rendered rows and columns, as the beginning of a sentence; "" where all are rendered."""
    ranges = []
    for name, axis in zip(("rows", "columns"), zip(*shown, strict=True), strict=False):
        cut = [each for each in axis if each.stop - each.start < each.count]
        named = dict.fromkeys(f"{each.start:,} to {each.stop - 1:,} of {each.count:,}" for each in cut)
        if named:
            ranges.append(f"{name} {' and '.join(named)}")
    if not ranges:
        return ""
    both = " and ".join(ranges)
    return f"{both[0].upper()}{both[1:]} are shown, around the chosen cell"
