"""All layers and heads as thumbnails on one canvas: the map of all heads, and the model view.

It is the page's choice of layer and head, and of the part of a pair that is shown. `view.mjs` applies user input,
`tiles.mjs` lays out and colours the heads, `typing.mjs` reads typed numbers, `draw.mjs` renders the map and each head's
corpus label, `words.mjs` writes names and measures.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component
from viz.payloads.message import Message

_MAP: Final = component(Path(__file__).parent, html='<div class="view"></div>')


def head_map(
    data: Mapping[str, Any],
    *,
    message: Message,
    large: bool,
    key: str,
    filter: bool = False,
    labels: Mapping[str, Any] | None = None,
) -> None:
    """Mount the map.

    Args:
        data: from `viz.widgets.canvas.view_data`.
        message: from `viz.payloads.model_map`, which the store receives.
        large: as wide as the page, with names and buttons; else a small map without them.
        filter: whether the part of a pair can be chosen below the map.
        labels: what each head does over a corpus, from `viz.payloads.head_cards.labels`; None without an atlas.
    """
    options = {"large": large, "filter": filter, "labels": labels}
    _MAP(key=key, data={**data, "id": message.id, **options})
