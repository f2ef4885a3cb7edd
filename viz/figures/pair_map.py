"""Contributions of word pairs to the cosine of two texts, as a map."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz.figures.axes import EVERY_LABEL, check_count, checked_array, token_positions
from viz.figures.matrix import LARGEST_CELL, SMALLEST_CELL, CellValue, decimals, matrix
from viz.theme import Theme

WIDTH, HEIGHT = 580, 440  # pixels of the cells of a short text
NARROWEST = 240  # pixels, for the colour bar
TALLEST = 700  # pixels of the cells of a long text
LARGEST_ROW = 36


def pair_map(values: ArrayLike, a: Sequence[str], b: Sequence[str], *, theme: Theme) -> go.Figure:
    """The words of A downward, those of B across. The figure has its own width and height.

    The scale is centred on 0 and runs to the largest absolute value of the map.

    Args:
        values: (U_A, U_B) parts of the cosine.
        a, b: U_A and U_B words.
    Raises:
        ShapeError: the values do not fit the words.
    """
    array = checked_array("values", values, axes="AB")
    check_count("words of A in values", array.shape[0], a)
    check_count("words of B in values", array.shape[1], b)
    high = max(float(np.abs(array).max()), 1e-6)
    cell = (max(NARROWEST / len(b), min(LARGEST_CELL, WIDTH / len(b))), _row_height(len(a)))
    value = CellValue(
        "adds to the cosine",
        low=-high,
        high=high,
        cell_format=f".{decimals(high, cell[0])}f",
        hover_format="+.4f",
        place="A: {y}<br>B: {x}",
        diverging=True,
    )
    rows, columns = token_positions(a, title="A"), token_positions(b, title="B")
    return matrix(array, rows=rows, columns=columns, cell=cell, value=value, theme=theme)


def _row_height(rows: int) -> float:
    """Pixels of a row, with room for a label if every row has one."""
    if rows > EVERY_LABEL:
        return TALLEST / rows
    return max(SMALLEST_CELL, min(LARGEST_ROW, HEIGHT // rows))
