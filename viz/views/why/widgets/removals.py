"""A slider over the removals of the test, and a button that opens the remaining text."""

from __future__ import annotations

import streamlit as st

from encoder.attribution.questions import Question
from encoder.attribution.target import Target
from viz.state import session
from viz.state.selection import Selection
from viz.views.why.steps import Order, remainder
from viz.widgets import change_button
from viz.widgets.recipe import show_or_explain

SLIDER = "why_removed"


def choose_removals(model_name: str, question: Question, target: Target, order: Order, selection: Selection) -> None:
    """The number of removed words, and the remaining text."""
    removed = min(selection.why.removed, len(order))
    session.note_shown(removed=removed)
    session.set_value(SLIDER, removed)  # sent on each run: a slow browser may miss a value that was sent once
    st.slider("Words removed, the one that adds most first", 0, len(order), key=SLIDER, on_change=_change_removed)
    left = show_or_explain(remainder(question, target, order[:removed], selection), model_name, view="why")
    if left is None or not left.text[0]:
        return
    a, b = left.text
    change_button(
        "Show this text in the heat map",
        {"a": a, "b": b or "", "view": "heat map"},
        key="why_open",
        help="The browser's Back returns to this view.",
    )
    if not left.is_read_alike:
        st.caption(
            "Read as a new text, some of it is split into other pieces, so the heat map shows a slightly different run."
        )


def _change_removed() -> None:
    if session.is_user_change(SLIDER):
        session.change(removed=st.session_state[SLIDER])
