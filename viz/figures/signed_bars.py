"""Signed numbers with names, as bars to the right and to the left of zero."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz.figures.axes import axis_title, check_count, checked_array, figure_from_traces, named_rows
from viz.figures.labels import plotly_text, text_width
from viz.theme import Theme
from viz.wording.labels import shorten
from viz.wording.numbers import written

ROW = 26  # pixels of a bar
ABOVE, BELOW, GAP = 8, 44, 10
LONGEST_NAME = 44  # characters beside a bar


def signed_bars(values: ArrayLike, names: Sequence[str], *, value: str, theme: Theme, digits: int = 1) -> go.Figure:
    """A bar for each number, the first on top: blue to the right of zero, orange to the left.

    Args:
        values: (N,).
        names: one for each.
        value: what the numbers are, with their unit.
        digits: decimals at the bars and in hover.
    """
    array = checked_array("values", values, axes="N")
    check_count("bars", len(array), names)
    shown = [shorten(name, LONGEST_NAME) for name in names]
    high = max(float(abs(array).max()), 1e-6)
    numbers = [written(number, f"+.{digits}f") for number in array.tolist()]
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": array.tolist(),
        "y": list(range(len(array))),
        "marker": {"color": [theme.diverging[0 if number < 0 else -1][1] for number in array]},
        "text": numbers,
        "textposition": "outside",
        "cliponaxis": False,
        "hovertext": [f"<b>{plotly_text(name)}</b><br>{number}" for name, number in zip(names, numbers, strict=True)],
        "hoverinfo": "text",
    }
    return figure_from_traces(
        [bars],
        theme,
        height=ABOVE + BELOW + ROW * len(array),
        margin={"l": max(map(text_width, shown)) + GAP + 8, "r": 8, "t": ABOVE, "b": BELOW},
        xaxis={
            "title": axis_title(value, theme),
            "range": [
                -1.25 * high if array.min() < 0 else -0.05 * high,
                1.25 * high if array.max() > 0 else 0.05 * high,
            ],
            "zerolinecolor": theme.muted,
            "gridcolor": theme.border,
            "fixedrange": True,
        },
        yaxis=named_rows(shown, theme, room=GAP) | {"fixedrange": True},
        dragmode=False,
    )
