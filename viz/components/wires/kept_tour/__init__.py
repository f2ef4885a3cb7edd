"""Stores the user's tours in the browser, for all its tabs, until they are deleted.

The server does not store them. Text typed into the editor is stored at every key press.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from viz.components.registered import component

KEY: Final = "kept_tour"
_KEPT: Final = component(Path(__file__).parent)


def kept_tour(
    name: str,
    text: str | None,
    *,
    revision: int,
    visit: str,
    awaited: bool,
    place: tuple[int, int] | None,
    on_stored: Callable[[], None],
) -> None:
    """Mount the component, which shows nothing.

    Args:
        name: of the current tour.
        text: of that tour; "" for none, None until the session has received the stored tours.
        revision: a change of it stores the text, 0 is that of a stored one; typed text is stored already.
        visit: a name of the session.
        awaited: whether the page waits for an answer, even if nothing is stored.
        place: the number of the stop to which the editor scrolls, and its line in the text; None without an editor.
        on_stored: called when the browser has answered {"visit": ..., "tours": [[name, text], ...]}. The component's
            other values: `refused`, whether the browser did not store the last change, and `asked`, the number of the
            last request to save the tour.
    """
    data = {"name": name, "text": text, "revision": revision, "visit": visit, "awaited": awaited, "place": place}
    values = {"on_refused_change": lambda: None, "on_asked_change": lambda: None}
    _KEPT(key=KEY, data=data, on_stored_change=on_stored, **values)
