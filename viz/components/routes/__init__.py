"""Routes: tokens from left to right, layers upwards, and a line for each link that carries an output.

Python sends the strongest links once; the slider, the sum over heads and hovering send nothing. `scene.mjs` derives
lines and places, `draw.mjs` renders, `words.mjs` writes, `view.mjs` applies user input.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component
from viz.payloads.message import Message

_VIEW: Final = component(Path(__file__).parent, html='<div class="view routes"></div>')


def routes(data: Mapping[str, Any], *, message: Message, key: str, cuts: Mapping[str, str] | None = None) -> None:
    """Mount the view.

    Args:
        data: from `viz.widgets.canvas.view_data`; without `texts` no line can be selected, because the page
            shows another run.
        message: from `viz.payloads.routes`, which the store receives.
        key: Streamlit's.
        cuts: if links can be cut: the letter of the `run`, and all cut links as the address writes them, `shown`.
    """
    _VIEW(key=key, data={**data, "id": message.id, "cuts": cuts})
