"""What words add to a class over many rows: bars with intervals, on the range of shuffled values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz.figures.axes import (
    FONT_SIZE,
    check_count,
    checked_array,
    figure_from_traces,
    legend_above,
    named_rows,
    value_axis,
)
from viz.figures.labels import text_width
from viz.theme import Theme
from viz.wording.labels import make_visible, shorten
from viz.wording.numbers import written

ROW = 26  # pixels
LONGEST_NAME = 24  # characters
MARK = 9  # pixels


def driving_bars(
    names: Sequence[str],
    values: ArrayLike,
    intervals: ArrayLike,
    control: ArrayLike,
    counts: Sequence[int],
    *,
    unit: str,
    theme: Theme,
) -> go.Figure:
    """A dot with its interval for each word on the range of shuffled values, the first on top.

    Args:
        names: W words.
        values: (W,) means.
        intervals: (W, 2) their ends; NaN without an interval.
        control: (W, 2) ends of the range of the means of shuffled values.
        counts: (W,) rows that have the word.
        unit: of the values.
    """
    means, ends = checked_array("values", values, axes="W"), checked_array("intervals", intervals, axes="WE")
    ranges = checked_array("control", control, axes="WE")
    for name, count in (("values", len(means)), ("intervals", len(ends)), ("control", len(ranges))):
        check_count(name, count, names)
    rows = [
        f"{shorten(make_visible(name), LONGEST_NAME)}  {count:,}" for name, count in zip(names, counts, strict=True)
    ]
    hover = [
        f"{written(mean, '+.2f')}, 95 % interval {written(low, '+.2f')} to {written(high, '+.2f')}<br>"
        f"shuffled: {written(least, '+.2f')} to {written(most, '+.2f')}"
        for mean, (low, high), (least, most) in zip(means.tolist(), ends.tolist(), ranges.tolist(), strict=True)
    ]
    shuffled: dict[str, Any] = {
        "type": "bar",
        "orientation": "h",
        "name": "shuffled among the words of each row",
        "x": (ranges[:, 1] - ranges[:, 0]).tolist(),
        "base": ranges[:, 0].tolist(),
        "y": list(range(len(names))),
        "marker": {"color": theme.border, "line": {"width": 0}},
        "hoverinfo": "skip",
    }
    dots: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers",
        "name": "mean over the rows that have the word",
        "x": means.tolist(),
        "y": list(range(len(names))),
        "marker": {"size": MARK, "color": theme.primary},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": np.nan_to_num(ends[:, 1] - means).tolist(),
            "arrayminus": np.nan_to_num(means - ends[:, 0]).tolist(),
            "color": theme.primary,
            "thickness": 2,
            "width": 0,
        },
        "text": hover,
        "hovertemplate": "%{text}<extra></extra>",
    }
    return figure_from_traces(
        [shuffled, dots],
        theme,
        height=ROW * len(names) + 92,
        margin={"l": max(text_width(row, size=FONT_SIZE) for row in rows) + 16, "r": 16, "t": 36, "b": 48},
        xaxis=value_axis(f"adds to the {unit}, by word and number of rows", theme, nticks=6)
        | {"zerolinecolor": theme.muted},
        yaxis=named_rows(rows, theme),
        bargap=0.3,
        legend=legend_above(),
        dragmode=False,
    )
