"""Changes of the selection that any component in the browser sends."""

from __future__ import annotations

import streamlit as st

from viz.page.tours.navigation import note_pin
from viz.state import session


def receive_change(key: str) -> None:
    """Apply a change: the callback of the component with a key."""
    message = (st.session_state.get(key) or {}).get("selection")
    session.apply_browser_change(message)
    match message:
        case {"changes": {"query": _}}:
            note_pin()
