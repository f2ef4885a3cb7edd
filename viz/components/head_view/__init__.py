"""The head view: tokens on both sides, and a line from every query to every key that it looks at.

`view.mjs` draws it, from a layer that `viz.components.wires.store` receives: a change of head sends nothing.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component

_VIEW: Final = component(Path(__file__).parent, html='<div class="view head-view"></div>')


def head_view(data: Mapping[str, Any], *, run: str, layers: int, place: str, key: str) -> None:
    """Mount the view; it waits for the layer that is selected.

    Args:
        data: from `viz.widgets.canvas.view_data`. Optional keys: `sentences`, the part of a pair that is shown,
            if the user cannot choose it; `until`, the number of units so far (None: all): later queries have no lines
            and cannot be pinned, and their labels, on both sides, are muted. No token moves; `others`, the runs that
            this one is compared with, whose rows have the same height, each with the `id` of its layers and `texts`;
            `cuts`, as of `viz.components.cell_map`.
        run: the id of the layers' message, from `viz.payloads.layer`.
        layers: their number.
        place: the key under which the browser stores the scroll position and the shown lines.
        key: Streamlit's key; the same key keeps the view through a change of text.
    """
    _VIEW(key=key, data={**data, "id": run, "layers": layers, "place": place})
