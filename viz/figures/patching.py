"""Effects of patched states on a word: the word's own state layer by layer, or each token's at each layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from encoder.errors import ShapeError
from viz.figures.axes import (
    check_count,
    checked_array,
    figure_from_traces,
    layer_axis,
    layer_positions,
    state_hover,
    token_positions,
    value_axis,
    vertical_line,
)
from viz.figures.matrix import LARGEST_CELL, WIDEST, CellValue, decimals, matrix
from viz.theme import Theme

HEIGHT = 380
NARROWEST, ROW = 330, 26  # pixels: all cells of a map, for its colour bar; a row


def patching_lines(
    to_a: ArrayLike,
    to_b: ArrayLike,
    *,
    theme: Theme,
    first_state_nearer_to_a: int | None = None,
) -> go.Figure:
    """Similarity of B's final vector to A's and to its unpatched one, by the patched index. Stretches.

    Args:
        to_a, to_b: (L + 1,) cosines.
        first_state_nearer_to_a: the index from which on the patched word ends nearer to A's; a line marks it.
    """
    curves = [checked_array(name, values, axes="L") for name, values in (("to_a", to_a), ("to_b", to_b))]
    if len(curves[0]) != len(curves[1]):
        raise ShapeError(f"to_a has {len(curves[0])} entries, to_b {len(curves[1])}: they must be one model's.")
    traces = [
        {
            "name": f"final vector, cosine to that of {letter}",
            "y": curve.tolist(),
            "line": {"color": theme.sentence(letter), "width": 3, "dash": dash},
            "marker": {"symbol": symbol, "size": 9},
            "hovertemplate": f"substituted %{{hovertext}}<br>cosine to {letter}'s: %{{y:.3f}}<extra></extra>",
        }
        for letter, symbol, dash, curve in zip("AB", ("circle", "square"), ("solid", "dash"), curves, strict=True)
    ]
    shapes = [] if first_state_nearer_to_a is None else [vertical_line(first_state_nearer_to_a, theme)]
    return _lines(traces, len(curves[0]), theme, shapes=shapes, yaxis=value_axis("cosine similarity", theme))


def patched_probability_lines(
    probabilities: ArrayLike, classes: Sequence[str], *, shown: Sequence[int], theme: Theme
) -> go.Figure:
    """The last layer's class probabilities of the patched word, by the patched index. Stretches.

    Args:
        probabilities: (L + 1, C).
        classes: C names.
        shown: which of them get a line.
    """
    array = checked_array("probabilities", probabilities, axes="LC")
    symbols = ("circle", "square", "diamond", "cross", "triangle-up")
    traces = [
        {
            "name": classes[class_index],
            "y": array[:, class_index].tolist(),
            "line": {"color": theme.class_colours[line], "width": 3},
            "marker": {"symbol": symbols[line % len(symbols)], "size": 9},
            "hovertemplate": f"substituted %{{hovertext}}<br>{classes[class_index]}: %{{y:.1%}}<extra></extra>",
        }
        for line, class_index in enumerate(shown)
    ]
    y_axis = value_axis("probability", theme, range=[0, 1.03], tickformat=".0%")
    return _lines(traces, len(array), theme, yaxis=y_axis)


def patched_token_map(values: ArrayLike, labels: Sequence[str], *, unit: str, theme: Theme) -> go.Figure:
    """Effect of patching each token at each hidden state: layers downward by tokens across.

    The scale is centred on 0 and runs to the largest absolute change. The figure has its own width and height.

    Args:
        values: (L + 1, T) changes, in `unit`.
        labels: T tokens.
        unit: of the changes; a short plain text.
    """
    array = checked_array("values", values, axes="LT")
    check_count("tokens in values", array.shape[1], labels)
    high = max(float(np.abs(array).max()), 1e-6)
    rows, columns = layer_positions(len(array)), token_positions(labels, title="token")
    cell = (max(NARROWEST / len(labels), min(LARGEST_CELL, WIDEST / len(labels))), ROW)
    cell_format = f".{decimals(high, cell[0])}f"
    value = CellValue(unit, low=-high, high=high, cell_format=cell_format, hover_format="+.3f", diverging=True)
    return matrix(array, rows=rows, columns=columns, cell=cell, value=value, theme=theme)


def _lines(traces: Sequence[dict[str, Any]], state_count: int, theme: Theme, **layout: Any) -> go.Figure:
    states = {"x": list(range(state_count)), "hovertext": state_hover(state_count)}
    common = {"type": "scatter", "mode": "lines+markers", **states}
    return figure_from_traces(
        [common | trace for trace in traces],
        theme,
        height=HEIGHT,
        margin={"l": 60, "r": 12, "t": 40, "b": 56},
        xaxis=layer_axis(state_count, theme=theme),
        **layout,
    )
