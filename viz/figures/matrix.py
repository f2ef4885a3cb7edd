"""A heat map with named rows and columns and a fixed layout in pixels: the base of the heat-map figures.

From top to bottom: title and tool bar; the column axis' title and the colour bar; the column labels; the cells. The
row axis' title fills the corner above the row labels, so that it costs no width and shows without scrolling.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from viz.figures.axes import (
    FONT_SIZE,
    LABEL_LIMIT,
    TITLE_SIZE,
    Positions,
    figure_from_traces,
    redrawn_figure,
    token_positions,
)
from viz.figures.labels import plotly_text, text_width
from viz.theme import ColourScale, Theme, contrast
from viz.wording.numbers import written

TITLE_ROW = 26
BAR_ROW = 46
BAR_WIDTH, BAR_SHARE = 170, 0.6  # of the colour bar at most, in pixels and as a share of the cells
EDGE = 4
LABELLED_CELLS = 14  # columns up to which every cell shows its number
NUMBER_WIDTH = 30  # minimum pixels of such a cell
ROOM_FOR_THREE = 46  # pixels of a cell, for a number with three decimals and its sign
SMALL = 0.2  # numbers up to this get three decimals if there is room
LARGEST_CELL = 64
SMALLEST_CELL = 16  # a 14 px label still fits its row
NARROWEST_CELL = 7  # for two matrices next to each other; some columns have no label then
SLANTED = 28  # pixels of a cell from which its label is slanted; on a narrow page 22 remain
NAMED_EVERY = 18  # pixels between column labels if some columns have none
WIDEST = 700  # of all cells together
ROW_LABELS = 90  # pixels for row labels and their title


@dataclass(frozen=True, slots=True)
class CellValue:
    """The measure in the cells: name, colour range, and number formats for cells and hover."""

    name: str
    high: float
    cell_format: str
    hover_format: str
    low: float = 0.0
    place: str = "{x}<br>{y}"  # hover name of a cell
    diverging: bool = False  # from orange over the page's background to blue; else from the background to one hue

    def colours(self, theme: Theme) -> ColourScale:
        """The colour scale."""
        return theme.diverging if self.diverging else theme.sequential


def matrix(
    values: NDArray[np.float32],
    *,
    rows: Positions,
    columns: Positions,
    cell: tuple[float, float],
    value: CellValue,
    theme: Theme,
    title: str = "",
    divide_rows: tuple[int, ...] = (),
    divide_columns: tuple[int, ...] = (),
) -> go.Figure:
    """The heat map, with a fixed width and height.

    If cells show their numbers, names are tick texts and each cell has its own hover text, so that the figure is
    rendered once (`figure_from_traces`). Other maps have aliases, without a copy of a name for every cell. So do maps
    with empty cells, whose hover would say 0 if the numbers were lists.

    Args:
        values: (R, C), one cell each.
        cell: width and height of a cell in pixels.
        divide_rows, divide_columns: positions before which a thin line is drawn.
    """
    width, height = cell[0] * len(columns), cell[1] * len(rows)
    angle, label_height, overhang = column_labels(columns, cell[0])
    heading = plotly_text(title) if title else ""
    row_title, column_title = f"{rows.title} ↓", f"{named_columns(columns, cell[0])} →"
    left = max(rows.width + 8, text_width(row_title, size=TITLE_SIZE) + 4)
    right = max(EDGE, overhang)
    top = TITLE_ROW + BAR_ROW + label_height

    numbered = _shows_numbers(len(columns), cell)
    fixed = numbered and not rows.thinned and not np.isnan(values).any()
    x_axis = columns.axis(length=width, theme=theme, fixed=fixed) | {"side": "top", "tickangle": angle}
    if not columns.thinned:
        x_axis["dtick"] = label_step(cell[0])
    y_axis = rows.axis(length=height, theme=theme, fixed=fixed)
    y_axis["range"] = y_axis["range"][::-1]
    for axis in (x_axis, y_axis):
        axis |= {"showline": True, "mirror": True, "linecolor": theme.border, "linewidth": 1}

    places = {"x": np.array(columns.places, dtype=np.float32), "y": np.array(rows.places, dtype=np.float32)}
    traces = [_cells(values, places, value=value, theme=theme, lift=(label_height + 2) / height, width=width)]
    if numbered:
        traces.append(_numbers(values, places, value=value, theme=theme))
    layout: dict[str, Any] = {
        "width": round(left + width + right),
        "height": round(top + height + EDGE),
        "margin": {"l": left, "r": right, "t": top, "b": EDGE, "pad": 0, "autoexpand": False},
        "xaxis": x_axis,
        "yaxis": y_axis,
        "dragmode": "zoom" if columns.thinned or rows.thinned else False,
        "annotations": [
            # Plotly's own title leaves the figure if the top margin also holds a colour bar.
            _note(heading, theme.text, 16, xanchor="left", xshift=4 - left, yshift=BAR_ROW + label_height),
            _note(row_title, theme.muted, TITLE_SIZE, xanchor="right", xshift=-5, yshift=2),
            _note(column_title, theme.muted, TITLE_SIZE, xanchor="left", xshift=0, yshift=label_height),
        ],
        "shapes": [
            *(_line("x", position, theme) for position in divide_columns),
            *(_line("y", position, theme) for position in divide_rows),
        ],
    }
    if not fixed:
        return redrawn_figure(traces, theme, **layout)
    traces[0] |= {
        "hovertext": [[value.place.format(x=column, y=row) for column in columns.hover] for row in rows.hover],
        "text": [[written(number, value.hover_format) for number in numbers] for numbers in values.tolist()],
        "hovertemplate": f"%{{hovertext}}<br>{value.name} %{{text}}<extra></extra>",
    }
    return figure_from_traces([_with_lists(trace) for trace in traces], theme, **layout)


def frame(left: float, right: float, top: float, bottom: float, colour: str) -> dict[str, object]:
    """A frame around the cells from left to right and from top to bottom, exclusive ends."""
    ends = {"x0": left - 0.5, "x1": right - 0.5, "y0": top - 0.5, "y1": bottom - 0.5}
    return {"type": "rect", **ends, "line": {"color": colour, "width": 2}}


def decimals(high: float, cell_width: float) -> int:
    """Number of decimals in the cells, limited by their room."""
    return 3 if high < SMALL and cell_width >= ROOM_FOR_THREE else 2


def column_labels(columns: Positions, cell_width: float) -> tuple[int, float, float]:
    """Angle of the column labels, their height, and the overhang of the last one; heights in pixels."""
    if columns.width <= cell_width - 5:
        return 0, FONT_SIZE + 8, 0.0
    if cell_width >= SLANTED:
        return (
            -45,
            0.71 * (columns.width + FONT_SIZE) + 8,
            max(0.0, 0.71 * (columns.width + FONT_SIZE) - cell_width / 2),
        )
    return -90, columns.width + 10, 0.0


def label_step(cell_width: float) -> int:
    """Columns per label: 1 unless labels would overlap."""
    return 1 if cell_width >= SMALLEST_CELL else math.ceil(NAMED_EVERY / cell_width)


def named_columns(columns: Positions, cell_width: float) -> str:
    """The column axis and its labelled columns; of very many, Plotly labels as many as fit."""
    if columns.thinned:
        return f"{columns.title}, not all named: zoom in"
    step = label_step(cell_width)
    return f"every {_ordinal(step)} {columns.title}" if step > 1 else columns.title


def square_cell(columns: Positions, width: float, height: float) -> tuple[float, float]:
    """Width and height of a cell in pixels: wide for few tokens, so that labels lie flat.

    Cells may be narrower than the height of their labels to fit the width.
    """
    tokens = len(columns)
    across, down = (max(SMALLEST_CELL, min(LARGEST_CELL, side // tokens)) for side in (WIDEST, height))
    while across > NARROWEST_CELL and row_room(columns, across, width) < ROW_LABELS:
        across -= 1
    return across, down


def row_room(columns: Positions, cell: float, width: float) -> float:
    """Pixels left for row labels next to cells of that width."""
    return width - cell * len(columns) - column_labels(columns, cell)[2] - 12


def row_limit(labels: Sequence[str], room: float) -> int:
    """Maximum characters, from 6 to LABEL_LIMIT, with which every row label fits the pixels."""
    for limit in range(LABEL_LIMIT, 6, -1):
        if token_positions(labels, title="", limit=limit).width <= room:
            return limit
    return 6


def _shows_numbers(columns: int, cell: tuple[float, float]) -> bool:
    """Whether every cell, of such a width and height, of a map of so many columns shows its number."""
    return columns <= LABELLED_CELLS and cell[0] >= NUMBER_WIDTH and cell[1] >= SMALLEST_CELL


def _cells(
    values: NDArray[np.float32],
    positions: dict[str, NDArray[np.float32]],
    *,
    value: CellValue,
    theme: Theme,
    lift: float,
    width: float,
) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "z": values,
        **positions,
        "zmin": value.low,
        "zmax": value.high,
        "colorscale": value.colours(theme),
        "hovertemplate": _hover_template(value),
        "colorbar": {
            "orientation": "h",
            "title": {"text": value.name, "side": "top", "font": {"size": TITLE_SIZE, "color": theme.muted}},
            "tickfont": {"size": TITLE_SIZE, "color": theme.muted},
            "tickmode": "array",
            "tickvals": [value.low, (value.low + value.high) / 2, value.high],
            "tickformat": "~g" if value.high == 1 else ".3~g",
            "lenmode": "pixels",
            "len": min(BAR_WIDTH, width * BAR_SHARE),
            "thickness": 8,
            "outlinecolor": theme.border,
            "outlinewidth": 1,
            "x": 1,
            "xanchor": "right",
            "xpad": 22,  # room for half of the last number under it
            "y": 1 + lift,
            "yanchor": "bottom",
            "ypad": 0,
        },
    }


def _with_lists(trace: dict[str, Any]) -> dict[str, Any]:
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in trace.items()}


def _hover_template(value: CellValue) -> str:
    """The hover template. It has no plus, which the browser would also write before numbers that round to zero."""
    number = f"%{{z:{value.hover_format.removeprefix('+')}}}"
    return f"{value.place.format(x='%{x}', y='%{y}')}<br>{value.name} {number}<extra></extra>"


def _ordinal(number: int) -> str:
    return {2: "2nd", 3: "3rd"}.get(number, f"{number}th")


def readable_colour(cell_colour: str, theme: Theme) -> str:
    """The colour of text on a cell: the theme's text or background, whichever has more contrast."""
    return (
        theme.text if contrast(theme.text, cell_colour) >= contrast(theme.background, cell_colour) else theme.background
    )


