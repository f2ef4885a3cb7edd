"""The keys 1 to 9 open a view, unless the user is typing in a field. A list names them, at `?` or while Alt is held.

They can be switched off, which the browser stores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from viz.components.registered import component

KEY: Final = "number_keys"
_KEYS: Final = component(Path(__file__).parent, html='<div class="view"></div>')


def number_keys(titles: Sequence[str], *, on_asked: Callable[[], None]) -> None:
    """Handle the keys.

    Args:
        titles: of the views that the keys open.
        on_asked: called with the component's value `asked`, the index of a title.
    """
    _KEYS(key=KEY, data={"titles": list(titles), "label": None}, on_asked_change=on_asked)


def number_keys_switch(label: str) -> None:
    """A checkbox that switches the keys on or off."""
    _KEYS(key="number_keys_switch", data={"titles": [], "label": label}, on_asked_change=lambda: None)
