"""What the page does when the browser sends a change of the selection, by whichever component."""

from __future__ import annotations

import streamlit as st

from viz.page.tours.navigation import note_pin
from viz.state import session


def receive_change(key: str) -> None:
    """Apply a change: the callback of the component with that key."""
    message = (st.session_state.get(key) or {}).get("selection")
    session.apply_browser_change(message)
    match message:
        case {"changes": {"query": _}}:
            note_pin()
