"""What ties the selection in the browser to Python, texts included: all views of a page share it.

Changes show in the browser at once. Python hears of them when nothing was changed for a moment, the last state only,
and says which change it has read; what was changed since then stays (`shared/page_selection.mjs`, `shared/host.mjs`).
A message goes to the part of the page that is to be drawn anew: `host` stands in that of the picture, `texts_host` in
that of the runs, and `text_fields` reaches the whole page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from viz.components.registered import component

KEY: Final = "host"
TEXTS_KEY: Final = "texts_host"
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


def texts_host(
    told: Mapping[str, Any],
    *,
    marks: Mapping[str, Mapping[str, Any]],
    slow: float | None,
    direct: str | None,
    alone: bool,
    on_selection: Callable[[], None],
) -> None:
    """Mount the host of the texts, which shows nothing; once on a page, after their run.

    Args:
        told: of the texts, from `viz.page.texts.told`.
        marks: from `viz.payloads.text_marks`, by the names of the fields; a text that could not be run has none.
        slow: seconds that a run takes where that is too long for one with every pause of the keys.
        direct: the address of `viz.page.direct`, where the page's picture can be had there.
        alone: whether the part of the page that this is in is drawn by itself.
        on_selection: called when the browser tells of a text, where it is.
    """
    data = {
        "marks": {name: dict(known) for name, known in marks.items()},
        "slow": slow,
        "direct": direct,
        "alone": alone,
    }
    _HOST(key=TEXTS_KEY, data={**told, **data}, height=0, on_selection_change=on_selection)
