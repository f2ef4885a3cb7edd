"""A number of a model as words are taken away: in one order, in random ones, and in the best that a search finds."""

from __future__ import annotations

from collections.abc import Sequence
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
    legend_above,
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
    taken: str = "words",
) -> go.Figure:
    """Lines over the number of words that are gone. Stretches to its column.

    Args:
        own: (S,) the number in the order that is tested.
        counts: S, how many words are gone at each point.
        unit: of the number.
        random: (R, S) of random orders.
        greedy: (S,) of the order that a greedy search finds.
        guided: (S,) of the order that a search led by a method finds.
        limits: between which the number lies, which the axis then shows.
        removed: how many words are taken away in the sentence beside the figure; 0 draws no line.
        taken: what is taken away, in the plural.
    Raises:
        ShapeError: a curve has another number of points.
    """
    line = checked_array("own", own, axes="S")
    further = [] if random is None else list(checked_array("random", random, axes="RS"))
    dashed = {"width": 2.5, "dash": "dash", "color": theme.sentence("B")}
    searched = [
        (name, checked_array(name, curve, axes="S"), style)
        for name, curve, style in (
            ("greedy search", greedy, dashed),
            ("guided search", guided, dashed | {"dash": "dashdot", "color": theme.head_colours[1]}),
        )
        if curve is not None
    ]
    for array in (line, *further, *(curve for _, curve, _ in searched)):
        if len(array) != len(counts):
            raise ShapeError(f"A curve has {len(array)} points, but there are {len(counts)} counts of words.")
    faint = with_opacity(theme.muted, 0.35)
    traces = [
        _line(curve, counts, "20 random orders", unit, {"color": faint, "width": 1}, first=not index)
        for index, curve in enumerate(further)
    ]
    if further:
        mean = np.mean(further, axis=0)
        traces.append(_line(mean, counts, "their mean", unit, {"color": theme.muted, "width": 2, "dash": "dot"}))
    traces += [_line(curve, counts, name, unit, style) for name, curve, style in searched]
    traces.append(_line(line, counts, "this order", unit, {"color": theme.primary, "width": 3}, markers=True))
    scale = {} if limits is None else {"range": [limits[0] - 0.02, limits[1] + 0.02]}
    return figure_from_traces(
        traces,
        theme,
        height=330,
        margin={"l": 56, "r": 12, "t": 34, "b": 48},
        xaxis={
            "title": axis_title(f"{taken} taken away", theme),
            "range": [-0.2, counts[-1] + 0.2],
            "tickfont": {"size": TITLE_SIZE, "color": theme.muted},
            "dtick": 1 if counts[-1] <= EVERY_COUNT else None,
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        yaxis=value_axis(plotly_text(unit), theme, **scale),
        legend=legend_above(),
        showlegend=True,
        shapes=[vertical_line(removed, theme)] if removed else [],
        dragmode=False,
    )


def _line(
    curve: NDArray[np.float32],
    counts: Sequence[int],
    name: str,
    unit: str,
    line: dict[str, Any],
    *,
    first: bool = True,
    markers: bool = False,
) -> dict[str, Any]:
    """One curve; of several under one name only the first stands in the legend."""
    return {
        "type": "scatter",
        "mode": "lines+markers" if markers else "lines",
        "x": list(counts),
        "y": curve.tolist(),
        "name": name,
        "legendgroup": name,
        "showlegend": first,
        "line": line,
        "hovertemplate": f"{name}<br>%{{x}} taken away<br>{plotly_text(unit)} %{{y:.3f}}<extra></extra>",
    }
