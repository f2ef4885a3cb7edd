"""Occurrences of a word as points after every layer, with a slider in the figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from encoder.errors import ShapeError
from encoder.runs.arrays import FloatArray
from viz.figures.axes import (
    SYMBOLS,
    TITLE_SIZE,
    check_count,
    checked_array,
    figure_from_traces,
    legend_above,
)
from viz.figures.labels import plotly_text
from viz.theme import Theme
from viz.wording.labels import state_names, word_label

HEIGHT: Final = 480
PANELS_HEIGHT: Final = 260
GAP: Final = 0.008  # between small maps, of the width of all
SMALL_POINT: Final = 5  # pixels
EDGE: Final = 0.15  # around their points; the mean distance from the centre is 1
SLIDER, TOOL_BAR = 66, 36  # pixels above and to the right of the points
MOST_CRISP: Final = 400  # points that are drawn as SVG; more are drawn by WebGL
DIGITS: Final = 3  # of coordinates; the mean distance from the centre is about 1
MARGIN: Final = 1.08  # of the axes around the farthest point


def word_scatter(
    points: ArrayLike,
    groups: Mapping[str, Sequence[int]],
    hover: Sequence[str],
    *,
    shown: int,
    muted: Sequence[str] = (),
    theme: Theme,
) -> go.Figure:
    """Points in two dimensions with a slider over the hidden states. Stretches to its column.

    Every state is scaled to the same mean distance from the centre, so that its points fill the figure.

    Args:
        points: (S, N, 2), centred.
        groups: the indices of each group's points, one colour and symbol a group. Trace i is group i.
        hover: N texts, safe for Plotly.
        shown: the state at first.
        muted: groups in the muted colour, such as that without a label.
    """
    array = checked_array("points", np.reshape(points, (len(np.asarray(points)), -1)), axes="SN")
    array = array.reshape(len(array), -1, 2)
    check_count("points", array.shape[1], hover)
    if sorted(index for members in groups.values() for index in members) != list(range(array.shape[1])):
        raise ShapeError(f"Each of the {array.shape[1]} points must be in exactly one group.")
    scaled = _scaled(array)
    reach = [MARGIN * max(float(extent), 1.0) for extent in np.abs(scaled).max(axis=(0, 1))]
    is_few = array.shape[1] <= MOST_CRISP

    def places(state: int) -> dict[str, Any]:
        """The coordinates of each group's points."""
        x, y = (
            [scaled[state, list(own), axis].astype(float).round(DIGITS).tolist() for own in groups.values()]
            for axis in (0, 1)
        )
        return {"x": x, "y": y}

    first = places(shown)
    styles = _styles(groups, muted, theme)
    traces = []
    for number, (name, members) in enumerate(groups.items()):
        traces.append(
            {
                "type": "scatter" if is_few else "scattergl",
                "x": first["x"][number],
                "y": first["y"][number],
                "name": plotly_text(word_label(name)),
                "mode": "markers",
                "marker": styles[number]
                | {
                    "size": 12 if is_few else 6,
                    "opacity": 1 if is_few else 0.7,
                    "line": {"color": theme.background, "width": 1 if is_few else 0},
                },
                "unselected": {"marker": {"opacity": 0.25}},
                "customdata": [hover[index] for index in members],
                "hovertemplate": "%{customdata}<extra></extra>",
            }
        )
    axis: dict[str, Any] = {
        "showticklabels": False,
        "showgrid": False,
        "zeroline": False,
        "showline": True,
        "linecolor": theme.border,
        "mirror": True,
    }
    return figure_from_traces(
        traces,
        theme,
        height=HEIGHT,
        margin={"l": 8, "r": TOOL_BAR, "t": SLIDER, "b": 32},
        xaxis=axis | {"range": [-reach[0], reach[0]]},
        yaxis=axis | {"range": [-reach[1], reach[1]], "scaleanchor": "x"},
        legend=legend_above() | {"y": -0.01, "yanchor": "top"},
        showlegend=True,
        dragmode="pan",  # Streamlit lets no click choose a point while a drag draws a lasso
        modebar={"orientation": "v", "bgcolor": "rgba(0,0,0,0)", "color": theme.muted, "activecolor": theme.primary},
        sliders=[_slider([places(state) for state in range(len(array))], shown, theme=theme)],
        uirevision=shown,
    )


