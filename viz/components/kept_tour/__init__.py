"""Keeps the tour that is being made in the browser: for its tab, where it survives a reload, and for later tabs.

The server writes it nowhere. A new tab has the tour that was changed last in any tab; those of two other tabs come with
it. A session that has no tour yet is sent the one that was kept, and what stood in a field of
the editor that was not left; where it waits for that, also that there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from viz.components.registered import component

KEY: Final = "kept_tour"
_KEPT: Final = component(Path(__file__).parent)


def kept_tour(text: str | None, *, visit: str, awaited: bool, on_kept: Callable[[], None]) -> None:
    """Mount the keeper, which shows nothing.

    Args:
        text: the tour's file; "" where it was deleted, None where the session has not heard what was kept.
        visit: a name of the session.
        awaited: whether the page waits for an answer, also where nothing was kept.
        on_kept: called when the browser has answered {"visit": ..., "text": ..., "draft": ..., "older": [...]}. The
            draft is None, or {"field": ..., "text": ...} with the Streamlit key of a field of the editor; older are the
            files of other tabs, the newest last.
    """
    _KEPT(key=KEY, data={"text": text, "visit": visit, "awaited": awaited}, on_kept_change=on_kept)
