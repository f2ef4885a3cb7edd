"""The heat map, on a canvas: one head of a layer, with hover, cells that a click selects, and zoom.

Of a pair it shows the whole matrix or one block, such as the attention from B to A. Cells of a short text show their
numbers; 512 tokens fit any column. `view.mjs` mounts it and applies user input, `input.mjs`
maps pointer and keys to actions, `scene.mjs` derives what to render, `block.mjs` selects the cells, `cells.mjs` turns
them into an image with the colours of `scale.mjs`, `layout.mjs` positions them, `frame.mjs` is the zoom, `draw.mjs` and
`marks.mjs` render, and `words.mjs` writes tooltip, note and table. `card.mjs` is the card of the pinned cell, with the
heads of `ranking.mjs`, compared with a corpus by `percentiles.mjs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component

_CELLS: Final = component(Path(__file__).parent, html='<div class="view"></div>')


def cell_map(data: Mapping[str, Any], *, run: str, layers: int, place: str, key: str, title: str = "") -> None:
    """Mount the heat map; it waits for the layer that is selected.

    Args:
        key: Streamlit's; the others are those of `_cell_map_data`.
    """
    _CELLS(key=key, data=_cell_map_data(data, run=run, layers=layers, place=place, title=title))


def _cell_map_data(data: Mapping[str, Any], *, run: str, layers: int, place: str, title: str = "") -> dict[str, Any]:
    """The payload of the heat map.

    Args:
        data: from `view_data`. Optional keys:
            `sentences`, the block that is shown, if the user cannot choose it;
            `marks`, pairs [query, key] of units (indices into the whole matrix) whose cells are outlined;
            `marks_name`, required with them, the meaning of these cells, as in "where the written token comes from";
            `others`, the runs that this one is compared with, whose cells have the same size and colours, each with the
            `id` of its layers and its `texts`;
            `until`, the number of units so far (None: all): later rows are empty and cannot be selected, and the labels
            of their units, on both sides, are muted. No cell moves;
            `words`, the index of each token's word, None for special ones, if the weights can be compared with those of
            a corpus, and `quantiles`, the id of the message from `viz.payloads.head_cards.quantile_message`;
            `opens`, the views that the card of a cell opens: "why here", "anatomy";
            `cuts`, if links can be cut: the letter of the `run`, and all cut links as the address writes them, `shown`.
        run: the id of the layers' message, from `layers_message`.
        layers: their number.
        place: distinguishes two heat maps of a page; the zoom is stored for each.
        title: text after the name of the head, as in "L3 H7 · cross-attention".
    """
    return {**data, "id": run, "layers": layers, "title": title, "place": place}
