"""The final vector of a word whose state was replaced, by the layer after which it was replaced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from encoder.errors import ShapeError
from viz.figures.axes import checked_array, figure_from_traces, layer_axis, legend_above, value_axis, vertical_line
from viz.theme import Theme

HEIGHT = 380


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
    Raises:
        ShapeError: the two curves differ in length.
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
            "hovertemplate": f"put in place %{{x}}<br>cosine to {letter}'s: %{{y:.3f}}<extra></extra>",
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
            "line": {"color": theme.head_colours[class_index % len(theme.head_colours)], "width": 3},
            "marker": {"symbol": symbols[line % len(symbols)], "size": 9},
            "hovertemplate": f"put in place %{{x}}<br>{classes[class_index]}: %{{y:.1%}}<extra></extra>",
        }
        for line, class_index in enumerate(shown)
    ]
    y_axis = value_axis("probability", theme, range=[0, 1.03], tickformat=".0%")
    return _lines(traces, len(array), theme, yaxis=y_axis)


def _lines(traces: Sequence[dict[str, Any]], state_count: int, theme: Theme, **layout: Any) -> go.Figure:
    """Curves over the L + 1 hidden states."""
    common = {"type": "scatter", "x": list(range(state_count)), "mode": "lines+markers"}
    return figure_from_traces(
        [common | trace for trace in traces],
        theme,
        height=HEIGHT,
        margin={"l": 60, "r": 12, "t": 40, "b": 56},
        xaxis=layer_axis(state_count, theme=theme),
        legend=legend_above(),
        dragmode=False,
        **layout,
    )
