"""All layers and heads as thumbnails on one canvas: the map of all heads, and the model view.

It is the page's choice of layer and head, and of the part of a pair that is shown. `view.mjs` applies user input,
`tiles.mjs` lays out and colours the heads, `typing.mjs` reads typed numbers, `draw.mjs` renders the map and each head's
corpus label, `words.mjs` writes names and measures.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from viz.components.registered import component
from viz.payloads.message import Message

_MAP: Final = component(Path(__file__).parent, html='<div class="view"></div>')


def head_map(
    data: Mapping[str, Any],
    *,
    message: Message,
    large: bool,
    key: str,
    enabled: bool = True,
    filter: Literal["enabled", "disabled"] | None = None,
    hint: bool = True,
    labels: Mapping[str, Any] | None = None,
) -> None:
    """Mount the map.

    Args:
        data: from `viz.panels.canvas.view_data`.
        message: from `viz.payloads.model_map`, which the store receives.
        large: as wide as the page, with names and buttons; else a small map without them.
        enabled: whether the page's view follows the choice of layer and head.
        filter: whether the part of a pair can be chosen below the map; None without such a choice.
        labels: what each head does over a corpus, from `viz.payloads.head_cards.labels`; None without an atlas.
        hint: whether the keys are named below the map; screen readers read them in any case.
    """
    options = {"large": large, "enabled": enabled, "filter": filter, "hint": hint, "labels": labels}
    _MAP(key=key, data={**data, "id": message.id, **options})
