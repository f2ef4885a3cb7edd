"""How two runs differ: one head's attention, and the states of words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz.figures.axes import Positions, check_count, checked_array, layer_positions, token_positions
from viz.figures.matrix import LARGEST_CELL, CellValue, decimals, frame, matrix, row_limit, row_room, square_cell
from viz.theme import Theme

LEAST = 0.01  # minimum of the colour scale's end: below it, rounding errors would look like a pattern
NARROWEST = 240  # pixels of all cells together, for the colour bar
WIDTH, HEIGHT = 720, 400  # pixels of a square of queries and keys
LEAST_WIDTH = 640  # pixels of all words together
SIGN = 8  # pixels of the plus before a number
BAR_OVERHANG = 32  # pixels of the last number under the colour bar


def difference_map(
    differences: ArrayLike,
    labels: Sequence[str],
    *,
    pinned: tuple[int | None, int | None] = (None, None),
    theme: Theme,
) -> go.Figure:
    """Signed differences of one head's attention: queries downward by keys across.

    The scale is centred on 0 and runs to the largest absolute difference of this figure.

    Args:
        differences: (C, C), NaN in rows and columns of words of one text alone; these cells are empty.
        labels: C words.
        pinned: the query whose row and the key whose column are framed.
    """
    array = checked_array("differences", differences, axes="QK")
    for count in array.shape:
        check_count("words in differences", count, labels)
    largest = float(np.nanmax(np.abs(array), initial=0))
    high = max(largest, LEAST)
    columns = token_positions(labels, title="key (to)")
    small = max(1.0, LEAST_WIDTH / len(labels))
    across, down = (small, small) if columns.thinned else square_cell(columns, WIDTH, HEIGHT)
    limit = row_limit(labels, row_room(columns, across, WIDTH))
    figure = matrix(
        array,
        rows=token_positions(labels, title="query (from)", limit=limit),
        columns=columns,
        cell=(across, down),
        value=CellValue(
            "difference of attention",
            low=-high,
            high=high,
            cell_format=f"+.{decimals(largest or 1, across - SIGN)}f",
            hover_format="+.4f",
            place="{y}<br>looks at {x}",
            diverging=True,
        ),
        theme=theme,
    )
    figure.layout.plot_bgcolor = theme.secondary_background  # visible in empty cells
    query, key = pinned
    if query is not None:
        figure.add_shape(frame(0, len(labels), query, query + 1, theme.text))
    if key is not None:
        figure.add_shape(frame(key, key + 1, 0, len(labels), theme.text))
    return figure


def word_distance_map(distances: ArrayLike, words: Sequence[str], *, name: str, theme: Theme) -> go.Figure:
    """Distance of every shared word after every layer: states downward by words across.

    The colours run from 0 to the largest distance of this figure.

    Args:
        distances: (S, W); S = 1 for the last states alone.
        words: W words.
        name: of the distance measure.
    """
    array = checked_array("distances", distances, axes="SW")
    check_count("words in distances", array.shape[1], words)
    last_alone = Positions("layer", ticks=("last",), hover=("after the last layer",))
    figure = matrix(
        array,
        rows=layer_positions(len(array)) if len(array) > 1 else last_alone,
        columns=token_positions(words, title="shared word"),
        cell=(max(NARROWEST / len(words), min(LARGEST_CELL, LEAST_WIDTH / len(words))), 30),
        value=CellValue(name, high=max(float(array.max()), LEAST), cell_format=".2f", hover_format=".4f"),
        theme=theme,
    )
    figure.layout.margin.r = BAR_OVERHANG
    return figure
