"""What becomes of a word into which another one's state was put, by the layer after which it was put."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from encoder.errors import ShapeError
from viz.figures.axes import FONT_SIZE, checked, layer_axis, themed, value_axis
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
    entries = np.arange(len(curves[0]), dtype=np.float32)
    figure = go.Figure()
    for letter, symbol, dash, curve in zip("AB", ("circle", "square"), ("solid", "dash"), curves, strict=True):
        figure.add_scatter(
            x=entries,
            y=curve,
            name=f"final vector, cosine to that of {letter}",
            mode="lines+markers",
            line={"color": theme.sentence(letter), "width": 3, "dash": dash},
            marker={"symbol": symbol, "size": 9},
            hovertemplate=f"put in place %{{x}}<br>cosine to {letter}'s: %{{y:.3f}}<extra></extra>",
        )
    if travels_from is not None:
        figure.add_vline(x=travels_from, line={"color": theme.primary, "width": 2, "dash": "dash"})
    return _finished(figure, len(entries), "cosine similarity", theme, tozero=False)


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
    entries = np.arange(len(array), dtype=np.float32)
    symbols = ("circle", "square", "diamond", "cross", "triangle-up")
    figure = go.Figure()
    for index, of_class in enumerate(shown):
        figure.add_scatter(
            x=entries,
            y=array[:, of_class],
            name=classes[of_class],
            mode="lines+markers",
            line={"color": theme.head_colours[of_class % len(theme.head_colours)], "width": 3},
            marker={"symbol": symbols[index % len(symbols)], "size": 9},
            hovertemplate=f"put in place %{{x}}<br>{classes[of_class]}: %{{y:.1%}}<extra></extra>",
        )
    return _finished(figure, len(entries), "probability", theme, tozero=True)


def _finished(figure: go.Figure, entries: int, title: str, theme: Theme, *, tozero: bool) -> go.Figure:
    y_axis = {"range": [0, 1.03], "tickformat": ".0%"} if tozero else {"rangemode": "normal"}
    return themed(
        figure,
        theme,
        height=HEIGHT,
        margin={"l": 60, "r": 12, "t": 40, "b": 56},
        xaxis=layer_axis(entries, theme=theme),
        yaxis=value_axis(title, theme, **y_axis),
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": FONT_SIZE}},
        dragmode=False,
    )
