"""What ties the selection in the browser to Python: all views of a page share it, and this component alone speaks.

Changes show in the browser at once. Python hears of them when nothing was changed for a moment, the last state only,
and says which change it has read; what was changed since then stays (`shared/page_selection.mjs`, `shared/host.mjs`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component

KEY: Final = "host"
_HOST: Final = component(Path(__file__).parent, html='<div class="view" hidden></div>')


def host(
    selection: Mapping[str, Any], *, scope: str, answered: int | None, eager: bool, on_selection: Callable[[], None]
) -> None:
    """Mount the host, which shows nothing; once on a page.

    Args:
        selection: what Python holds, from `viz.state.messages.shared_selection`.
        scope: "encoder" or "decoder", whose selection it is.
        answered: the number of the last change that was read; None for none.
        eager: whether Python draws the picture, so that it is to hear of a change at once.
        on_selection: called when the browser tells of a change, or that bytes are missing.
    """
    data = {"scope": scope, "selection": dict(selection), "answered": answered, "eager": eager}
    _HOST(key=KEY, data=data, height=0, on_selection_change=on_selection)
