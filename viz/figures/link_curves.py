"""An output of the model by the number of links that are kept or cut, in several orders."""

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
    value_axis,
    vertical_line,
    with_opacity,
)
from viz.figures.labels import plotly_text
from viz.theme import Theme


def link_curves(
    kept: ArrayLike,
    counts: Sequence[int],
    *,
    unit: str,
    theme: Theme,
    cut: ArrayLike,
    weights: ArrayLike,
    random: ArrayLike,
    limits: tuple[float, float] | None = None,
    marked: int | None = None,
) -> go.Figure:
    """Lines over the number of links, on a logarithmic axis that ends with all; 0 links have no place. Stretches.

    Args:
        kept: (C,) the output with the strongest links alone.
        counts: C numbers of links, upwards from 0.
        unit: of the output.
        cut: (C,) without the strongest links.
        weights: (C,) with the largest weights alone.
        random: (R, C) with random links alone: a band from the lowest to the highest, and their mean.
        limits: range of the axis, if the output is bounded.
        marked: a number of links that is marked by a line; None for none.
    """
    draws = checked_array("random", random, axes="RC")
    curves = {
        "the strongest links alone": (kept, {"color": theme.primary, "width": 3}),
        "all but the strongest": (cut, {"color": theme.sentence("B"), "width": 2.5, "dash": "dash"}),
        "the largest weights alone": (weights, {"color": theme.head_colours[1], "width": 2.5, "dash": "dashdot"}),
    }
    faint = {"color": theme.muted, "width": 2, "dash": "dot"}
    lines = [
        _line("", draws.min(0), counts, unit, {"width": 0}),
        _line("", draws.max(0), counts, unit, {"width": 0})
        | {"fill": "tonexty", "fillcolor": with_opacity(theme.muted, 0.18)},
        _line(f"random links alone: mean and range of {len(draws)} draws", draws.mean(0), counts, unit, faint),
    ]
    for name, (curve, line) in curves.items():
        lines.append(_line(name, checked_array(name, curve, axes="C"), counts, unit, line))
    scale = {} if limits is None else {"range": [limits[0] - 0.02, limits[1] + 0.02]}
    return figure_from_traces(
        lines,
        theme,
        height=330,
        margin={"l": 56, "r": 12, "t": 52, "b": 48},
        xaxis={
            "type": "log",
            "title": axis_title("links", theme),
            "dtick": 1,
            "tickfont": {"size": TITLE_SIZE, "color": theme.muted},
            "exponentformat": "none",
            "separatethousands": True,
            "showgrid": False,
            "fixedrange": True,
        },
        yaxis=value_axis(plotly_text(unit), theme, **scale),
        showlegend=True,
        shapes=[vertical_line(marked, theme)] if marked else [],
    )


def _line(
    name: str, curve: NDArray[np.float32], counts: Sequence[int], unit: str, line: dict[str, Any]
) -> dict[str, Any]:
    """A curve; without a name it is an edge of the band, which legend and hover leave out."""
    if len(curve) != len(counts):
        raise ShapeError(f"A curve has {len(curve)} points, but there are {len(counts)} numbers of links.")
    hover = {"hovertemplate": f"{name}<br>%{{x:,}} links<br>{plotly_text(unit)} %{{y:.3f}}<extra></extra>"}
    return {
        "type": "scatter",
        "mode": "lines",
        "x": list(counts[1:]),
        "y": curve[1:].tolist(),
        "name": name,
        "showlegend": bool(name),
        "line": line,
    } | (hover if name else {"hoverinfo": "skip"})
