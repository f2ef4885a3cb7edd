"""Contributions of word pairs to the cosine of two texts: lines between the words, and a map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from viz.figures.axes import (
    EVERY_LABEL,
    FONT_SIZE,
    LABEL_LIMIT,
    check_count,
    checked_array,
    figure_from_traces,
    text_trace,
    token_positions,
)
from viz.figures.labels import plotly_text, text_width
from viz.figures.matrix import LARGEST_CELL, SMALLEST_CELL, CellValue, decimals, matrix
from viz.theme import Theme
from viz.wording.labels import make_visible, shorten

MOST_WORDS = 40  # of a text: the lines of longer ones are unreadable
STRENGTHS = 6  # widths of lines; the thinnest are omitted
WIDEST_LINE = 7.0  # pixels
ROW, ACROSS = 36, 150  # pixels of a word's row, and between the two texts
EDGE = 10
GAP = 0.03  # share of the width between a word and its lines
WIDTH, HEIGHT = 580, 440  # pixels of the cells of a short text
NARROWEST = 240  # pixels, for the colour bar
TALLEST = 700  # pixels of the cells of a long text
LARGEST_ROW = 36
LEAST_ROW, HEADER = 18, 80  # pixels of a row that is legible, and above the cells
FEW = 12  # words, whose figure may shrink to the room that there is


def least_height_of_pairs(rows: int) -> int:
    """Pixels below which the words of so many rows overlap; 0 for rows that any room has."""
    return LEAST_ROW * rows + HEADER if rows > FEW else 0


def pair_lines(values: ArrayLike, a: Sequence[str], b: Sequence[str], *, theme: Theme) -> go.Figure:
    """A line from a word of A, left, to a word of B, right: blue where the pair raises the cosine, orange where not.

    Width and opacity follow the absolute value; pairs below a sixth of the largest have no line. The figure has
    its own width and height.

    Args:
        values: (U_A, U_B) parts of the cosine.
        a, b: U_A and U_B words, `MOST_WORDS` at most of each.
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
    across = [x] * len(names)
    return text_trace(across, places.tolist(), names, size=FONT_SIZE, colour=theme.text, textposition=position)


def pair_map(values: ArrayLike, a: Sequence[str], b: Sequence[str], *, theme: Theme) -> go.Figure:
    """The words of A downward, those of B across. The figure has its own width and height.

    The scale is centred on 0 and runs to the largest absolute value of the map.

    Args:
        values: (U_A, U_B) parts of the cosine.
        a, b: U_A and U_B words.
    """
    array = checked_array("values", values, axes="AB")
    high = max(float(np.abs(array).max()), 1e-6)
    value = CellValue(
        "adds to the cosine",
        low=-high,
        high=high,
        cell_format=f".{decimals(high, _cell_width(len(b)))}f",
        hover_format="+.4f",
        place="A: {y}<br>B: {x}",
        diverging=True,
    )
    return _map(array, a, b, value=value, titles=("A", "B"), theme=theme)


def similarity_matrix(cosines: ArrayLike, query: Sequence[str], text: Sequence[str], *, theme: Theme) -> go.Figure:
    """The words of a query downward, those of a text across. The figure has its own width and height.

    The scale runs from 0 to 1; negative cosines have the colour of 0, and their number in hover.

    Args:
        cosines: (U, V).
        query, text: U and V words.
    """
    value = CellValue(
        "cosine",
        high=1.0,
        cell_format=".2f",
        hover_format=".3f",
        place="query: {y}<br>text: {x}",
    )
    array = checked_array("cosines", cosines, axes="QT")
    return _map(array, query, text, value=value, titles=("query", "text"), theme=theme)


def _map(
    array: NDArray[np.float32],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    value: CellValue,
    titles: tuple[str, str],
    theme: Theme,
) -> go.Figure:
    for side, words in enumerate((rows, columns)):
        check_count(f"words of {titles[side]} in values", array.shape[side], words)
    return matrix(
        array,
        rows=token_positions(rows, title=titles[0]),
        columns=token_positions(columns, title=titles[1]),
        cell=(_cell_width(len(columns)), _row_height(len(rows))),
        value=value,
        theme=theme,
    )


def _cell_width(columns: int) -> float:
    return max(NARROWEST / columns, min(LARGEST_CELL, WIDTH / columns))


def _row_height(rows: int) -> float:
    """Pixels of a row, with room for a label if every row has one."""
    if rows > EVERY_LABEL:
        return TALLEST / rows
    return max(SMALLEST_CELL, min(LARGEST_ROW, HEIGHT // rows))
