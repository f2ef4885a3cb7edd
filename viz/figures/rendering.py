"""Fits a figure to where it is rendered: its height, and Plotly's tool bar."""

from __future__ import annotations

import re
from typing import Any

import plotly.graph_objects as go

from viz.figures.axes import FONT_SIZE
from viz.figures.labels import text_width
from viz.figures.matrix import TITLE_ROW

SMALLEST_TEXT = 8  # pixels
LOWEST_PLOT = 24
GAP = 3  # pixels between the names of columns


def fit_height(figure: go.Figure, height: int) -> None:
    """Limit the height of a figure in pixels.

    A heat map loses the row of the tool bar above its colour bar; its title moves next to the bar.
    """
    own = figure.layout.height
    if own is None or own <= height:
        return
    figure.layout.height = height
    cells = next((trace for trace in figure.data if trace.type == "heatmap"), None)
    margin = figure.layout.margin
    if cells is None:
        if names := figure.layout.yaxis.tickvals:
            figure.layout.yaxis.tickfont.size = _text_size((height - margin.t - margin.b) / len(names))
        return
    before = own - margin.t - margin.b
    if cells.colorbar.orientation == "h" and margin.t > TITLE_ROW + margin.b:
        margin.t -= TITLE_ROW
        for note in figure.layout.annotations:
            if note.font.size > FONT_SIZE:  # the title
                note.yshift -= TITLE_ROW
    after = max(LOWEST_PLOT, height - margin.t - margin.b)
    _move_colour_bar(cells.colorbar, before, after)
    _shrink_rows(figure, after / len(cells.z))


def _move_colour_bar(bar: Any, before: float, after: float) -> None:
    """Keep the distance of a bar above the plot, and the height of a bar next to it equal to the plot's."""
    if bar.orientation != "h":
        bar.len = after
    elif bar.y is not None:
        bar.y = 1 + (bar.y - 1) * before / after


def _text_size(pitch: float) -> int:
    return max(SMALLEST_TEXT, min(FONT_SIZE, int(pitch)))


def _shrink_rows(figure: go.Figure, pitch: float) -> None:
    """Fit names and numbers to the height of rows; rows lower than a name are named at intervals."""
    size = _text_size(pitch)
    rows = figure.layout.yaxis
    rows.tickfont.size = size
    step = -(-SMALLEST_TEXT // max(pitch, 1))
    if step > 1 and rows.tickmode == "array":
        rows.tickvals, rows.ticktext = rows.tickvals[:: int(step)], rows.ticktext[:: int(step)]
    elif step > 1:
        rows.dtick = step
    numbers = [trace for trace in figure.data if trace.type == "scatter" and trace.mode == "text"]
    for trace in numbers:
        trace.textfont.size = size
        trace.visible = step == 1


def fit_column_labels(figure: go.Figure, width: int) -> None:
    """Fit level names of columns to a figure that is rendered in so many pixels, which may be fewer than its own."""
    names, margin = figure.layout.xaxis.ticktext, figure.layout.margin
    if figure.layout.xaxis.tickangle != 0 or not names:
        return
    pitch = (width - margin.l - margin.r) / len(names)
    share = pitch / max(text_width(name) + GAP for name in names)
    if share < 1:
        figure.layout.xaxis.tickfont.size = max(SMALLEST_TEXT, int(share * FONT_SIZE))


def plot_config(filename: str) -> dict[str, Any]:
    """The `config` of `st.plotly_chart`: a button that saves the figure as SVG, no logo, no clutter.

    Args:
        filename: name of the saved file without its ending; anything but letters, digits, ".", "_" and "-" becomes
            "-", and an empty rest "headlight".
    """
    name = re.sub(r"[^\w.-]+", "-", filename, flags=re.ASCII).strip("-.")[:80] or "headlight"
    return {
        "displaylogo": False,
        "displayModeBar": "hover",
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d", "toggleSpikelines"],
        "scrollZoom": False,
        "doubleClick": "reset",
        "toImageButtonOptions": {"format": "svg", "filename": name},
    }
