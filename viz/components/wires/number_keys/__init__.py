"""The keys 1 to 9 select an option of a segmented control, unless the user is typing in a field.

They can be switched off, which the browser stores.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from viz.components.registered import component

_KEYS: Final = component(Path(__file__).parent, html='<div class="view"></div>')


def number_keys(choice: str) -> None:
    """Handle the keys; shows nothing.

    Args:
        choice: the Streamlit key of a segmented control, of letters, digits, "_" and "-".
    """
    _KEYS(key=f"number_keys_{choice}", data={"choice": choice, "label": None}, height=0)


def number_keys_switch(label: str) -> None:
    """A checkbox that switches the keys of all controls on or off."""
    _KEYS(key="number_keys_switch", data={"choice": None, "label": label})
