"""The way through the anatomy: previous, next, and the list of steps."""

from __future__ import annotations

import streamlit as st

from encoder.experiments.anatomy.names import STEPS as KEYS
from encoder.experiments.anatomy.names import StepKey
from viz.panels.anatomy.steps import STEPS
from viz.state import session


def navigate(step: StepKey) -> None:
    """Previous and next, by click or arrow key, and a list of all steps between them."""
    index = KEYS.index(step)
    left, middle, right = st.columns([2, 6, 2], vertical_alignment="center")
    with left:
        _button("Previous", KEYS[max(index - 1, 0)], shortcut="Left", disabled=index == 0)
    with middle:
        st.selectbox("Step", KEYS, format_func=_numbered, key="walk", label_visibility="collapsed")
    with right:
        _button("Next", KEYS[min(index + 1, len(KEYS) - 1)], shortcut="Right", disabled=index == len(KEYS) - 1)
    st.progress((index + 1) / len(KEYS))


def _button(label: str, target: StepKey, *, shortcut: str, disabled: bool) -> None:
    st.button(
        label,
        key=f"anatomy_{label.lower()}",
        shortcut=shortcut,
        width="stretch",
        disabled=disabled,
        on_click=session.update,
        kwargs={"walk": target},
    )


def _numbered(step: StepKey) -> str:
    return f"{KEYS.index(step) + 1} of {len(KEYS)} · {STEPS[step].title}"
