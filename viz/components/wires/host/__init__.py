"""Synchronises the selection of all views in the browser, texts included, with Python.

Changes show in the browser at once. Python receives the last state after a short delay, and acknowledges the change
that it has read; later changes stay (`shared/page_selection.mjs`, `shared/host.mjs`). A message reruns the part of the
page that contains the component: `host` the part of the view, `texts_host` that of the runs, and `text_fields` the
whole page.
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
        selection: Python's selection, from `viz.state.messages.shared_selection`.
        scope: "encoder" or "decoder", the model of the selection.
        answered: the number of the last change that was read; None for none.
        eager: whether Python renders the view, and therefore needs changes at once.
        on_selection: called when the browser sends a change, or that bytes are missing.
    """
    data = {"scope": scope, "selection": dict(selection), "answered": answered, "eager": eager}
    _HOST(key=KEY, data=data, height=0, on_selection_change=on_selection)


def texts_host(
    texts: Mapping[str, Any],
    *,
    marks: Mapping[str, Mapping[str, Any]],
    slow: float | None,
    direct: str | None,
    alone: bool,
    on_selection: Callable[[], None],
) -> None:
    """Mount the host of the texts, which shows nothing; once on a page, after their run.

    Args:
        texts: from `viz.page.texts.texts_payload`.
        marks: from `viz.payloads.text_marks`, by the names of the fields; a text whose run failed has none.
        slow: seconds of a run, if that is too long for a run at every pause in typing; else None.
        direct: the address of `viz.page.direct`; None if the browser cannot use it.
        alone: whether the component is in a fragment that reruns alone.
        on_selection: called when the browser sends a text and `alone` holds.
    """
    data = {
        "marks": {name: dict(known) for name, known in marks.items()},
        "slow": slow,
        "direct": direct,
        "alone": alone,
    }
    _HOST(key=TEXTS_KEY, data={**texts, **data}, height=0, on_selection_change=on_selection)
