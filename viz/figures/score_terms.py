"""The terms of one attention score as bars, and the weights that runs without some of them give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz.figures.axes import (
    FONT_SIZE,
    TITLE_SIZE,
    check_count,
    checked_array,
    figure_from_traces,
    named_rows,
    value_axis,
    vertical_line,
)
from viz.figures.labels import plotly_text, text_width
from viz.theme import Theme
from viz.wording.numbers import written

ROW = 26  # pixels
MARK = 12  # pixels of a mark


def term_bars(
    names: Sequence[str], values: ArrayLike, hover: Sequence[str], *, limits: tuple[float, float], theme: Theme
) -> go.Figure:
    """A bar for each term, the first on top; bars to the right raise the score. Stretches to its column.

    Numbers stand next to the names, where they have room in a narrow column too.

    Args:
        names: S terms.
        values: (S,) in units of the score.
        hover: hover text below a term's name.
        limits: the smallest and largest value of all compared figures.
    """
    array = checked_array("values", values, axes="S")
    check_count("values", len(array), names)
    check_count("values", len(array), hover)
    low, high = min(limits[0], 0.0), max(limits[1], 0.0)
    rows = [f"{name}  {written(value, '+.2f')}" for name, value in zip(names, array.tolist(), strict=True)]
    negative, positive = theme.diverging[0][1], theme.diverging[-1][1]
    bars: dict[str, Any] = {
        "type": "bar",
        "orientation": "h",
        "x": array.tolist(),
        "y": list(range(len(array))),
        "marker": {"color": [positive if value >= 0 else negative for value in array.tolist()], "line": {"width": 0}},
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
        "hovertext": [f"<b>{plotly_text(n)}</b><br>{plotly_text(h)}" for n, h in zip(names, hover, strict=True)],
        "customdata": [written(value, "+.4f") for value in array.tolist()],
        "hovertemplate": "%{hovertext}<br>%{customdata} of the score<extra></extra>",
    }
    return figure_from_traces(
        [bars],
        theme,
        height=ROW * len(array) + 56,
        margin={"l": _room_for(rows), "r": 12, "t": 8, "b": 48},
        xaxis=value_axis("added to the score", theme, range=[low, high], nticks=5, tickangle=0)
        | {"zerolinecolor": theme.muted},
        yaxis=named_rows(rows, theme, room=MARK // 2),
        bargap=0.28,
        showlegend=False,
        clickmode="event+select",
    )


def weights_without(
    names: Sequence[str], largest: ArrayLike, controls: Sequence[Sequence[float]], *, weight: float, theme: Theme
) -> go.Figure:
    """Weights of runs without a term, with the original weight: a row for each side. Stretches to its column.

    Args:
        names: R removed terms.
        largest: (R,) weights without the largest term.
        controls: for each row the weights without a random term of similar norm.
        weight: the original.
    """
    array = checked_array("largest", largest, axes="R")
    check_count("largest", len(array), names)
    check_count("largest", len(array), [""] * len(controls))
    drawn = [(row, float(value)) for row, of_row in enumerate(controls) for value in of_row]
    marks = [
        _marks("without another part of similar length", drawn, "circle-open", theme.muted),
        _marks("without the largest part", list(enumerate(array.tolist())), "diamond", theme.primary),
    ]
    high = max(weight, float(array.max()), *(value for _, value in drawn), 1e-6)
    return figure_from_traces(
        marks,
        theme,
        height=34 * len(array) + 124,
        margin={"l": _room_for(names) + MARK, "r": 24, "t": 36, "b": 48},
        xaxis=value_axis("attention weight", theme, range=[0, high * 1.08]),
        yaxis=named_rows(names, theme, room=MARK) | {"range": [len(array) + 0.1, -0.6]},
        shapes=[vertical_line(weight, theme)],
        annotations=[_note_next_to(weight, on_the_left=weight > high / 2, theme=theme)],
    )


def _note_next_to(weight: float, *, on_the_left: bool, theme: Theme) -> dict[str, Any]:
    """The original weight, in a line below the rows."""
    return {
        "x": weight,
        "y": 0,
        "yref": "y domain",
        "yanchor": "bottom",
        "xanchor": "right" if on_the_left else "left",
        "showarrow": False,
        "text": f" as it is: {weight:.4f} ",
        "font": {"size": TITLE_SIZE, "color": theme.text},
    }


def _marks(name: str, points: Sequence[tuple[int, float]], symbol: str, colour: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [value for _, value in points],
        "y": [row for row, _ in points],
        "marker": {"symbol": symbol, "size": MARK, "color": colour, "line": {"width": 2, "color": colour}},
        "cliponaxis": False,
        "hovertemplate": f"{name}<br>weight %{{x:.4f}}<extra></extra>",
    }


def _room_for(names: Sequence[str]) -> float:
    return max(text_width(name, size=FONT_SIZE) for name in names) + 12
