"""A map of layers by heads, with a number or a small picture for each head."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from encoder.errors import ShapeError
from viz.figures.axes import RING, TITLE_SIZE, axis_title, bare_axis, checked_array, figure_from_traces, unseen_squares
from viz.theme import Theme
from viz.wording.numbers import written

TILE, PICTURE = 44, 72  # pixels, of a plain tile and of one that is a small picture
SMALLEST, SMALLEST_PICTURE = 17, 32
AROUND = 112  # pixels above and below the tiles
ROOM = 380  # pixels for the tiles of a row, half of a laptop's column
INSET, INNER = 0.45, 0.36  # of a tile: from its centre to its frame, and to the inner frame of the chosen head


def effect_map(
    effects: ArrayLike,
    exceeds_control: NDArray[np.bool_],
    *,
    name: str,
    number_format: str,
    signed: bool,
    theme: Theme,
    high: float,
    limit: float | None = None,
    chosen: tuple[int, int] | None = None,
    room: int = ROOM,
    pictures: ArrayLike | None = None,
    ringed: Sequence[tuple[int, int]] = (),
) -> go.Figure:
    """A tile for each head, coloured by its effect; a frame marks those beyond the control.

    Invisible points of a scatter plot, layer by layer, cover the tiles. The colours run from 0 to `high`, or from
    -`high` to `high` for signed effects. In a narrow column the tiles are narrower.

    Args:
        effects: (L, H).
        exceeds_control: (L, H).
        name: what the effect is, with its unit.
        number_format: of the effects in hover, such as ".3f".
        signed: whether effects can be negative; the scale is then diverging, 0 in its middle.
        high: end of the colour scale, shared by maps that are compared.
        limit: the control's 95th percentile, for hover.
        chosen: the selected head.
        room: pixels for the tiles of a row.
        pictures: (L, H, G, G) small maps to show in the tiles, on the same scale.
        ringed: (layer, head) of the heads that a stop of a tour points at; missing ones are ignored.
    """
    array = checked_array("effects", effects, axes="LH")
    if exceeds_control.shape != array.shape:
        raise ShapeError(f"Effects are {array.shape}, marks are {exceeds_control.shape}: each head needs one.")
    layers, heads = array.shape
    tiles, largest = _tiles(array), TILE
    if pictures is not None:
        small = checked_array("pictures", pictures, axes="LHQK")
        if small.shape[:2] != array.shape:
            raise ShapeError(f"Effects are {array.shape}, pictures {small.shape}: each head needs one.")
        tiles, largest = _small_pictures(small), PICTURE
    tile = max(SMALLEST, min(largest, room // heads))
    high = high or 1.0
    control = "" if limit is None else f"<br>95 % of other words' effects: at most {written(limit, number_format)}"
    hover = f"<b>%{{text}}</b><br>{name} %{{customdata}}{control}<extra></extra>"
    numbers = [written(effect, number_format) for effect in array.ravel().tolist()]
    scale = {
        "zmin": -high if signed else 0.0,
        "zmax": high,
        "colorscale": theme.diverging if signed else theme.sequential,
        "colorbar": _bar(name, high, signed, theme, number_format),
    }
    frames = [_frame(head, {"color": theme.text}) for head in np.argwhere(exceeds_control).tolist()]
    if chosen is not None and chosen[0] < layers and 0 <= chosen[1] < heads:
        frames += [
            _frame(chosen, {"color": theme.background, "width": 2}, inset=INNER),  # visible on strong colours
            _frame(chosen, {"color": theme.primary, "dash": "dot"}),
        ]
    rings = [head for head in ringed if head in np.ndindex(array.shape)]
    frames += [_frame(head, {"color": theme.primary, "width": 4}) | {"name": RING} for head in rings]
    return figure_from_traces(
        [_points(array, size=tile - 4) | {"hovertemplate": hover, "customdata": numbers}, tiles | scale],
        theme,
        width=tile * heads + 60,
        height=tile * layers + AROUND,
        margin={"l": 52, "r": 8, "t": 60, "b": 52, "autoexpand": False},  # the colour bar would squeeze the tiles
        plot_bgcolor=theme.border,  # visible between the tiles
        xaxis=bare_axis(range=[-0.5, heads - 0.5], dtick=1 if tile >= 22 else 2),
        yaxis=bare_axis(range=[layers - 0.5, -0.5], title=axis_title("layer", theme), dtick=1, tickprefix="L"),
        shapes=frames if pictures is None else [*_borders(layers, heads, theme), *frames],
        annotations=[_title_below("head", theme)],
        clickmode="event+select",
    )


def least_height_of_map(layers: int) -> int:
    """Minimum height in pixels of a readable map of small pictures."""
    return SMALLEST_PICTURE * layers + AROUND


def _title_below(text: str, theme: Theme) -> dict[str, Any]:
    """An axis' title under its tick labels. Plotly's own title may overlap them until the figure is rendered again."""
    font = {"size": TITLE_SIZE, "color": theme.muted}
    place = {"xref": "x domain", "x": 0.5, "yref": "y domain", "y": 0, "yanchor": "top", "yshift": -26}
    return {"text": text, "font": font, "showarrow": False, **place}


def _points(effects: NDArray[np.float32], *, size: int) -> dict[str, Any]:
    """An invisible square on each of (L, H) heads."""
    layers, heads = (axis.ravel().tolist() for axis in np.indices(effects.shape))
    names = [f"L{layer} H{head}" for layer, head in np.ndindex(effects.shape)]
    return unseen_squares(heads, layers, size=size, colour=effects.ravel().tolist()) | {
        "text": names,
        "showlegend": False,
    }


def _tiles(effects: NDArray[np.float32]) -> dict[str, Any]:
    """A cell for each of (L, H) heads, without its colour scale."""
    return {"type": "heatmap", "z": effects.tolist(), "xgap": 1, "ygap": 1, "hoverinfo": "skip"}


def _small_pictures(pictures: NDArray[np.float32]) -> dict[str, Any]:
    """A picture (G, G) for each of (L, H) heads, without its colour scale."""
    layers, heads, rows, columns = pictures.shape
    cells = pictures.transpose(0, 2, 1, 3).reshape(layers * rows, heads * columns)  # (L·G, H·G)
    across = {"x0": 0.5 / columns - 0.5, "dx": 1 / columns}
    return {"type": "heatmap", "z": cells, **across, "y0": 0.5 / rows - 0.5, "dy": 1 / rows, "hoverinfo": "skip"}


def _borders(layers: int, heads: int, theme: Theme) -> list[dict[str, Any]]:
    line = {"type": "line", "line": {"color": theme.border, "width": 2}}
    across = [{"y0": row - 0.5, "y1": row - 0.5, "x0": -0.5, "x1": heads - 0.5} for row in range(1, layers)]
    down = [{"x0": column - 0.5, "x1": column - 0.5, "y0": -0.5, "y1": layers - 0.5} for column in range(1, heads)]
    return [line | ends for ends in (*across, *down)]


def _frame(head: Sequence[int], line: dict[str, Any], *, inset: float = INSET) -> dict[str, Any]:
    """A frame within the tile of one head, (layer, head), because shapes are clipped at the edge of the axes."""
    y, x = head
    ends = {"x0": x - inset, "x1": x + inset, "y0": y - inset, "y1": y + inset}
    return {"type": "rect", **ends, "line": {"width": 3, **line}}


def _bar(name: str, high: float, signed: bool, theme: Theme, number_format: str) -> dict[str, object]:
    ends = [-high, 0, high] if signed else [0, high]
    return {
        "orientation": "h",
        "title": {"text": name, "side": "top", "font": {"size": TITLE_SIZE, "color": theme.muted}},
        "tickfont": {"size": TITLE_SIZE, "color": theme.muted},
        "tickvals": ends,
        "ticktext": ["0" if end == 0 else written(end, number_format) for end in ends],
        "thickness": 8,
        "outlinewidth": 0,
        "y": 1.0,
        "yanchor": "bottom",
        "ypad": 6,
        "len": 0.9,
    }
