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
        data: from `viz.panels.common.view_data`. Optional besides: `sentences`, the part of a pair that is drawn, where
            it is not to be chosen; `until`, how many units exist so far (None: all): queries from there on have no
            lines and cannot be pinned, and the labels of those units, on both sides, are muted. No token moves.
        run: the id of the layers' message, from `viz.payloads.layer`.
        layers: how many there are.
        place: under which the browser remembers how far the view was scrolled and which lines it drew.
        key: Streamlit's key; the same key keeps the view through a change of text.
    """
    _VIEW(key=key, data={**data, "id": run, "layers": layers, "place": place})
