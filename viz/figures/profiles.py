"""Attention from and to a word, as bars on both sides of the words of its sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from viz.figures.axes import (
    FONT_SIZE,
    RING,
    TITLE_SIZE,
    Positions,
    check_count,
    checked_array,
    figure_from_traces,
    text_trace,
    token_positions,
)
from viz.figures.labels import plotly_text
from viz.theme import Theme, ink_on

BAR = 26  # pixels per unit
LABELS = 0.36  # share of the width between the two sides

Side = Literal["both", "looks at it", "it looks at"]
Ring = tuple[int, Side]
ENDS: Mapping[Side, tuple[float, float]] = {
    "both": (0, 1),
    "looks at it": (0, (1 - LABELS) / 2),
    "it looks at": ((1 + LABELS) / 2, 1),
}  # of the figure's width


def profile_bars(
    looks_at: ArrayLike,
    looked_at_by: ArrayLike,
    labels: Sequence[str],
    *,
    word: int,
    colour: str,
    theme: Theme,
    ringed: Sequence[Ring] = (),
) -> go.Figure:
    """A word's column of attention to the left of the sentence, its row to the right. Stretches to its column.

    Both sides run from 0 to the largest bar, so that they are comparable.

    Args:
        looks_at: (U,) how much of the word's attention goes to each unit.
        looked_at_by: (U,) how much of each unit's attention comes to the word.
        labels: U units.
        word: which of them is the word.
        colour: of the bars, "#RRGGBB".
        ringed: units that a stop of a tour points at, and on which side.
    """
    row, column = checked_array("looks_at", looks_at, axes="U"), checked_array("looked_at_by", looked_at_by, axes="U")
    check_count("units in looks_at", len(row), labels)
    check_count("units in looked_at_by", len(column), labels)
    names = token_positions(labels, title="")
    notes = (("← looks at it", (1 - LABELS) / 4), ("it looks at →", (3 + LABELS) / 4))
    high = max(float(row.max()), float(column.max()), 1e-6) * 1.02
    axis = {"showgrid": False, "zeroline": False, "showticklabels": False, "ticks": "", "fixedrange": True}
    return figure_from_traces(
        [
            _bars("x", column, "looks at this word with", names, colour),
            _bars("x2", row, "gets of this word's attention", names, colour),
            _words("x3", names, word, theme),
        ],
        theme,
        height=BAR * len(labels) + 44,
        margin={"l": 4, "r": 4, "t": 36, "b": 8},
        xaxis=axis | {"domain": [0, (1 - LABELS) / 2], "range": [high, 0]},
        xaxis2=axis | {"domain": [(1 + LABELS) / 2, 1], "range": [0, high]},
        xaxis3=axis | {"domain": [(1 - LABELS) / 2, (1 + LABELS) / 2], "range": [-1, 1]},
        yaxis=axis | {"range": [len(labels) - 0.5, -0.5]},
        annotations=[_above(text, x, theme) for text, x in notes],
        shapes=[_ring(*ring, theme) for ring in ringed],
        showlegend=False,
        bargap=0.25,
    )


def _ring(unit: int, side: Side, theme: Theme) -> dict[str, Any]:
    x0, x1 = ENDS[side]
    place = {"xref": "paper", "x0": x0, "x1": x1, "y0": unit - 0.5, "y1": unit + 0.5}
    return {"type": "rect", "name": RING, "line": {"color": theme.primary, "width": 4}, **place}


def _bars(axis: str, values: NDArray[np.float32], verb: str, names: Positions, colour: str) -> dict[str, Any]:
    """One side: (U,) values, each with its number and hover text."""
    return {
        "type": "bar",
        "x": values.tolist(),
        "y": list(range(len(values))),
        "xaxis": axis,
        "orientation": "h",
        "marker": {"color": colour, "line": {"width": 0}},
        "text": [f"{value:.2f}" if value >= 0.005 else "" for value in values.tolist()],
        "textposition": "auto",
        "textfont": {"size": TITLE_SIZE},
        "insidetextfont": {"color": ink_on(colour)},
        "constraintext": "none",
        "hovertemplate": [f"{name}<br>{verb} %{{x:.4f}}<extra></extra>" for name in names.hover],
    }


def _words(axis: str, names: Positions, word: int, theme: Theme) -> dict[str, Any]:
    """The words between the sides, as a trace: annotations would take a quarter of the lens's rendering time."""
    ticks = [plotly_text(tick) for tick in names.ticks]
    ticks[word] = f"<b>{ticks[word]}</b>"
    colours = [theme.text if index == word else theme.muted for index in range(len(ticks))]
    return text_trace([0] * len(ticks), range(len(ticks)), ticks, size=FONT_SIZE, colour=colours, xaxis=axis)


def _above(text: str, x: float, theme: Theme) -> dict[str, Any]:
    place = {"x": x, "xref": "paper", "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False}
    return {"text": text, "font": {"size": FONT_SIZE, "color": theme.muted}, **place}
