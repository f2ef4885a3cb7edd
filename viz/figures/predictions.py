"""Predictions of a classification head and of a regression head."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz.figures.axes import (
    FONT_SIZE,
    axis_title,
    check_count,
    checked_array,
    figure_from_traces,
    named_rows,
    value_axis,
)
from viz.figures.labels import plotly_text, text_width
from viz.theme import Theme
from viz.wording.labels import make_visible, shorten

LABEL_LIMIT = 32


def probability_bars(labels: Sequence[str], probabilities: ArrayLike, *, theme: Theme) -> go.Figure:
    """Probabilities of the classes, in the order given from top to bottom, on a fixed axis from 0 to 1.

    Every class has a bar, so the figure grows with their number. Stretches to its column.

    Args:
        labels: C names of classes.
        probabilities: (C,) in [0, 1].
    """
    array = checked_array("probabilities", probabilities, axes="C")
    check_count("probabilities", len(array), labels)
    shown = [shorten(make_visible(label), LABEL_LIMIT) for label in labels]
    bars: dict[str, Any] = {
        "type": "bar",
        "x": array.tolist(),
        "y": list(range(len(array))),
        "orientation": "h",
        "width": 0.62,
        "marker": {"color": theme.primary, "line": {"width": 0}},
        "texttemplate": "%{x:.3f}",
        "textposition": "outside",
        "textfont": {"size": FONT_SIZE, "color": theme.text},
        "cliponaxis": False,
        "hovertext": [f"<b>{plotly_text(label)}</b>" for label in labels],
        "hovertemplate": "%{hovertext}<br>probability %{x:.4f}<extra></extra>",
    }
    return figure_from_traces(
        [bars],
        theme,
        height=(40 if len(labels) <= 12 else 24) * len(labels) + 34 + 50,
        margin={"l": max(text_width(name, size=FONT_SIZE) for name in shown) + 12, "r": 60, "t": 34, "b": 50},
        # The figure has room for every label.
        yaxis=named_rows(shown, theme) | {"range": [len(array) - 0.5, -0.5]},
        xaxis=value_axis("probability", theme, range=[0, 1], dtick=0.25, zerolinecolor=theme.muted),
        showlegend=False,
        dragmode=False,
    )


def score_scale(score: float, *, low: float, high: float, theme: Theme) -> go.Figure:
    """A regression score as a mark on its scale. Stretches to its column.

    Args:
        score: from `low` to `high`; beyond them the mark is at the end, and hover shows the number.
    """
    mark: dict[str, Any] = {
        "type": "scatter",
        "x": [float(np.clip(score, low, high))],
        "y": [0.0],
        "mode": "markers+text",
        "marker": {"symbol": "diamond", "size": 18, "color": theme.primary},
        "text": [f"{score:.3f}"],
        "textposition": "top center",
        "textfont": {"size": FONT_SIZE, "color": theme.text},
        "cliponaxis": False,
        "hovertemplate": f"score {score:.4f}<extra></extra>",
    }
    return figure_from_traces(
        [mark],
        theme,
        height=110,
        margin={"l": 24, "r": 60, "t": 30, "b": 40},
        yaxis={"visible": False, "range": [-1, 1], "fixedrange": True},
        xaxis=value_axis(
            "score",
            theme,
            range=[low, high],
            dtick=(high - low) / 4,
            showline=True,
            linecolor=theme.muted,
            zeroline=False,
        )
        | {"title": axis_title("score", theme) | {"standoff": 4}},
        showlegend=False,
        dragmode=False,
    )
