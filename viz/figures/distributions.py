"""How values of several groups are distributed, as outlines of histograms with common bins."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz.figures.axes import DASHES, axis_title, checked_array, figure_from_traces, value_axis
from viz.theme import Theme

BINS = 30
HEIGHT = 280


def distributions(groups: Mapping[str, ArrayLike], *, value: str, theme: Theme) -> go.Figure:
    """The share of each group's values in each bin. Stretches to its column.

    Args:
        groups: (N,) values of each group, by its name.
        value: what the values are.
    """
    arrays = {name: checked_array(name, values, axes="N") for name, values in groups.items()}
    edges = np.histogram_bin_edges(np.concatenate(list(arrays.values())), bins=BINS)
    centres = (edges[:-1] + edges[1:]) / 2
    colours = (theme.primary, theme.muted)
    traces = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": name,
            "x": centres.tolist(),
            "y": (np.histogram(values, bins=edges)[0] / len(values)).tolist(),
            "line": {"shape": "hvh", "width": 2, "color": colours[number % 2], "dash": DASHES[number % len(DASHES)]},
            "hovertemplate": f"{value} %{{x:.2f}}: %{{y:.1%}}<extra>{name}</extra>",
        }
        for number, (name, values) in enumerate(arrays.items())
    ]
    return figure_from_traces(
        traces,
        theme,
        height=HEIGHT,
        margin={"l": 56, "r": 8, "t": 34, "b": 44},
        xaxis={"title": axis_title(value, theme), "fixedrange": True, "showgrid": False},
        yaxis=value_axis("share of rows", theme, tickformat=".0%", rangemode="tozero"),
    )
