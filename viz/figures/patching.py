"""What becomes of a word into which another one's state was put, by the layer after which it was put."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from encoder.errors import ShapeError
from viz.figures.axes import checked, drawn, layer_axis, legend_above, value_axis, vertical
from viz.theme import Theme

HEIGHT = 380


def patching_lines(
    to_a: ArrayLike,
    to_b: ArrayLike,
    *,
    theme: Theme,
    travels_from: int | None = None,
) -> go.Figure:
    """Similarity of B's final vector to A's own and to its own, by the entry that was patched. Stretches.

    Args:
        to_a, to_b: (L + 1,) cosines.
        travels_from: the entry from which on the patched word ends up nearer to A's; a line marks it.
    Raises:
        ShapeError: the two curves differ in length.
    """
    curves = [checked(name, values, axes="L") for name, values in (("to_a", to_a), ("to_b", to_b))]
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
    shapes = [] if travels_from is None else [vertical(travels_from, theme)]
    return _lines(traces, len(curves[0]), theme, shapes=shapes, yaxis=value_axis("cosine similarity", theme))


def patched_belief(
    probabilities: ArrayLike, classes: Sequence[str], *, shown: Sequence[int], theme: Theme
) -> go.Figure:
    """What the last layer's probe says of the patched word, by the entry that was patched. Stretches.

    Args:
        probabilities: (L + 1, C).
        classes: C names.
        shown: which of them get a line.
    """
    array = checked("probabilities", probabilities, axes="LC")
    symbols = ("circle", "square", "diamond", "cross", "triangle-up")
    traces = [
        {
            "name": classes[of_class],
            "y": array[:, of_class].tolist(),
            "line": {"color": theme.head_colours[of_class % len(theme.head_colours)], "width": 3},
            "marker": {"symbol": symbols[index % len(symbols)], "size": 9},
            "hovertemplate": f"put in place %{{x}}<br>{classes[of_class]}: %{{y:.1%}}<extra></extra>",
        }
        for index, of_class in enumerate(shown)
    ]
    y_axis = value_axis("probability", theme, range=[0, 1.03], tickformat=".0%")
    return _lines(traces, len(array), theme, yaxis=y_axis)


def _lines(traces: Sequence[dict[str, Any]], entries: int, theme: Theme, **layout: Any) -> go.Figure:
    """Curves over the entries of the hidden states."""
    common = {"type": "scatter", "x": list(range(entries)), "mode": "lines+markers"}
    return drawn(
        [common | trace for trace in traces],
        theme,
        height=HEIGHT,
        margin={"l": 60, "r": 12, "t": 40, "b": 56},
        xaxis=layer_axis(entries, theme=theme),
        legend=legend_above(),
        dragmode=False,
        **layout,
    )
