"""Presentation mode: its keys, the line that describes the view, and the overlays.

It handles keys on every page, because one of them starts the mode. Layer and head change in the browser; Python
receives what it renders: whether the mode is on, and the stop of the tour.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component

KEY: Final = "stage"
_STAGE: Final = component(Path(__file__).parent, html='<div class="view audience"></div>')


def stage(data: Mapping[str, Any], *, on_asked: Callable[[], None]) -> None:
    """Mount the component, once on a page.

    Args:
        data: `on`, whether the mode is on;
            `scope`, the model that the page shows, "encoder" or "decoder", and its numbers of `layers` and `heads`;
            `seen`, as `words.mjs` describes it; `tour`, as `tour.mjs` does, or None.
        on_asked: called with the component's value `asked`: {"stage": true}, {"stage": false}, or, for a stop of the
            tour, {"stop": 3, "answered": false, "scope": "encoder", "after": the number of the last change}.
    """
    _STAGE(key=KEY, data=dict(data), on_asked_change=on_asked)
