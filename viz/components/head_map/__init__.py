"""All layers and heads as small pictures on one canvas: the map of the model, and its model view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component
from viz.payloads.message import Message

_MAP: Final = component(Path(__file__).parent, html='<div class="view"></div>')


def head_map(
    data: Mapping[str, Any], *, message: Message, large: bool, key: str, on_selection: Callable[[], None]
) -> None:
    """Mount the map, whose `message` is in the store.

    Args:
        data: from `viz.panels.common.view_data`.
        large: as wide as the page, with names and buttons; else a small map without.
    """
    _MAP(key=key, data={**data, "id": message.id, "large": large}, on_selection_change=on_selection)
