"""The heat map, on a canvas: one head of a layer, with hover, a cell that a click selects, and zoom where it helps.

Of a pair it draws all of the layer's square matrix or one block of it, such as the attention from B to A. Cells of a
short text hold their numbers; 512 tokens fit any column. `view.mjs` mounts it and follows what people do, `input.mjs`
listens, `scene.mjs` gathers what there is to draw, `block.mjs` says which cells, `cells.mjs` makes their picture,
`layout.mjs` gives them their places, `frame.mjs` and `viewport.mjs` are the zoom, `draw.mjs`, `labels.mjs`,
`marks.mjs` and `overlay.mjs` draw, `words.mjs` says it in words, and `parts.mjs` are the elements on the page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component
from viz.payloads.message import Message

_CELLS: Final = component(Path(__file__).parent, html='<div class="view"></div>')


def cell_map(
    data: Mapping[str, Any], *, message: Message, title: str, place: str, key: str, on_selection: Callable[[], None]
) -> None:
    """Mount the heat map, below the store that received the message.

    Args:
        data: from `view_data`: the selection, of which it draws `head` (-1 for the mean), `sentences` (which block),
            `query` and `key`, and the colours. Optional besides:
            `marks`, pairs [query, key] of units (indices into the whole matrix) whose cells are outlined;
            `marks_name`, needed with them, what such a cell is, as in "where the written token comes from";
            `until`, how many units exist so far (None: all): rows from there on are empty and cannot be selected, and
            the labels of those units, on both sides, stand back. No cell moves.
        message: a layer's, from `layer_message`; only its id is sent, so that another head costs a few hundred bytes.
        title: of the picture, such as "L3 H7".
        place: tells two of them on one page apart; the part in view is kept for each.
        on_selection: called when somebody selects a cell (query, key, pinned_in) or releases it (-1, -1).
    """
    payload = dict(data) | {"id": message.id, "title": title, "place": place}
    _CELLS(key=key, data=payload, on_selection_change=on_selection)
