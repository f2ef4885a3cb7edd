"""Signed means as dots with intervals, clear ones filled, over the range of a control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

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
from viz.wording.labels import name_label
from viz.wording.numbers import written

ROW: Final = 26  # pixels
ABOVE, BELOW, GAP = 36, 48, 10
MARK: Final = 10  # pixels


def mean_dots(
    values: ArrayLike,
    intervals: ArrayLike,
    names: Sequence[str],
    counts: Sequence[int],
    *,
    title: str,
    number_format: str,
    theme: Theme,
    filled: NDArray[np.bool_] | None = None,
    legend: tuple[str, str] | None = None,
    control: tuple[str, ArrayLike] | None = None,
) -> go.Figure:
    """A dot for each of N means with its interval, the first on top.

    Args:
        values: (N,).
        intervals: (N, 2) their ends; NaN without an interval.
        names, counts: one for each; a count is what a mean is over.
        title: of the axis: the values' unit, and what the counts are.
        number_format: of the values, such as "+.1f".
        filled: (N,) which dots are filled, the others are rings; None for all.
        legend: what filled dots are, and rings; None for no legend.
        control: what a control is, and (N, 2) ends of the range of its means.
    """
    means, ends = checked_array("values", values, axes="N"), checked_array("intervals", intervals, axes="NE")
    ranges = {} if control is None else {control[0]: checked_array("control", control[1], axes="NE")}
    spans = {"95 % interval": ends, **ranges}
    check_count("counts", len(counts), names)
    for what, each in {"values": means, **spans}.items():
        check_count(what, len(each), names)
    rows = [f"{name_label(name)}  {count:,}" for name, count in zip(names, counts, strict=True)]
    hover = _hover_texts(names, means, spans, number_format)
    is_filled = np.ones(len(means), bool) if filled is None else filled
    looks = ((is_filled, theme.primary, "circle"), (~is_filled, theme.muted, "circle-open"))
    dots = [
        _dots(means, ends, hover, np.flatnonzero(shown), name=name, colour=colour, symbol=symbol)
        for (shown, colour, symbol), name in zip(looks, legend or ("", ""), strict=True)
        if shown.any()
    ]
    return figure_from_traces(
        [*(_bars(each, name=name, colour=theme.border) for name, each in ranges.items()), *dots],
        theme,
        height=ABOVE + BELOW + ROW * len(means),
        margin={"l": max(text_width(row, size=FONT_SIZE) for row in rows) + GAP + 8, "r": 16, "t": ABOVE, "b": BELOW},
        xaxis=value_axis(title, theme, nticks=6)
        | {"zerolinecolor": theme.muted, "zerolinewidth": 2, "rangemode": "tozero"},
        yaxis=named_rows(rows, theme, room=GAP),
        bargap=0.3,
        showlegend=legend is not None,
    )


def _hover_texts(
    names: Sequence[str], means: NDArray[np.float32], spans: Mapping[str, NDArray[np.float32]], number_format: str
) -> list[str]:
    """A name, its mean, and the ends of each span of it that is known."""
    texts = [
        f"<b>{plotly_text(name)}</b><br>{written(mean, number_format)}"
        for name, mean in zip(names, means.tolist(), strict=True)
    ]
    for title, span in spans.items():
        texts = [
            text
            if np.isnan(low)
            else f"{text}<br>{title}: {written(low, number_format)} to {written(high, number_format)}"
            for text, (low, high) in zip(texts, span.tolist(), strict=True)
        ]
    return texts


def _bars(ranges: NDArray[np.float32], *, name: str, colour: str) -> dict[str, Any]:
    """A range behind each dot."""
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "x": (ranges[:, 1] - ranges[:, 0]).tolist(),
        "base": ranges[:, 0].tolist(),
        "y": list(range(len(ranges))),
        "marker": {"color": colour, "line": {"width": 0}},
        "hoverinfo": "skip",
    }


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
