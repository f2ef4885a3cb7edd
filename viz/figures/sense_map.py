"""Occurrences of a word as points, a colour and a symbol for each sense."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz.figures.axes import (
    SYMBOLS,
    check_count,
    checked_array,
    figure_from_traces,
    value_axis,
)
from viz.figures.labels import plotly_text
from viz.theme import Theme

HEIGHT = 520


def sense_scatter(
    points: ArrayLike, groups: Sequence[str], hover: Sequence[str], *, explained: ArrayLike, theme: Theme
) -> go.Figure:
    """Occurrences in two dimensions, one colour and symbol a group. Stretches to its column.

    Args:
        points: (N, 2).
        groups: N names; "A" and "B" are the two sentences and stand out.
        hover: N texts, safe for Plotly.
        explained: (2,) share of the variance along each axis.
    """
    array, shares = checked_array("points", points, axes="ND"), checked_array("explained", explained, axes="D")
    check_count("groups of points", len(array), groups)
    check_count("texts of points", len(array), hover)
    traces = []
    names = list(dict.fromkeys(groups))
    senses = [name for name in names if name not in ("A", "B")]
    for name in [*senses, *(letter for letter in ("A", "B") if letter in names)]:
        members = [index for index, group in enumerate(groups) if group == name]
        letter = name in ("A", "B")
        sense_index = 0 if letter else senses.index(name)
        colour = theme.sentence(name) if letter else theme.head_colours[sense_index % len(theme.head_colours)]
        traces.append(
            {
                "type": "scatter",
                "x": array[members, 0].tolist(),
                "y": array[members, 1].tolist(),
                "name": f"sentence {name}" if letter else plotly_text(name),
                "mode": "markers+text" if letter else "markers",
                "text": [f"<b>{name}</b>"] * len(members) if letter else None,
                "textposition": "top center",
                "textfont": {"size": 18, "color": colour},
                "marker": {
                    "color": colour,
                    "symbol": "star" if letter else SYMBOLS[sense_index % len(SYMBOLS)],
                    "size": 18 if letter else 12,
                    "line": {"color": theme.background, "width": 1},
                },
                "customdata": [hover[index] for index in members],
                "hovertemplate": "%{customdata}<extra></extra>",
            }
        )
    axes = [
        value_axis(f"principal component {axis + 1}, {share:.0%} of the variance", theme)
        for axis, share in enumerate(shares.tolist())
    ]
    return figure_from_traces(
        traces,
        theme,
        height=HEIGHT,
        margin={"l": 64, "r": 12, "t": 40, "b": 56},
        xaxis=axes[0],
        yaxis=axes[1],
    )
