"""One head from the inside: a query, every key, their product dimension by dimension, the score and the weight.

Python sends a layer's queries and keys as they are; the browser computes what follows from them, so that choosing
another head or token sends nothing. `maths.mjs` computes, `scene.mjs` derives what a choice
shows, `draw.mjs` renders, `view.mjs` applies user input.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component

_VIEW: Final = component(Path(__file__).parent, html='<div class="view neuron"></div>')


def neuron_view(data: Mapping[str, Any], *, run: str, layers: int, key: str) -> None:
    """Mount the view; it waits for the layer that is selected.

    Args:
        data: from `viz.widgets.canvas.view_data`. Optional keys: `sentences`, the part of a pair that is shown,
            if the user cannot choose it; `first_queries`, the tokens to start with: the first shown one counts.
        run: the id of the layers' message, from `viz.payloads.layer`.
        layers: their number.
        key: Streamlit's key; the same key keeps the scroll position through a change of head.
    """
    _VIEW(key=key, data={**data, "id": run, "layers": layers})
