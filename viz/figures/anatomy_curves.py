"""Curves and bars of the anatomy: positions by distance, activations, active units."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from viz.figures.axes import (
    DASHES,
    checked_array,
    redrawn_figure,
    token_bars,
    token_positions,
    value_axis,
)
from viz.figures.labels import plotly_text
from viz.theme import Theme

BINS = 80


def similarity_lines(curves: Mapping[str, ArrayLike], *, theme: Theme) -> go.Figure:
    """Mean dot product of two position vectors by their distance, one line for each kind. Stretches to its column.

    Args:
        curves: for each name (N,) values at the distances 0, 1, 2, ...; 1 at distance 0.
    """
    lines = []
    for index, (name, curve) in enumerate(curves.items()):
        array = checked_array(f"curve of {name!r}", curve, axes="N")
        line = {
            "type": "scatter",
            "x": np.arange(len(array), dtype=np.float32),
            "y": array,
            "name": plotly_text(name),
            "mode": "lines",
            "line": {"color": theme.head_colours[index], "width": 2, "dash": DASHES[index % len(DASHES)]},
            "hovertemplate": f"{plotly_text(name)}<br>distance %{{x}}<br>%{{y:.3f}}<extra></extra>",
        }
        lines.append(line)
    return _plain_axes(lines, theme, x="distance between two positions", y="dot product, relative", height=300)


def activation_lines(
    inputs: ArrayLike, curves: Mapping[str, tuple[ArrayLike, ArrayLike]], *, theme: Theme
) -> go.Figure:
    """Activation functions over a histogram of their actual inputs. Stretches to its column.

    Args:
        inputs: (N,) inputs; the histogram omits those beyond the curves' range.
        curves: for each name the points (M,) and the values there (M,).
    """
    array = checked_array("inputs", inputs, axes="N")
    points = [checked_array("points", given, axes="M") for given, _ in curves.values()]
    low, high = float(min(p.min() for p in points)), float(max(p.max() for p in points))
    shares, edges = _input_histogram(array, low=low, high=high)
    bars = {
        "type": "bar",
        "x": (edges[:-1] + edges[1:]) / 2,
        "y": shares,
        "width": float(edges[1] - edges[0]),
        "name": "inputs on this text",
        "yaxis": "y2",
        "marker": {"color": theme.border, "line": {"width": 0}},
        "hovertemplate": "inputs near %{x:.2f}<br>%{y:.2%} of all<extra></extra>",
    }
    lines = [
        {
            "type": "scatter",
            "x": checked_array("points", points_of_curve, axes="M"),
            "y": checked_array(f"values of {name!r}", values, axes="M"),
            "name": plotly_text(name),
            "mode": "lines",
            "line": {"color": theme.head_colours[index], "width": 2.5, "dash": DASHES[index % len(DASHES)]},
            "hovertemplate": f"{plotly_text(name)}(%{{x:.2f}}) = %{{y:.3f}}<extra></extra>",
        }
        for index, (name, (points_of_curve, values)) in enumerate(curves.items())
    ]
    figure = _plain_axes([bars, *lines], theme, x="input of a unit", y="what passes", height=300)
    return figure.update_layout(
        height=320,
        margin={"t": 12, "b": 92},
        legend={"y": -0.3, "yanchor": "top"},  # above, it would cover the bars in a narrow column
        xaxis={"range": [low, high]},
        yaxis={"overlaying": "y2", "dtick": 1},
        yaxis2={"side": "right", "visible": False, "fixedrange": True, "rangemode": "tozero"},
    )


def _input_histogram(
    inputs: NDArray[np.float32], *, low: float, high: float
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Histogram of inputs: (80,) shares of all inputs, including those beyond the ends, and (81,) bin edges."""
    counts, edges = np.histogram(inputs, bins=BINS, range=(low, high))
    return counts.astype(np.float32) / np.float32(len(inputs)), edges


def share_bars(shares: Mapping[str, ArrayLike], labels: Sequence[str], *, theme: Theme, first: int = 0) -> go.Figure:
    """Shares of the units at every token, stacked, on an axis from 0 to 1. Stretches to its column.

    Args:
        shares: for each name (T,) in [0, 1]; together at most 1.
        labels: T tokens.
        first: the position of the first of them.
    """
    bars = token_bars(shares, labels, what="shares", hover="{name}: %{y:.1%}", patterns=True, theme=theme, first=first)
    tokens = token_positions(labels, title="token", first=first)
    angle = 0 if tokens.width <= 330 / len(labels) - 6 else -90
    below = 26 if angle == 0 else tokens.width + 14
    figure = _plain_axes(bars, theme, x="", y="share of the units", height=round(274 + below))
    return figure.update_layout(
        barmode="stack",
        bargap=0.25,
        legend={"traceorder": "normal"},
        margin={"b": below},
        xaxis=tokens.axis(length=330, theme=theme) | {"tickangle": angle},
        yaxis={"range": [0, 1], "dtick": 0.25},
    )


def _plain_axes(traces: Sequence[Mapping[str, Any]], theme: Theme, *, x: str, y: str, height: int) -> go.Figure:
    return redrawn_figure(
        traces,
        theme,
        height=height,
        margin={"l": 60, "r": 12, "t": 40, "b": 52},
        xaxis=value_axis(x, theme, zerolinecolor=theme.muted, showgrid=False),
        yaxis=value_axis(y, theme, zerolinecolor=theme.muted),
    )
