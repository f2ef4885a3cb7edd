"""The way back from a view to the selection: `shared/link.mjs` sends, the page listens.

A view sends what somebody selected in it as {"number": n, "changes": {...}}; what the changes may be is for
`viz.state.session.take` to say. The number goes back to the view with the next data, so that it knows what has been
heard.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

Take = Callable[[Mapping[str, Any]], None]


def listener(key: str, take: Take) -> Callable[[], None]:
    """A callback for a view's `on_selection_change`: hands its changes to `take`, and remembers the number."""

    def heard() -> None:
        message = (st.session_state.get(key) or {}).get("selection")
        if isinstance(message, Mapping) and isinstance(message.get("changes"), Mapping):
            st.session_state[f"{key}_answered"] = message.get("number")
            take(message["changes"])

    return heard


def answered(key: str) -> Any:
    """The number of the view's last message that was read, or None."""
    return st.session_state.get(f"{key}_answered")