def word_panels(
    points: ArrayLike,
    groups: Mapping[str, Sequence[int]],
    titles: Sequence[str],
    *,
    chosen: int,
    muted: Sequence[str] = (),
    theme: Theme,
) -> go.Figure:
    """Small maps next to each other, one of each hidden state, for a page without a slider. Stretches to its column.

    Args:
        points: (P, N, 2), centred.
        groups, muted: as in `word_scatter`.
        titles: P, of the maps.
        chosen: the map whose title is bold.
    """
    array = np.asarray(points, np.float32)
    check_count("maps", len(array), titles)
    scaled = _scaled(array)
    axis = {"showticklabels": False, "showgrid": False, "zeroline": False, "linecolor": theme.border, "mirror": True}
    low, high = scaled.min(axis=(0, 1)) - EDGE, scaled.max(axis=(0, 1)) + EDGE  # (2,) each
    x_range, y_range = np.stack([low, high], axis=1).astype(float).tolist()
    axes: dict[str, Any] = {}
    traces, notes = [], []
    for number, title in enumerate(titles):
        left = number / len(titles)
        right = left + 1 / len(titles) - GAP
        x, y = (f"{name}{number + 1 if number else ''}" for name in ("x", "y"))
        to_scale = {"scaleanchor": x, "constraintoward": "top"}
        axes[f"xaxis{x[1:]}"] = axis | {"range": x_range, "domain": [left, right], "anchor": y, "constrain": "domain"}
        axes[f"yaxis{y[1:]}"] = axis | {"range": y_range, "anchor": x, "constrain": "domain"} | to_scale
        named = plotly_text(title)
        centre = {"x": (left + right) / 2, "xref": "paper", "xanchor": "center"}
        above = {"y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False}
        notes.append({"text": f"<b>{named}</b>" if number == chosen else named} | centre | above)
        for (name, members), style in zip(groups.items(), _styles(groups, muted, theme), strict=True):
            x_of_group, y_of_group = scaled[number, list(members)].astype(float).round(DIGITS).T.tolist()
            traces.append(
                {
                    "type": "scatter" if array.shape[1] <= MOST_CRISP else "scattergl",
                    "x": x_of_group,
                    "y": y_of_group,
                    "xaxis": x,
                    "yaxis": y,
                    "name": plotly_text(word_label(name)),
                    "legendgroup": name,
                    "showlegend": not number,
                    "mode": "markers",
                    "marker": style | {"size": SMALL_POINT, "line": {"width": 0}},
                    "hoverinfo": "skip",
                }
            )
    return figure_from_traces(
        traces,
        theme,
        height=PANELS_HEIGHT,
        margin={"l": 4, "r": 4, "t": 50, "b": 4},
        annotations=notes,
        legend=legend_above() | {"y": 1.14},
        **axes,
    )


def _scaled(points: FloatArray) -> FloatArray:
    """(S, N, 2) points whose mean square distance from the centre is 1 in each of the S maps."""
    size = np.sqrt(np.square(points).sum(axis=2).mean(axis=1))
    return np.round(points / np.where(size > 0, size, 1)[:, None, None], DIGITS)


def _styles(groups: Mapping[str, Sequence[int]], muted: Sequence[str], theme: Theme) -> list[dict[str, Any]]:
    """The colour and symbol of each group's points."""
    coloured = [name for name in groups if name not in muted]
    numbers = [coloured.index(name) if name in coloured else 0 for name in groups]
    return [
        {
            "color": theme.muted if name in muted else theme.head_colours[number % len(theme.head_colours)],
            "symbol": SYMBOLS[number % len(SYMBOLS)],
        }
        for name, number in zip(groups, numbers, strict=True)
    ]


def _slider(places: Sequence[Mapping[str, Any]], shown: int, *, theme: Theme) -> dict[str, Any]:
    """A slider over the states, which moves the points in the browser.

    Chosen points stay chosen: without the areas in which they were chosen, since Plotly would choose again in these.

    Args:
        places: the places of all points in each state.
    """
    names = ["emb.", *state_names(len(places))[1:]]
    return {
        "active": shown,
        "steps": [
            {"method": "update", "label": name, "args": [of_state, {"selections": []}, list(range(len(of_state["x"])))]}
            for name, of_state in zip(names, places, strict=True)
        ],
        "currentvalue": {"visible": False},
        "x": 0,
        "y": 1,
        "yanchor": "bottom",
        "pad": {"t": 0, "b": 10},
        "font": {"size": TITLE_SIZE, "color": theme.text},
        "bgcolor": theme.border,
        "activebgcolor": theme.primary,
        "bordercolor": theme.border,
        "tickcolor": theme.muted,
        "ticklen": 4,
        "minorticklen": 0,
    }
