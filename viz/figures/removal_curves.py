"""An output of the model as words are removed: in the tested order, in random orders, and in orders found by search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from encoder.errors import ShapeError
from viz.figures.axes import (
    TITLE_SIZE,
    axis_title,
    checked_array,
    figure_from_traces,
    value_axis,
    vertical_line,
    with_opacity,
)
from viz.figures.labels import plotly_text
from viz.theme import Theme

EVERY_COUNT = 20  # words, up to which each has a tick


def removal_curves(
    own: ArrayLike,
    counts: Sequence[int],
    *,
    unit: str,
    theme: Theme,
    random: ArrayLike | None = None,
    greedy: ArrayLike | None = None,
    guided: ArrayLike | None = None,
    limits: tuple[float, float] | None = None,
    removed: int = 0,
    units_removed: str = "words",
) -> go.Figure:
    """Lines over the number of removed words. Stretches to its column.

    Args:
        own: (S,) the output in the tested order.
        counts: S numbers of removed words.
        unit: of the output.
        random: (R, S) in random orders.
        greedy: (S,) in the order found by a greedy search.
        guided: (S,) in the order found by a search that a method guides.
        limits: range of the axis, if the output is bounded.
        removed: number of words removed in the sentence next to the figure; 0 for no line.
        units_removed: what is removed, in the plural.
    """
    orders = _orders(own, random, greedy, guided, theme)
    for order in orders:
        if len(order.curve) != len(counts):
            raise ShapeError(f"A curve has {len(order.curve)} points, but there are {len(counts)} counts of words.")
    scale = {} if limits is None else {"range": [limits[0] - 0.02, limits[1] + 0.02]}
    return figure_from_traces(
        [_line(order, counts, unit) for order in orders],
        theme,
        height=330,
        margin={"l": 56, "r": 12, "t": 34, "b": 48},
        xaxis={
            "title": axis_title(f"{units_removed} removed", theme),
            "range": [-0.2, counts[-1] + 0.2],
            "tickfont": {"size": TITLE_SIZE, "color": theme.muted},
            "dtick": 1 if counts[-1] <= EVERY_COUNT else None,
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        yaxis=value_axis(plotly_text(unit), theme, **scale),
        showlegend=True,
        shapes=[vertical_line(removed, theme)] if removed else [],
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Order:
    """One curve, (S,), and its style; of several with one name the legend lists the first.

    A curve that is not shown appears after a click on its name in the legend.
    """

    name: str
    curve: NDArray[np.float32]
    line: dict[str, Any]
    in_legend: bool = True
    markers: bool = False
    shown: bool = True


def _orders(
    own: ArrayLike, random: ArrayLike | None, greedy: ArrayLike | None, guided: ArrayLike | None, theme: Theme
) -> list[_Order]:
    """All curves, the tested one on top."""
    orders = []
    if random is not None:
        curves = checked_array("random", random, axes="RS")
        faint = {"color": with_opacity(theme.muted, 0.35), "width": 1}
        name = f"{len(curves)} random orders"
        orders = [_Order(name, curve, faint, in_legend=not index) for index, curve in enumerate(curves)]
        orders.append(_Order("their mean", curves.mean(axis=0), {"color": theme.muted, "width": 2, "dash": "dot"}))
    for name, curve, dash, colour in (
        ("greedy search", greedy, "dash", theme.sentence("B")),
        ("guided search", guided, "dashdot", theme.head_colours[1]),
    ):
        if curve is not None:
            line = {"color": colour, "width": 2.5, "dash": dash}
            orders.append(_Order(name, checked_array(name, curve, axes="S"), line, shown=False))
    tested = checked_array("own", own, axes="S")
    return [*orders, _Order("this order", tested, {"color": theme.primary, "width": 3}, markers=True)]


def _line(order: _Order, counts: Sequence[int], unit: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers" if order.markers else "lines",
        "x": list(counts),
        "y": order.curve.tolist(),
        "name": order.name,
        "legendgroup": order.name,
        "showlegend": order.in_legend,
        "visible": True if order.shown else "legendonly",
        "line": order.line,
        "hovertemplate": f"{order.name}<br>%{{x}} removed<br>{plotly_text(unit)} %{{y:.3f}}<extra></extra>",
    }
