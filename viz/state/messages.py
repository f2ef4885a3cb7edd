"""What a view of ours sends when somebody selects something in it: `shared/link.mjs` sends, the page listens.

A message is {"number": n, "changes": {...}}. The number goes back to the view with the next data, so that it knows
which of its messages have been read.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from encoder.measures.unit_attention import MEAN
from viz.state.codecs import UnreadableError
from viz.state.fields import FIELDS

logger = logging.getLogger(__name__)

RELEASED = -1  # as views write a position that is not pinned or chosen any more
RELEASABLE = ("query", "key", "at_a", "at_b")
CHANGEABLE = ("layer", "head", "heads", "query", "key", "pinned_in", "view", "at_a", "at_b", "row", "column")


def read_change(message: Mapping[str, Any]) -> dict[str, Any]:
    """The change that a view asks for, by the names of `viz.state.fields.FIELDS`.

    Args:
        message: what the browser sent, texts or numbers: -1 releases a position and stands for the mean of heads, ""
            for the heads that are shown with the selected one. Whatever stands for no value is logged and left out.
    """
    change = {}
    for name, value in message.items():
        try:
            change[name] = _read(name, value)
        except UnreadableError:
            logger.warning("A view asked for %.40s=%.40r, which stands for nothing.", name, value)
    return change


def _read(name: str, value: Any) -> Any:
    if name not in CHANGEABLE:
        raise UnreadableError
    if name in RELEASABLE and value == RELEASED:
        return None
    if name == "heads" and value == "":
        return "selected"
    return FIELDS[name].codec.decode("mean" if (name, value) == ("head", MEAN) else str(value))


def on_selection_message(key: str, apply: Callable[[Mapping[str, Any]], None]) -> Callable[[], None]:
    """A callback for a view's `on_selection_change`: applies its changes, and remembers the message's number."""

    def read_message() -> None:
        message = (st.session_state.get(key) or {}).get("selection")
        if isinstance(message, Mapping) and isinstance(message.get("changes"), Mapping):
            st.session_state[f"{key}_answered"] = message.get("number")
            apply(message["changes"])

    return read_message


def answered(key: str) -> Any:
    """The number of the view's last message that was read, or None."""
    return st.session_state.get(f"{key}_answered")
