"""How two occurrences of a word diverge, layer by layer, compared with pairs of one sense and of two."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from encoder.errors import ShapeError
from encoder.measures.similarity import ReferenceBand
from viz.figures.axes import (
    FONT_SIZE,
    checked_array,
    figure_from_traces,
    layer_axis,
    state_hover,
    value_axis,
    vertical_line,
    with_opacity,
)
from viz.theme import Theme

HEIGHT = 340


def divergence_lines(
    cosines: ArrayLike,
    *,
    theme: Theme,
    band: ReferenceBand | None = None,
    diverged: int | None = None,
    silenced: ArrayLike | None = None,
) -> go.Figure:
    """Cosine similarity of two occurrences over the layers. Stretches to its column.

    Args:
        cosines: (L + 1,), the embeddings first.
        band: cosines of pairs with one sense and with two: 10th to 90th percentile as areas, medians as lines.
        diverged: first layer from which on they stay apart; marked by a line.
        silenced: (L + 1,) cosines with some heads silenced.
    """
    curve = checked_array("cosines", cosines, axes="L")
    lowest = float(curve.min())
    traces = []
    if band is not None:
        _check(len(curve), band.same, "the band")
        lowest = min(lowest, float(band.different.min()))
        traces += _area(band.different, f"two senses ({band.n_different:,} pairs)", theme.muted, "dot")
        traces += _area(band.same, f"one sense ({band.n_same:,} pairs)", theme.primary, "dash")
    if silenced is not None:
        other = checked_array("cosines with silenced heads", silenced, axes="L")
        _check(len(curve), other, "the curve with silenced heads")
        lowest = min(lowest, float(other.min()))
        traces.append(_curve(other, "with the chosen heads silenced", theme.sentence("B"), "diamond"))
    named = _curve(curve, "this word in A and B", theme.text, "circle")
    labels = {
        "type": "scatter",
        "x": named["x"],
        "y": named["y"],
        "mode": "markers+text",
        "marker": {"size": 18, "opacity": 0},  # keeps the text off the line
        "text": [f"{cosine:.2f}" for cosine in curve.tolist()],
        "textposition": "top center",
        "textfont": {"size": FONT_SIZE, "color": theme.text, "shadow": ", ".join([f"0 0 3px {theme.background}"] * 4)},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    traces += [named, labels]
    room = max(1 - lowest, 0.01)
    return figure_from_traces(
        traces,
        theme,
        height=HEIGHT,
        margin={"l": 60, "r": 16, "t": 40, "b": 56},
        xaxis=layer_axis(len(curve), theme=theme),
        yaxis=value_axis("cosine similarity", theme, range=[lowest - 0.1 * room, 1 + 0.12 * room]),
        shapes=[] if diverged is None else [vertical_line(diverged + 1, theme)],
        annotations=[] if diverged is None else [_divergence_note(diverged, len(curve), theme)],
    )


def _check(layers: int, array: NDArray[np.float32], name: str) -> None:
    if len(array) != layers:
        raise ShapeError(f"The cosines have {layers} entries and {name} {len(array)}: they must be one model's.")


def _divergence_note(layer: int, state_count: int, theme: Theme) -> dict[str, Any]:
    return {
        "text": f"diverged from L{layer}",
        "font": {"size": FONT_SIZE, "color": theme.primary},
        "showarrow": False,
        "x": layer + 1,
        "xanchor": "right" if layer + 1 > state_count / 2 else "left",
        "yref": "paper",
        "y": 0.02,
        "yanchor": "bottom",
    }


def _area(quantiles: NDArray[np.float32], name: str, colour: str, dash: str) -> list[dict[str, Any]]:
    """The 10th to the 90th percentile as an area with the median inside; (L + 1, 3)."""
    low, median, high = quantiles.T.tolist()
    layers = list(range(len(median)))
    invisible = {
        "type": "scatter",
        "x": layers,
        "mode": "lines",
        "line": {"width": 0},
        "hoverinfo": "skip",
        "legendgroup": name,
        "showlegend": False,
    }
    return [
        invisible | {"y": high},
        invisible | {"y": low, "fill": "tonexty", "fillcolor": with_opacity(colour, 0.16)},
        {
            "type": "scatter",
            "x": layers,
            "y": median,
            "name": name,
            "legendgroup": name,
            "mode": "lines",
            "line": {"color": colour, "width": 2, "dash": dash},
            "customdata": list(zip(low, high, strict=True)),
            "hovertext": state_hover(len(median)),
            "hovertemplate": f"%{{hovertext}}<br>{name}: median %{{y:.3f}},<br>"
            "four fifths between %{customdata[0]:.3f} and %{customdata[1]:.3f}<extra></extra>",
        },
    ]


def _curve(curve: NDArray[np.float32], name: str, colour: str, symbol: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": list(range(len(curve))),
        "y": curve.tolist(),
        "name": name,
        "mode": "lines+markers",
        "line": {"color": colour, "width": 3},
        "marker": {"symbol": symbol, "size": 9},
        "hovertext": state_hover(len(curve)),
        "hovertemplate": f"%{{hovertext}}<br>{name}: %{{y:.3f}}<extra></extra>",
    }
