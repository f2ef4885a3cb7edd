"""Predictions of a classification head and of a regression head."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz.figures.axes import FONT_SIZE, Positions, apply_theme, check_count, checked_array
from viz.figures.labels import plotly_text
from viz.theme import Theme
from viz.wording.labels import make_visible, shorten

LABEL_LIMIT = 32


def probability_bars(labels: Sequence[str], probabilities: ArrayLike, *, theme: Theme) -> go.Figure:
    """Probabilities of the classes, in the order given from top to bottom, on a fixed axis from 0 to 1.

    Every class gets its bar, so the figure grows with their number; pass fewer, and say so. Stretches to its column.

    Args:
        labels: C names of classes.
        probabilities: (C,) in [0, 1].
    Raises:
        ShapeError: there are not as many probabilities as labels.
    """
    array = checked_array("probabilities", probabilities, axes="C")
    check_count("probabilities", len(array), labels)
    classes = Positions(
        "class",
        ticks=tuple(shorten(make_visible(label), LABEL_LIMIT) for label in labels),
        hover=tuple(f"<b>{plotly_text(label)}</b>" for label in labels),
    )
    figure = go.Figure(
        go.Bar(
            x=array,
            y=np.arange(len(array), dtype=np.float32),
            orientation="h",
            width=0.62,
            marker={"color": theme.primary, "line": {"width": 0}},
            texttemplate="%{x:.3f}",
            textposition="outside",
            textfont={"size": FONT_SIZE, "color": theme.text},
            cliponaxis=False,
            hovertemplate="%{y}<br>probability %{x:.4f}<extra></extra>",
        )
    )
    row = 40 if len(labels) <= 12 else 24
    height = row * len(labels)
    y_axis = classes.axis(length=height, theme=theme)
    # Class labels all stand beside their own bar: the figure has room for each.
    y_axis |= {"range": [len(classes) - 0.5, -0.5], "tickmode": "linear", "tick0": 0, "dtick": 1, "fixedrange": True}
    return apply_theme(
        figure,
        theme,
        height=height + 34 + 50,
        margin={"l": classes.width + 12, "r": 60, "t": 34, "b": 50},
        yaxis=y_axis,
        xaxis={
            "title": {"text": "probability", "font": {"size": 13, "color": theme.muted}, "standoff": 8},
            "range": [0, 1],
            "dtick": 0.25,
            "gridcolor": theme.border,
            "zerolinecolor": theme.muted,
            "tickfont": {"size": 13, "color": theme.muted},
            "fixedrange": True,
        },
        showlegend=False,
        dragmode=False,
    )


def score_scale(score: float, *, low: float, high: float, theme: Theme) -> go.Figure:
    """A regression score as a mark on its scale. Stretches to its column.

    Args:
        score: from `low` to `high`; beyond them it is drawn at the end, and hover tells the number.
    """
    figure = go.Figure(
        go.Scatter(
            x=[float(np.clip(score, low, high))],
            y=[0.0],
            mode="markers+text",
            marker={"symbol": "diamond", "size": 18, "color": theme.primary},
            text=[f"{score:.3f}"],
            textposition="top center",
            textfont={"size": FONT_SIZE, "color": theme.text},
            cliponaxis=False,
            hovertemplate=f"score {score:.4f}<extra></extra>",
        )
    )
    return apply_theme(
        figure,
        theme,
        height=110,
        margin={"l": 24, "r": 60, "t": 30, "b": 40},
        yaxis={"visible": False, "range": [-1, 1], "fixedrange": True},
        xaxis={
            "title": {"text": "score", "font": {"size": 13, "color": theme.muted}, "standoff": 4},
            "range": [low, high],
            "dtick": (high - low) / 4,
            "gridcolor": theme.border,
            "showline": True,
            "linecolor": theme.muted,
            "zeroline": False,
            "tickfont": {"size": 13, "color": theme.muted},
            "fixedrange": True,
        },
        showlegend=False,
        dragmode=False,
    )
