"""What a view shows first is painted before the rest of it is worked out and drawn."""

from __future__ import annotations

from time import sleep

import streamlit as st

PAINTING = 0.1  # seconds: two frames, and what a browser takes for a chart or two
PAINTED = "first_answers"  # in the session


def let_paint(answer: object, *, key: str) -> None:
    """Hold the run back for a moment where the view's first answer is a new one, so that the browser paints that.

    A browser renders all that has come since its last frame in one task: sent at once, the charts of a test that stands
    below hold up the answer that people wait for. Until the rest comes, what the page had there before stays.

    Args:
        answer: plain values that the answer follows from.
        key: of the answer, which tells several on a page apart.
    """
    painted: dict[str, object] = st.session_state.setdefault(PAINTED, {})
    if painted.get(key) != answer:
        painted[key] = answer
        sleep(PAINTING)
