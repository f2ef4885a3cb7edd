"""Norms of hidden states and of the parts of the embedding, and cosines of successive states."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from encoder.errors import ShapeError
from viz.figures.axes import (
    Positions,
    axis_title,
    check_count,
    checked_array,
    layer_positions,
    redrawn_figure,
    token_bars,
    token_positions,
    value_axis,
)
from viz.figures.matrix import CellValue, column_labels, label_step, matrix, named_columns
from viz.theme import Theme

BARS_LEFT = 60
LEAST_WIDTH = 640  # pixels of all tokens together; at a window of 1280 pixels labels must not touch
BARS_HEIGHT, BARS_BELOW = 370, 30  # pixels of bars without the labels of their tokens, and what is below these
MOST_PATTERNS = 20  # tokens; the bars of more are too thin for patterns


def norm_heat_map(norms: ArrayLike, labels: Sequence[str], *, theme: Theme) -> go.Figure:
    """L2 norms of the hidden states: layers downward by tokens across.

    A norm has no upper bound, and layer norms keep all of them far from 0: the colours run from the smallest to the
    largest value of this figure, and two such figures cannot be compared by colour.

    Args:
        norms: (L+1, T): the embeddings, then after each layer.
        labels: T tokens.
    """
    array = checked_array("norms", norms, axes="LT")
    check_count("tokens in norms", array.shape[1], labels)
    lowest, largest = float(np.nanmin(array)), float(np.nanmax(array))
    if lowest == largest:
        lowest, largest = 0.0, largest or 1.0
    value = CellValue("L2 norm", low=lowest, high=largest, cell_format=".1f", hover_format=".3f")
    columns = token_positions(labels, title="token")
    return matrix(
        array, rows=layer_positions(len(array)), columns=columns, cell=_cell(len(labels)), value=value, theme=theme
    )


def cosine_heat_map(cosines: ArrayLike, labels: Sequence[str], *, theme: Theme, first: int = 0) -> go.Figure:
    """Cosine between each token's successive hidden states: layers downward by tokens across.

    The colours always run from 0 to 1: a layer adds to its input, so the cosine is rarely below 0.5. A negative
    cosine has the colour of 0; its cell and hover show the number.

    Args:
        cosines: (L, T): row l compares what enters layer l with what leaves it.
        labels: T tokens.
        first: the position of the first of them.
    """
    array = checked_array("cosines", cosines, axes="LT")
    check_count("tokens in cosines", array.shape[1], labels)
    names = ("embeddings → L0", *(f"L{layer - 1} → L{layer}" for layer in range(1, len(array))))
    return matrix(
        array,
        rows=Positions("layer", ticks=names, hover=names),
        columns=token_positions(labels, title="token", first=first),
        cell=_cell(len(labels)),
        value=CellValue("cosine", high=1.0, cell_format=".2f", hover_format=".4f"),
        theme=theme,
    )


def embedding_norm_bars(parts: Mapping[str, ArrayLike], labels: Sequence[str], *, theme: Theme) -> go.Figure:
    """L2 norms of the parts of every token's embedding, as grouped bars. Stretches to its column.

    Args:
        parts: for each part's name, such as "word", "position" and "token type", (T,) norms.
        labels: T tokens.
    """
    if not parts:
        raise ShapeError("no embedding parts to draw: 0 parts, at least 1 needed.")
    bars = token_bars(
        parts,
        labels,
        what="norms",
        hover="L2 norm, {name}: %{y:.3f}",
        patterns=len(labels) <= MOST_PATTERNS,
        theme=theme,
    )
    tokens = token_positions(labels, title="token")
    room = LEAST_WIDTH / len(labels)
    angle, below, _ = column_labels(tokens, room)
    every = {} if tokens.thinned else {"dtick": label_step(room)}
    return redrawn_figure(
        bars,
        theme,
        height=round(BARS_HEIGHT + below),
        margin={"l": max(BARS_LEFT, below) if angle == -45 else BARS_LEFT, "r": 12, "t": 44, "b": below + BARS_BELOW},
        xaxis=tokens.axis(length=900, theme=theme)
        | {"tickangle": angle, "title": axis_title(named_columns(tokens, room), theme)}
        | every,
        yaxis=value_axis("L2 norm", theme, rangemode="tozero"),
        barmode="group",
        bargap=0.25,
        dragmode="zoom" if tokens.thinned else False,
    )


def _cell(tokens: int) -> tuple[float, float]:
    """Minimum width and height of a cell; the figure stretches to its column."""
    return min(64, LEAST_WIDTH / tokens), 34
