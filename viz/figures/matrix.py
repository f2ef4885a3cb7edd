"""One heat map with named rows and columns, laid out to the pixel: the builder behind the heat-map figures.

From top to bottom: the tool bar; the column axis' title and the colour bar; the column labels; the cells. The row
axis' title fills the corner above the row labels, so that it costs no width and shows without scrolling.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from viz.figures.axes import FONT_SIZE, TITLE_SIZE, Positions, themed
from viz.figures.labels import text_width
from viz.theme import Theme, contrast

TOOL_ROW = 26
BAR_ROW = 46
EDGE = 4
LABELLED_CELLS = 14  # up to so many columns every cell shows its number,
NUMBER_WIDTH = 30  # if it is so many pixels wide


@dataclass(frozen=True, slots=True)
class Value:
    """What the cells hold: its name, the range of its colours, and number formats for the cells and for hover."""

    name: str
    high: float
    cell_format: str
    hover_format: str
    low: float = 0.0


def matrix(
    values: NDArray[np.float32],
    *,
    rows: Positions,
    columns: Positions,
    cell: tuple[float, float],
    value: Value,
    theme: Theme,
) -> go.Figure:
    """The heat map, with a fixed width and height.

    Args:
        values: (R, C), one cell each.
        cell: width and height of a cell in pixels.
    """
    width, height = cell[0] * len(columns), cell[1] * len(rows)
    angle, label_height, overhang = _column_labels(columns, cell[0])
    row_title, column_title = f"{rows.title} ↓", f"{columns.title} →"
    left = max(rows.width + 8, text_width(row_title, size=TITLE_SIZE) + 4)
    right = max(EDGE, overhang)
    top = TOOL_ROW + BAR_ROW + label_height

    x_axis = columns.axis(length=width, theme=theme) | {"side": "top", "tickangle": angle}
    y_axis = rows.axis(length=height, theme=theme) | {"range": [len(rows) - 0.5, -0.5]}
    for axis in (x_axis, y_axis):
        axis |= {"showline": True, "mirror": True, "linecolor": theme.border, "linewidth": 1}

    figure = go.Figure(_cells(values, value=value, theme=theme, lift=(label_height + 2) / height, width=width))
    if len(columns) <= LABELLED_CELLS and cell[0] >= NUMBER_WIDTH:
        figure.add_trace(_numbers(values, value=value, theme=theme))
    return themed(
        figure,
        theme,
        width=round(left + width + right),
        height=round(top + height + EDGE),
        margin={"l": left, "r": right, "t": top, "b": EDGE, "pad": 0, "autoexpand": False},
        xaxis=x_axis,
        yaxis=y_axis,
        dragmode="zoom" if columns.thinned or rows.thinned else False,
        annotations=[
            _note(row_title, theme, xanchor="right", xshift=-5, yshift=2),
            _note(column_title, theme, xanchor="left", xshift=0, yshift=label_height),
        ],
    )


def _column_labels(columns: Positions, cell_width: float) -> tuple[int, float, float]:
    """Angle of the column labels, their height, and how far the last one hangs over, the latter two in pixels."""
    if columns.width <= cell_width - 5:
        return 0, FONT_SIZE + 8, 0.0
    if cell_width >= 22:
        return (
            -45,
            0.71 * (columns.width + FONT_SIZE) + 8,
            max(0.0, 0.71 * (columns.width + FONT_SIZE) - cell_width / 2),
        )
    return -90, columns.width + 10, 0.0


def _cells(values: NDArray[np.float32], *, value: Value, theme: Theme, lift: float, width: float) -> go.Heatmap:
    return go.Heatmap(
        z=values,
        x=np.arange(values.shape[1], dtype=np.float32),
        y=np.arange(values.shape[0], dtype=np.float32),
        zmin=value.low,
        zmax=value.high,
        colorscale=theme.sequential,
        hovertemplate=f"%{{x}}<br>%{{y}}<br>{value.name} %{{z:{value.hover_format}}}<extra></extra>",
        colorbar={
            "orientation": "h",
            "title": {"text": value.name, "side": "top", "font": {"size": TITLE_SIZE, "color": theme.muted}},
            "tickfont": {"size": TITLE_SIZE, "color": theme.muted},
            "tickmode": "array",
            "tickvals": [value.low, (value.low + value.high) / 2, value.high],
            "tickformat": "~g" if value.high == 1 else ".3~g",
            "lenmode": "pixels",
            "len": min(170, width * 0.6),
            "thickness": 8,
            "outlinecolor": theme.border,
            "outlinewidth": 1,
            "x": 1,
            "xanchor": "right",
            "xpad": 10,
            "y": 1 + lift,
            "yanchor": "bottom",
            "ypad": 0,
        },
    )


def _ink(paper: str, theme: Theme) -> str:
    return theme.text if contrast(theme.text, paper) >= contrast(theme.background, paper) else theme.background


def _numbers(values: NDArray[np.float32], *, value: Value, theme: Theme) -> go.Scatter:
    """The numbers in the cells, each in the colour that reads best there.

    A trace of its own, because a heat map's `texttemplate` has one colour for all cells, and its automatic
    contrast falls below 3:1 on the middle of the scale. Numbers close to nothing stand back.
    """
    at_row, at_column = np.indices(values.shape)
    fractions = np.clip((values - value.low) / (value.high - value.low), 0, 1)
    stops = np.rint(np.nan_to_num(fractions) * (len(theme.sequential) - 1)).astype(int)
    # One of the two reads well on every stop of the scale; a test says how well.
    on_stop = [_ink(paper, theme) for _, paper in theme.sequential]
    on_stop[0] = theme.muted
    return go.Scatter(
        x=at_column.ravel().astype(np.float32),
        y=at_row.ravel().astype(np.float32),
        mode="text",
        text=["" if np.isnan(number) else format(number, value.cell_format) for number in values.ravel().tolist()],
        textfont={"size": FONT_SIZE, "color": [on_stop[stop] for stop in stops.ravel().tolist()]},
        hoverinfo="skip",
        showlegend=False,
    )


def _note(text: str, theme: Theme, **place: Any) -> dict[str, Any]:
    """A text placed from the upper left corner of the cells."""
    corner = {"xref": "x domain", "x": 0, "yref": "y domain", "y": 1, "yanchor": "bottom", "showarrow": False}
    return {"text": text, "font": {"size": TITLE_SIZE, "color": theme.muted}, **corner, **place}
