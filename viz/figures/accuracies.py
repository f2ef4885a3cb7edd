"""Accuracies after every layer, over what chance or a constant answer gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from viz.figures.axes import (
    checked_array,
    figure_from_traces,
    layer_axis,
    state_hover,
    value_axis,
    with_opacity,
)
from viz.theme import Theme


def accuracy_lines(
    accuracies: Mapping[str, ArrayLike],
    *,
    chosen: int,
    value: str,
    theme: Theme,
    shuffled: Mapping[str, ArrayLike] | None = None,
    constant: tuple[str, float] | None = None,
) -> go.Figure:
    """Accuracies over the hidden states, as one line or two. Stretches to its column.

    The first traces are the accuracies, with a point for each state.

    Args:
        accuracies: (S,) in [0, 1], by their names.
        chosen: the state that is marked.
        value: what the y axis counts.
        shuffled: (R, S) accuracies with the labels shuffled R times, by the same names.
        constant: the name and the accuracy of an answer that is the same for all.
    """
    arrays = {name: checked_array("accuracy", values, axes="S") for name, values in accuracies.items()}
    count = len(next(iter(arrays.values())))
    looks = ((theme.primary, "solid"), (theme.sentence("B"), "dash"))
    traces = [
        _line(name, array, chosen=chosen, colour=colour, dash=dash)
        for (name, array), (colour, dash) in zip(arrays.items(), looks, strict=False)
    ]
    traces += [
        _band(checked_array("shuffled accuracy", values, axes="RS"), theme, is_first=not number)
        for number, values in enumerate((shuffled or {}).values())
    ]
    if constant:
        name, accuracy = constant
        dotted = {"color": theme.muted, "width": 2, "dash": "dot"}
        ends = {"x": [0, count - 1], "y": [accuracy, accuracy], "name": name, "mode": "lines", "line": dotted}
        traces.append({"type": "scatter", "hovertemplate": f"{name}: %{{y:.1%}}<extra></extra>"} | ends)
    return figure_from_traces(
        traces,
        theme,
        height=330,
        margin={"l": 60, "r": 12, "t": 40, "b": 56},
        xaxis=layer_axis(count, theme=theme),
        yaxis=value_axis(value, theme, range=[0, 1.05], tickformat=".0%"),
    )


def _line(name: str, array: NDArray[Any], *, chosen: int, colour: str, dash: str) -> dict[str, Any]:
    """An accuracy, with a point for each state."""
    states = list(range(len(array)))
    return {
        "type": "scatter",
        "x": states,
        "y": array.tolist(),
        "name": name,
        "mode": "lines+markers",
        "line": {"color": colour, "width": 3, "dash": dash},
        "marker": {"size": [14 if state == chosen else 8 for state in states], "color": colour, "opacity": 1},
        "hovertext": state_hover(len(array)),
        "hovertemplate": f"{name}<br>%{{hovertext}}: %{{y:.1%}}<extra></extra>",
        "unselected": {"marker": {"opacity": 1}},
    }


def _band(shuffled: NDArray[Any], theme: Theme, *, is_first: bool) -> dict[str, Any]:
    """The range of accuracies with shuffled labels; the first stands in the legend."""
    states = list(range(shuffled.shape[1]))
    return {
        "type": "scatter",
        "x": [*states, *reversed(states)],
        "y": [*shuffled.max(axis=0).tolist(), *reversed(shuffled.min(axis=0).tolist())],
        "name": "with shuffled labels",
        "showlegend": is_first,
        "mode": "lines",
        "line": {"width": 0},
        "fill": "toself",
        "fillcolor": with_opacity(theme.muted, 0.22),
        "hoverinfo": "skip",
    }
