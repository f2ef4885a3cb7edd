"""Attention weights of one head, or of a mean over heads, as a heat map."""

from collections.abc import Sequence

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from encoder.errors import ShapeError
from viz.figures.axes import check_count, checked, token_positions
from viz.figures.matrix import Value, matrix, row_limit, row_room, square_cell
from viz.theme import Theme

# Width of the picture and height of its cells that a screen of 1,440 by 900 pixels has room for beside the map: of a
# pair, and of two sentences next to each other, whose headings and token strips take more of the height.
COLUMN = (812, 540)
HALF = (396, 420)


def attention_heat_map(
    weights: ArrayLike,
    labels: Sequence[str],
    *,
    theme: Theme,
    title: str = "",
    sentence_b_start: int | None = None,
    room: tuple[float, float] = COLUMN,
) -> go.Figure:
    """Attention weights, query rows downward by key columns, on a fixed scale from 0 to 1.

    Up to 14 tokens the cells show their numbers, unless `room` makes them too narrow. The figure has its own width and
    height; every token has a label and takes 16 pixels at least, so that more than about 40 need another picture.

    Args:
        weights: (T, T) attention weights, query by key, in [0, 1].
        labels: T tokens.
        title: a short plain text, such as "L3 H7".
        sentence_b_start: the index in `labels` at which sentence B starts; thin lines mark it.
        room: pixels to fit into, as far as cells of 16 pixels do: the figure's width and the height of its cells.
    Raises:
        ShapeError: the weights are not square, are not as many as the labels, or B starts outside of them.
    """
    array = checked("weights", weights, axes="QK")
    queries, keys = array.shape
    if queries != keys:
        raise ShapeError(f"weights must be square: {queries} queries, but {keys} keys.")
    check_count("tokens in weights", queries, labels)
    if sentence_b_start is not None and not 0 <= sentence_b_start <= queries:
        raise ShapeError(f"sentence B cannot start at {sentence_b_start}: there are {queries} tokens.")

    columns = token_positions(labels, title="key (to)")
    cell = square_cell(columns, *room)
    limit = row_limit(labels, row_room(columns, cell[0], room[0]))
    divide = (sentence_b_start,) if sentence_b_start and sentence_b_start < queries else ()
    return matrix(
        array,
        rows=token_positions(labels, title="query (from)", limit=limit),
        columns=columns,
        cell=cell,
        value=Value(
            "attention weight",
            high=1.0,
            cell_format=".2f",
            hover_format=".4f",
            place="from %{y}<br>to %{x}",
        ),
        theme=theme,
        title=title,
        divide_rows=divide,
        divide_columns=divide,
    )
