"""How two occurrences of a word part, layer by layer, against what one and two senses of a word usually have."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from encoder.errors import ShapeError
from encoder.measures.similarity import Band
from viz.figures.axes import FONT_SIZE, checked, layer_axis, see_through, themed, value_axis
from viz.theme import Theme

HEIGHT = 420


def parting_lines(
    cosines: ArrayLike,
    *,
    theme: Theme,
    band: Band | None = None,
    parted: int | None = None,
    silenced: ArrayLike | None = None,
) -> go.Figure:
    """Cosine similarity of two occurrences over the layers. Stretches to its column.

    Args:
        cosines: (L + 1,), the embeddings first.
        band: what pairs of one sense and of two usually have: the middle four fifths as areas, the medians as lines.
        parted: the layer from which they have parted; a line marks it.
        silenced: (L + 1,) the same with some heads silenced.
    Raises:
        ShapeError: the band or the second curve has another number of layers.
    """
    curve = checked("cosines", cosines, axes="L")
    layers = np.arange(len(curve), dtype=np.float32)
    figure = go.Figure()
    lowest = float(curve.min())
    if band is not None:
        _check(len(curve), band.same, "the band")
        lowest = min(lowest, float(band.different.min()))
        _area(figure, layers, band.different, f"two senses ({band.n_different:,} pairs)", theme.muted, "dot")
        _area(figure, layers, band.same, f"one sense ({band.n_same:,} pairs)", theme.primary, "dash")
    if silenced is not None:
        other = checked("cosines with silenced heads", silenced, axes="L")
        _check(len(curve), other, "the curve with silenced heads")
        lowest = min(lowest, float(other.min()))
        _curve(figure, layers, other, "with the chosen heads silenced", theme.sentence("B"), "diamond")
    _curve(figure, layers, curve, "this word in A and B", theme.text, "circle")
    figure.add_scatter(
        x=layers,
        y=curve,
        mode="text",
        text=[f"{cosine:.2f}" for cosine in curve.tolist()],
        textposition="top right",
        textfont={"size": FONT_SIZE, "color": theme.text},
        hoverinfo="skip",
        showlegend=False,
    )
    if parted is not None:
        figure.add_vline(
            x=parted + 1,
            line={"color": theme.primary, "width": 2, "dash": "dash"},
            annotation={
                "text": f"parted from L{parted}",
                "font": {"size": FONT_SIZE, "color": theme.primary},
                "yref": "paper",
                "y": 0.02,
                "yanchor": "bottom",
                "xanchor": "right" if parted + 1 > len(curve) / 2 else "left",
            },
        )
    room = max(1 - lowest, 0.01)
    return themed(
        figure,
        theme,
        height=HEIGHT,
        margin={"l": 60, "r": 16, "t": 40, "b": 56},
        xaxis=layer_axis(len(curve), theme=theme),
        yaxis=value_axis("cosine similarity", theme, range=[lowest - 0.1 * room, 1 + 0.12 * room]),
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": FONT_SIZE}},
        dragmode=False,
    )


def _check(layers: int, array: NDArray[np.float32], name: str) -> None:
    if len(array) != layers:
        raise ShapeError(f"The cosines have {layers} entries and {name} {len(array)}: they must be one model's.")


def _area(
    figure: go.Figure, layers: NDArray[np.float32], quantiles: NDArray[np.float32], name: str, colour: str, dash: str
) -> None:
    """The 10th to the 90th percentile as an area with the median inside; (L + 1, 3)."""
    low, median, high = quantiles.T
    invisible = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "legendgroup": name, "showlegend": False}
    figure.add_scatter(x=layers, y=high, **invisible)
    figure.add_scatter(x=layers, y=low, fill="tonexty", fillcolor=see_through(colour, 0.16), **invisible)
    figure.add_scatter(
        x=layers,
        y=median,
        name=name,
        legendgroup=name,
        mode="lines",
        line={"color": colour, "width": 2, "dash": dash},
        customdata=np.stack([low, high], axis=1),
        hovertemplate=f"%{{x}}<br>{name}: median %{{y:.3f}},<br>"
        "four fifths between %{customdata[0]:.3f} and %{customdata[1]:.3f}<extra></extra>",
    )


def _curve(
    figure: go.Figure, layers: NDArray[np.float32], curve: NDArray[np.float32], name: str, colour: str, symbol: str
) -> None:
    figure.add_scatter(
        x=layers,
        y=curve,
        name=name,
        mode="lines+markers",
        line={"color": colour, "width": 3},
        marker={"symbol": symbol, "size": 9},
        hovertemplate=f"%{{x}}<br>{name}: %{{y:.3f}}<extra></extra>",
    )