def colours_of_numbers(theme: Theme, *, diverging: bool = False) -> list[str]:
    """The colour of the number on each stop of the colour scale; numbers close to 0 are muted."""
    scale = theme.diverging if diverging else theme.sequential
    # One of the two is legible on every stop of the scale; a test checks the contrast.
    on_stop = [readable_colour(cell_colour, theme) for _, cell_colour in scale]
    on_stop[len(scale) // 2 if diverging else 0] = theme.muted
    return on_stop


def _numbers(
    values: NDArray[np.float32], positions: dict[str, NDArray[np.float32]], *, value: CellValue, theme: Theme
) -> dict[str, Any]:
    """The numbers in the cells, each in a readable colour.

    A trace of its own, because a heat map's `texttemplate` has one colour for all cells, and its automatic
    contrast falls below 3:1 on the middle of the scale.
    """
    at_column, at_row = np.meshgrid(positions["x"], positions["y"])
    fractions = np.clip((values - value.low) / (value.high - value.low), 0, 1)
    on_stop = colours_of_numbers(theme, diverging=value.diverging)
    stops = np.rint(np.nan_to_num(fractions) * (len(on_stop) - 1)).astype(int)
    return {
        "type": "scatter",
        "x": at_column.ravel(),
        "y": at_row.ravel(),
        "mode": "text",
        "text": ["" if np.isnan(number) else written(number, value.cell_format) for number in values.ravel().tolist()],
        "textfont": {"size": FONT_SIZE, "color": [on_stop[stop] for stop in stops.ravel().tolist()]},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _note(text: str, colour: str, size: int, **place: Any) -> dict[str, Any]:
    """A text at an offset from the upper left corner of the cells."""
    corner = {"xref": "x domain", "x": 0, "yref": "y domain", "y": 1, "yanchor": "bottom", "showarrow": False}
    return {"text": text, "font": {"size": size, "color": colour}, **corner, **place}


def _line(axis: str, position: int, theme: Theme) -> dict[str, Any]:
    """A thin line before the row ("y") or the column ("x") at a position."""
    along, across = ("x", "y") if axis == "x" else ("y", "x")
    ends = {f"{along}0": position - 0.5, f"{along}1": position - 0.5, f"{across}0": 0, f"{across}1": 1}
    return {"type": "line", f"{along}ref": along, f"{across}ref": f"{across} domain", **ends} | {
        "line": {"color": theme.muted, "width": 1}
    }
