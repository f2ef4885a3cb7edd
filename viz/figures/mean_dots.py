"""Signed means with their intervals: a dot for each, some of them told apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from viz.figures.axes import (
    FONT_SIZE,
    check_count,
    checked_array,
    figure_from_traces,
    legend_above,
    named_rows,
    value_axis,
)
from viz.figures.labels import plotly_text, text_width
from viz.theme import Theme
from viz.wording.labels import shorten
from viz.wording.numbers import written

ROW: Final = 26  # pixels
ABOVE, BELOW, GAP = 36, 48, 10
LONGEST_NAME: Final = 36  # characters
MARK: Final = 10  # pixels


def mean_dots(
    values: ArrayLike,
    intervals: ArrayLike,
    names: Sequence[str],
    counts: Sequence[int],
    *,
    filled: NDArray[np.bool_],
    legend: tuple[str, str] | None,
    title: str,
    number_format: str,
    theme: Theme,
) -> go.Figure:
    """A dot for each of N means with its interval, the first on top.

    Args:
        values: (N,).
        intervals: (N, 2) their ends; NaN without an interval.
        names, counts: one for each; a count is what a mean is over.
        filled: (N,) which dots are filled; the others are rings.
        legend: what filled dots are, and rings; None for no legend.
        title: of the axis: the values' unit, and what the counts are.
        number_format: of the values, such as "+.1f".
    """
    means, ends = checked_array("values", values, axes="N"), checked_array("intervals", intervals, axes="NE")
    for what, count in (("values", len(means)), ("intervals", len(ends)), ("counts", len(counts))):
        check_count(what, count, names)
    rows = [f"{shorten(name, LONGEST_NAME)}  {count:,}" for name, count in zip(names, counts, strict=True)]
    hover = [
        f"<b>{plotly_text(name)}</b><br>{written(mean, number_format)}"
        + ("" if np.isnan(low) else f", 95 % interval {written(low, number_format)} to {written(high, number_format)}")
        for name, mean, (low, high) in zip(names, means.tolist(), ends.tolist(), strict=True)
    ]
    looks = ((filled, theme.primary, "circle"), (~filled, theme.muted, "circle-open"))
    traces = [
        _dots(means, ends, hover, np.flatnonzero(shown), name=name, colour=colour, symbol=symbol)
        for (shown, colour, symbol), name in zip(looks, legend or ("", ""), strict=True)
        if shown.any()
    ]
    return figure_from_traces(
        traces,
        theme,
        height=ABOVE + BELOW + ROW * len(means),
        margin={"l": max(text_width(row, size=FONT_SIZE) for row in rows) + GAP + 8, "r": 16, "t": ABOVE, "b": BELOW},
        xaxis=value_axis(title, theme, nticks=6)
        | {"zerolinecolor": theme.muted, "zerolinewidth": 2, "rangemode": "tozero"},
        yaxis=named_rows(rows, theme, room=GAP),
        legend=legend_above(),
        showlegend=legend is not None,
        dragmode=False,
    )


def _dots(
    means: NDArray[np.float32],
    ends: NDArray[np.float32],
    hover: Sequence[str],
    shown: NDArray[np.intp],
    *,
    name: str,
    colour: str,
    symbol: str,
) -> dict[str, Any]:
    """The dots of some rows."""
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": means[shown].tolist(),
        "y": shown.tolist(),
        "marker": {"size": MARK, "color": colour, "symbol": symbol, "line": {"width": 2, "color": colour}},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": np.nan_to_num(ends[shown, 1] - means[shown]).tolist(),
            "arrayminus": np.nan_to_num(means[shown] - ends[shown, 0]).tolist(),
            "color": colour,
            "thickness": 2,
            "width": 0,
        },
        "text": [hover[row] for row in shown],
        "hovertemplate": "%{text}<extra></extra>",
    }
