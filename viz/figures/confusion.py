"""Rows by their own label and the predicted one, and how often a model is right at each probability."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz.figures.axes import (
    FONT_SIZE,
    TITLE_SIZE,
    Positions,
    bare_axis,
    check_count,
    checked_array,
    figure_from_traces,
    text_trace,
    token_positions,
    unseen_squares,
    value_axis,
)
from viz.figures.labels import plotly_text
from viz.figures.matrix import column_labels, frame, readable_colour
from viz.theme import Theme
from viz.wording.numbers import percent, written

CELL = (60, 38)  # pixels
WIDE = 2.2  # width of a cell by its height, if it is a high one
WIDEST_CELL = 100
LARGER_TYPE = 1.35  # on a stage
NARROW_CELL = 34  # of many classes
MANY = 6
TITLES = 22  # pixels


def confusion_matrix(
    counts: ArrayLike,
    labels: Sequence[str],
    *,
    intervals: Sequence[Sequence[tuple[float, float, float, int]]],
    theme: Theme,
    chosen: tuple[int, int] | None = None,
    cell_height: int = CELL[1],
) -> go.Figure:
    """Own label by predicted label. The colour is the share of a row's own label, from 0 to 1.

    Invisible points cover the cells, row by row, because a click on a heat map's cell never reaches Python.

    Args:
        counts: (C, C), own label by predicted one.
        labels: C names.
        intervals: of each cell its share of the own label's rows, from, to, and the number of these rows.
        chosen: the framed cell.
        cell_height: pixels.
    """
    array = checked_array("counts", counts, axes="KC")
    check_count("classes", len(array), labels)
    rows, columns = (token_positions(labels, title=title) for title in ("own label", "predicted"))
    across, down = _cell_width(columns, cell_height), cell_height
    shares = np.nan_to_num([[cell[0] for cell in row] for row in intervals])
    angle, label_height, overhang = column_labels(columns, across)
    left, top = _left(rows), label_height + TITLES
    scale = theme.sequential
    stops = np.rint(shares * (len(scale) - 1)).astype(int).ravel().tolist()
    places = [(column, row) for row in range(len(labels)) for column in range(len(labels))]
    x, y = [place[0] for place in places], [place[1] for place in places]
    hover = [
        f"own label <b>{plotly_text(labels[row])}</b><br>predicted <b>{plotly_text(labels[column])}</b><br>"
        f"{int(array[row, column]):,} {_of_label(*intervals[row][column])}"
        for column, row in places
    ]
    shown_on_hover = {"hovertext": hover, "hovertemplate": "%{hovertext}<extra></extra>"}
    points = unseen_squares(x, y, size=down - 4, colour=theme.primary) | shown_on_hover
    cells = {
        "type": "heatmap",
        "z": shares.tolist(),
        "zmin": 0,
        "zmax": 1,
        "colorscale": scale,
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "hoverinfo": "skip",
    }
    numbers = text_trace(
        x,
        y,
        [f"{int(count):,}" if count else "" for count in array.ravel().tolist()],
        size=FONT_SIZE,
        colour=[readable_colour(scale[stop][1], theme) for stop in stops],
    )
    axis = bare_axis(tickmode="array", tickvals=list(range(len(labels))))
    corner = {"xref": "x domain", "x": 0, "yref": "y domain", "y": 1, "yanchor": "bottom", "showarrow": False}
    small = {"size": TITLE_SIZE, "color": theme.muted}
    return figure_from_traces(
        [points, cells, numbers | {"selected": {"textfont": {}}, "unselected": {"textfont": {}}}],
        theme,
        width=width_of_matrix(labels, cell_height=cell_height),
        height=round(top + down * len(labels) + 6),
        margin={"l": left, "r": max(overhang, 8), "t": top, "b": 6, "autoexpand": False},
        plot_bgcolor=theme.border,
        xaxis=axis
        | {
            "side": "top",
            "range": [-0.5, len(labels) - 0.5],
            "ticktext": [plotly_text(tick) for tick in columns.ticks],
            "tickangle": angle,
        },
        yaxis=axis | {"range": [len(labels) - 0.5, -0.5], "ticktext": [plotly_text(tick) for tick in rows.ticks]},
        shapes=[] if chosen is None else [frame(chosen[1], chosen[1] + 1, chosen[0], chosen[0] + 1, theme.text)],
        annotations=[
            corner | {"text": "own label ↓", "font": small, "xanchor": "right", "xshift": -5, "yshift": 2},
            corner | {"text": "predicted →", "font": small, "xanchor": "left", "yshift": label_height},
        ],
        clickmode="event+select",
        showlegend=False,
    )


def _of_label(share: float, low: float, high: float, n: int) -> str:
    if not n:
        return "rows"
    return f"of {n:,} rows with the label: {percent(share)}, 95 % interval {100 * low:.0f} to {percent(high)}"


def width_of_matrix(labels: Sequence[str], *, cell_height: int = CELL[1]) -> int:
    """Pixels of the confusion matrix of these classes."""
    columns = token_positions(labels, title="predicted")
    across = _cell_width(columns, cell_height)
    return round(_left(columns) + across * len(labels) + max(column_labels(columns, across)[2], 8))


def _cell_width(columns: Positions, height: int) -> int:
    """Pixels: few classes have room for their names, in larger type too."""
    least = max(CELL[0], round(WIDE * height)) if height > CELL[1] else CELL[0]
    wide = max(least, min(round(LARGER_TYPE * columns.width), WIDEST_CELL))
    return wide if len(columns) <= MANY else NARROW_CELL


def _left(rows: Positions) -> float:
    """Pixels left of the cells."""
    return max(rows.width + 10, 76)


def calibration_chart(
    edges: ArrayLike,
    confidence: ArrayLike,
    accuracy: ArrayLike,
    *,
    low: ArrayLike,
    high: ArrayLike,
    counts: Sequence[int],
    theme: Theme,
    titles: tuple[str, str] = ("probability of the prediction", "right"),
    counted: str = "rows",
    is_share: bool = True,
) -> go.Figure:
    """Share of right rows by probability, or mean label by score, with intervals, and the line of perfect calibration.

    Args:
        edges: (B + 1,) of the bins.
        confidence, accuracy, low, high: (B,), NaN of empty bins.
        counts: B numbers of what is counted.
        titles: of the axes.
        is_share: whether both are shares; else any numbers.
    """
    bounds = np.asarray(edges, np.float64)
    said, right, least, most = (np.asarray(each, np.float64) for each in (confidence, accuracy, low, high))
    shown = [index for index, count in enumerate(counts) if count]
    number = percent if is_share else _number
    hover = [
        f"{titles[0]} {number(bounds[index])} to {number(bounds[index + 1])}: {number(said[index])} on average<br>"
        f"{titles[1]}: {number(right[index])} ({number(least[index])} to {number(most[index])}), "
        f"{counts[index]:,} {counted}"
        for index in shown
    ]
    ends = np.array([0.0, 1.0]) if is_share else bounds[[0, -1]]
    line = {
        "type": "scatter",
        "x": ends.tolist(),
        "y": ends.tolist(),
        "mode": "lines",
        "line": {"color": theme.muted, "dash": "dash", "width": 1},
        "name": "perfectly calibrated",
        "hoverinfo": "skip",
    }
    points = {
        "type": "scatter",
        "x": said[shown].tolist(),
        "y": right[shown].tolist(),
        "mode": "lines+markers",
        "marker": {"size": [6 + 14 * (counts[index] / max(counts)) ** 0.5 for index in shown], "color": theme.primary},
        "line": {"color": theme.primary, "width": 1},
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": (most - right)[shown].tolist(),
            "arrayminus": (right - least)[shown].tolist(),
            "color": theme.primary,
            "thickness": 1,
            "width": 4,
        },
        "name": f"this model; larger points are more {counted}",
        "hovertext": hover,
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    across = {"range": [0, 1.02], "tickformat": ".0%", "dtick": 0.2} if is_share else {}
    return figure_from_traces(
        [line, points],
        theme,
        height=360,
        margin={"l": 56, "r": 16, "t": 40, "b": 50},
        xaxis=value_axis(titles[0], theme, **across),
        yaxis=value_axis(titles[1], theme, **(across | {"range": [0, 1.04]} if is_share else {})),
    )


def _number(value: float) -> str:
    return written(value, ".3g")
