"""Predictions of a classification head."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz.figures.axes import (
    FONT_SIZE,
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
    )
