"""The keys 1 to 9 choose among the options of a choice on the page, unless somebody types in a field.

They can be switched off, which the browser remembers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from viz.components.registered import component

_KEYS: Final = component(Path(__file__).parent, html='<div class="view"></div>')


def number_keys(choice: str) -> None:
    """Listen to the keys; shows nothing.

    Args:
        choice: the Streamlit key of a segmented control, of letters, digits, "_" and "-".
    """
    _KEYS(key=f"number_keys_{choice}", data={"choice": choice, "label": None}, height=0)


def number_keys_switch(label: str) -> None:
    """A box to tick, with that label, which switches the keys of all choices."""
    _KEYS(key="number_keys_switch", data={"choice": None, "label": label})
