"""One head from the inside: a query, every key, their product dimension by dimension, the score and the weight.

Python sends the head's queries and keys as they are; the browser computes what follows from them, so that choosing
another token sends nothing. `maths.mjs` computes, `scene.mjs` says what follows from a choice, `picture.mjs` draws,
`view.mjs` follows what people do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from encoder.measures.units import Special
from viz.components.registered import component
from viz.payloads.message import Message

_VIEW: Final = component(Path(__file__).parent, html='<div class="view neuron"></div>')


def neuron_view(
    data: Mapping[str, Any], *, message: Message, special: Special, key: str, on_selection: Callable[[], None]
) -> None:
    """Mount the view, whose `message` is in the store.

    Args:
        data: from `viz.panels.common.view_data`.
        special: whether special tokens are shown, and whether the other weights are scaled to sum to 1 without them.
        key: Streamlit's key; the same key keeps the scroll position through a change of head.
    """
    _VIEW(key=key, data={**data, "id": message.id, "special": special}, on_selection_change=on_selection)
