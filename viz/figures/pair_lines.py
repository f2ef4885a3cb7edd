"""Contributions of word pairs to the cosine of two texts, as lines between the words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from viz.figures.axes import FONT_SIZE, LABEL_LIMIT, check_count, checked_array, figure_from_traces
from viz.figures.labels import plotly_text, text_width
from viz.theme import Theme
from viz.wording.labels import make_visible, shorten

MOST_WORDS = 40  # of a text: the lines of longer ones are unreadable
STRENGTHS = 6  # widths of lines; the thinnest are omitted
WIDEST_LINE = 7.0  # pixels
ROW, ACROSS = 36, 150  # pixels of a word's row, and between the two texts
EDGE = 10
GAP = 0.03  # share of the width between a word and its lines


def pair_lines(values: ArrayLike, a: Sequence[str], b: Sequence[str], *, theme: Theme) -> go.Figure:
    """A line from a word of A, left, to a word of B, right: blue where the pair raises the cosine, orange where not.

    Width and opacity follow the absolute value; pairs below a sixth of the largest have no line. The figure has
    its own width and height.

    Args:
        values: (U_A, U_B) parts of the cosine.
        a, b: U_A and U_B words, `MOST_WORDS` at most of each.
    Raises:
        ShapeError: the values do not fit the words.
    """
    array = checked_array("values", values, axes="AB")
    check_count("words of A in values", array.shape[0], a)
    check_count("words of B in values", array.shape[1], b)
    rows = max(array.shape)
    places = [np.arange(count) + (rows - count) / 2 for count in array.shape]  # the shorter text in the middle
    high = max(float(np.abs(array).max()), 1e-6)
    strengths = np.minimum(np.floor(np.abs(array) / high * STRENGTHS), STRENGTHS - 1)  # (U_A, U_B)
    lines = [
        _lines(array, (strengths == strength) & (np.sign(array) == sign), places, strength / (STRENGTHS - 1), theme)
        for strength in range(1, STRENGTHS)
        for sign in (-1, 1)
    ]
    names = [[plotly_text(shorten(make_visible(word), LABEL_LIMIT)) for word in words] for words in (a, b)]
    rooms = [max(text_width(shorten(make_visible(word), LABEL_LIMIT)) for word in words) + EDGE for words in (a, b)]
    return figure_from_traces(
        [line for line in lines if line["x"]]
        + [
            _words(names[0], -GAP, places[0], "middle left", theme),
            _words(names[1], 1 + GAP, places[1], "middle right", theme),
        ],
        theme,
        width=round(ACROSS + sum(rooms) + 2 * EDGE),
        height=rows * ROW + 4 * EDGE,
        margin={"l": rooms[0] + EDGE, "r": rooms[1] + EDGE, "t": 3 * EDGE, "b": EDGE},
        xaxis={"visible": False, "range": [-GAP, 1 + GAP], "fixedrange": True},
        yaxis={"visible": False, "range": [rows - 0.5, -0.5], "fixedrange": True},
        showlegend=False,
        dragmode=False,
    )


def _lines(
    values: NDArray[np.float32], drawn: NDArray[np.bool_], places: Sequence[NDArray[Any]], strength: float, theme: Theme
) -> dict[str, Any]:
    """All lines of one sign and one strength, as one trace with gaps."""
    pairs = np.argwhere(drawn).tolist()
    signs = {float(np.sign(values[row, column])) for row, column in pairs}
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x for _ in pairs for x in (0, 1, None)],
        "y": [y for row, column in pairs for y in (float(places[0][row]), float(places[1][column]), None)],
        "line": {"width": WIDEST_LINE * strength, "color": theme.diverging[0 if -1 in signs else -1][1]},
        "opacity": 0.3 + 0.7 * strength,
        "hoverinfo": "skip",
    }


def _words(names: Sequence[str], x: float, places: NDArray[Any], position: str, theme: Theme) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "text",
        "x": [x] * len(names),
        "y": places.tolist(),
        "text": list(names),
        "textposition": position,
        "textfont": {"size": FONT_SIZE, "color": theme.text},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }
