"""Tensors of the encoder: wide ones as bands, queries by keys as squares with numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from encoder.errors import ShapeError
from viz.figures.axes import (
    FONT_SIZE,
    RING,
    TITLE_SIZE,
    Positions,
    check_count,
    checked_array,
    redrawn_figure,
    token_positions,
)
from viz.figures.labels import plotly_text, text_width
from viz.figures.matrix import (
    BAR_ROW,
    EDGE,
    LARGEST_CELL,
    NARROWEST_CELL,
    ROW_LABELS,
    SMALLEST_CELL,
    TITLE_ROW,
    CellValue,
    column_labels,
    frame,
    matrix,
    row_limit,
    row_room,
)
from viz.theme import Theme

BAND_LABEL = 12  # characters of a row's label
BAND_FRAME = (26, 38)  # pixels above the rows of a band and below them
ROWS = (12, 26)  # pixels of a row of a band
ROOM = (812, 600)  # pixels of a figure that stands alone: its width and its height
WIDTH_OF_TICK = 75  # pixels between two numbers under a band
LOWEST_CELL = 12  # of a square
ROW_TITLE = "query ↓"  # as `matrix` writes it
FROM_TO = "from {y}<br>to {x}"
WEIGHT = CellValue("weight", high=1.0, cell_format=".2f", hover_format=".4f", place=FROM_TO)
SCORE = CellValue("score", high=1.0, cell_format=".1f", hover_format=".4f", place=FROM_TO, diverging=True)
Cell = tuple[int, int]
Mark = tuple[int | None, int | None]
Box = tuple[int, int, int, int]  # left, right, top, bottom, in the whole tensor; exclusive ends


def tensor_band(
    values: ArrayLike,
    rows: Sequence[str],
    *,
    theme: Theme,
    title: str,
    limit: float,
    axis: str = "dimension",
    head_width: int = 0,
    head: int | None = None,
    room: tuple[float, float] = ROOM,
    first: Cell = (0, 0),
    marked: Mark = (None, None),
    ringed: Sequence[Box] = (),
) -> go.Figure:
    """A wide tensor: a row of colour per token, orange below zero, the page's background at zero, blue above.

    Numbers beyond the limit have the colour of the limit; hover shows them. Stretches to its column.

    Args:
        values: (R, C), any numbers.
        rows: R names.
        title: a short plain text.
        limit: end of the colour scale, above 0.
        axis: what the columns count.
        head_width: columns of one head; thin lines separate the heads. 0 for none.
        head: a head to frame.
        room: pixels of the figure on a wide page: its width, and its maximum height as far as its rows stay legible.
        first: row and column of the upper left cell, if the values are a crop.
        marked: a row, a column of the whole tensor, or both: a frame around the row, a line through the column.
        ringed: what a tour points at.
    """
    array = checked_array("values", values, axes="RC")
    check_count("rows of values", len(array), rows)
    if not limit > 0:
        raise ShapeError(f"The colours of a band end above 0; got a limit of {limit}.")
    names = token_positions(rows, title="", limit=BAND_LABEL, first=first[0])
    pitch = max(ROWS[0], min(ROWS[1], int(room[1] - sum(BAND_FRAME)) // len(array)))
    cells = len(array) * pitch
    area = Area(first[0], first[1], *array.shape)
    frame = {"showline": True, "mirror": True, "linecolor": theme.border, "linewidth": 1}
    across = {
        "title": {"text": plotly_text(axis), "font": {"size": TITLE_SIZE, "color": theme.muted}, "standoff": 2},
        "range": [area.left - 0.5, area.right - 0.5],
        "nticks": int(room[0] // WIDTH_OF_TICK),
        "tickangle": 0,
        "tickformat": "d",
        "tickfont": {"size": TITLE_SIZE, "color": theme.muted},
        "showgrid": False,
        "zeroline": False,
    }
    return redrawn_figure(
        [_band_cells(array, area, limit=limit, axis=axis, height=cells, theme=theme)],
        theme,
        height=cells + sum(BAND_FRAME),
        margin={"l": names.width + 10, "r": 54, "t": BAND_FRAME[0], "b": BAND_FRAME[1]},
        xaxis=frame | across,
        yaxis=names.axis(length=cells, theme=theme)
        | frame
        | {"range": [area.bottom - 0.5, area.top - 0.5], "tickfont": _label_font(pitch, theme)},
        annotations=[_band_title(title, theme, left=names.width + 10, room=room[0])],
        shapes=[
            *_head_shapes(area, head_width, head, theme),
            *_mark_shapes(area, marked, theme),
            *_ring_shapes(ringed, theme),
        ],
        dragmode="zoom",
    )


def _label_font(pitch: float, theme: Theme) -> dict[str, object]:
    """Of the labels of rows so many pixels high."""
    return {"size": min(FONT_SIZE, pitch), "color": theme.text}


@dataclass(frozen=True, slots=True)
class Area:
    """The rows and columns of a tensor that a band shows."""

    top: int
    left: int
    rows: int
    columns: int

    @property
    def bottom(self) -> int:
        """The row after the last one."""
        return self.top + self.rows

    @property
    def right(self) -> int:
        """The column after the last one."""
        return self.left + self.columns


def _band_cells(
    array: NDArray[np.float32], area: Area, *, limit: float, axis: str, height: int, theme: Theme
) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "z": array,
        "x0": area.left,
        "dx": 1,
        "y0": area.top,
        "dy": 1,
        "zmin": -limit,
        "zmax": limit,
        "colorscale": theme.diverging,
        "hovertemplate": f"%{{y}}<br>{plotly_text(axis)} %{{x}}<br>%{{z:.4f}}<extra></extra>",
        "colorbar": {
            "tickmode": "array",
            "tickvals": [-limit, 0, limit],
            "tickformat": ".3~g",
            "tickfont": {"size": TITLE_SIZE, "color": theme.muted},
            "thickness": 8,
            "lenmode": "pixels",
            "len": max(height, 60),
            "outlinecolor": theme.border,
            "outlinewidth": 1,
            "x": 1,
            "xpad": 6,
            "ypad": 0,
        },
    }


def _band_title(title: str, theme: Theme, *, left: float, room: float) -> dict[str, object]:
    """The title above the names of the rows, `left` pixels wide, and the rows; smaller if it is wider than the room."""
    size = min(FONT_SIZE, int(FONT_SIZE * room / max(text_width(title, size=FONT_SIZE), 1)))
    corner = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    place = corner | {"xshift": -left, "yshift": 4}
    return {"text": plotly_text(title), "font": {"size": size, "color": theme.text}, "showarrow": False, **place}


def _head_shapes(area: Area, head_width: int, head: int | None, theme: Theme) -> list[dict[str, object]]:
    """Lines between the heads, and a frame around the visible part of one."""
    if not head_width:
        return []
    shapes = [
        _line(column - 0.5, theme.muted) for column in range(area.left + 1, area.right) if column % head_width == 0
    ]
    if head is not None:
        begins, ends = max(head * head_width, area.left), min((head + 1) * head_width, area.right)
        shapes += [frame(begins, ends, area.top, area.bottom, theme.text)] if begins < ends else []
    return shapes


def _mark_shapes(area: Area, marked: Mark, theme: Theme) -> list[dict[str, object]]:
    row, column = marked
    shapes = []
    if row is not None:
        shapes.append(frame(area.left, area.right, row, row + 1, theme.text))
    if column is not None:
        shapes.append(_line(column, theme.text))
    return shapes


def tensor_square(
    values: ArrayLike,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    theme: Theme,
    title: str,
    limit: float | None = None,
    sentence_b_start: int | None = None,
    room: tuple[float, float] = ROOM,
    first: Cell = (0, 0),
    marked: Mark = (None, None),
    ringed: Sequence[Box] = (),
) -> go.Figure:
    """Queries by keys: attention weights from 0 to 1, or scores around zero.

    A number that is not finite has an empty cell. The figure has its own width and height.

    Args:
        values: (Q, K).
        queries, keys: Q and K tokens.
        title: a short plain text.
        limit: end of the colour scale of scores; None for weights.
        sentence_b_start: where sentence B starts; thin lines mark it.
        room: maximum pixels: the figure's width and its height.
        first: positions of the first query and the first key, if the values are a crop.
        marked: a row, a column of the whole, or both, which frames their cell.
        ringed: what a tour points at.
    """
    array = checked_array("values", values, axes="QK")
    check_count("queries in values", len(array), queries)
    check_count("keys in values", array.shape[1], keys)
    columns = token_positions(keys, title="key", first=first[1])
    cell = _cell_within(columns, token_positions(queries, title="").width, *room)
    rows = token_positions(
        queries, title="query", limit=row_limit(queries, row_room(columns, cell[0], room[0])), first=first[0]
    )
    divides = [
        (sentence_b_start,) if sentence_b_start and axis.first < sentence_b_start <= axis.places[-1] else ()
        for axis in (rows, columns)
    ]
    figure = matrix(
        np.where(np.isfinite(array), array, np.nan).astype(np.float32),
        rows=rows,
        columns=columns,
        cell=cell,
        value=WEIGHT if limit is None else replace(SCORE, low=-limit, high=limit),
        theme=theme,
        title=title,
        divide_rows=divides[0],
        divide_columns=divides[1],
    )
    figure.update_yaxes(tickfont=_label_font(cell[1], theme))
    row, column = marked
    if row is not None or column is not None:
        across = (columns.first, columns.places[-1] + 1) if column is None else (column, column + 1)
        down = (rows.first, rows.places[-1] + 1) if row is None else (row, row + 1)
        figure.add_shape(frame(*across, *down, theme.text))
    for shape in _ring_shapes(ringed, theme):
        figure.add_shape(shape)
    return figure


def _cell_within(columns: Positions, row_labels: float, width: float, height: float) -> tuple[float, float]:
    """Width and height of the cells of a square of tokens, in a figure of so many pixels.

    Labels of rows have as many pixels as they need, at most `ROW_LABELS`.
    """
    across = int(min(LARGEST_CELL, width // len(columns)))
    needed = max(min(row_labels, ROW_LABELS), text_width(ROW_TITLE, size=TITLE_SIZE))
    while across > NARROWEST_CELL and row_room(columns, across, width) < needed:
        across -= 1
    above = TITLE_ROW + BAR_ROW + column_labels(columns, across)[1] + EDGE
    return across, max(LOWEST_CELL, min(max(across, SMALLEST_CELL), (height - above) // len(columns)))


def _ring_shapes(ringed: Sequence[Box], theme: Theme) -> list[dict[str, object]]:
    """A thick frame around each box, in another colour than the marks."""
    return [frame(*box, theme.primary) | {"line": {"color": theme.primary, "width": 4}, "name": RING} for box in ringed]


def _line(column: float, colour: str) -> dict[str, object]:
    """A line down a column, over the whole height."""
    ends = {"x0": column, "x1": column, "yref": "y domain", "y0": 0, "y1": 1}
    return {"type": "line", **ends, "line": {"color": colour, "width": 1}}
