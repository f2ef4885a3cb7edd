"""The page before an audience: its keys, the line that says what is seen, and what lies over the picture.

The keys are heard on every page, because one of them begins. Layer and head change in the browser; Python hears of what
it draws: whether the page is shown to an audience, and where the tour is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component

KEY: Final = "stage"
_STAGE: Final = component(Path(__file__).parent, html='<div class="view audience"></div>')


def stage(data: Mapping[str, Any], *, on_asked: Callable[[], None]) -> None:
    """Mount it, once on a page.

    Args:
        data: `on`, whether the page is shown to an audience;
            `scope`, whose selection the page shows, "encoder" or "decoder", and how many `layers` and `heads` it has;
            `seen`, as `words.mjs` describes it; `tour`, as `tour.mjs` does, or None.
        on_asked: called with the component's value `asked`: {"stage": true}, {"stage": false}, or, for a stop of the
            tour, {"stop": 3, "answered": false, "scope": "encoder", "after": the number of the last change}.
    """
    _STAGE(key=KEY, data=dict(data), on_asked_change=on_asked)
