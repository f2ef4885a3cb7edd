"""The way through the anatomy: previous, next, and the list of steps."""

from __future__ import annotations

import streamlit as st

from encoder.experiments.anatomy.names import STEPS as KEYS
from encoder.experiments.anatomy.names import StepKey
from viz.answers.anatomy.steps import STEPS
from viz.state import session


def navigate(step: StepKey) -> None:
    """Previous and next, by click or arrow key, and a list of all steps between them."""
    index = KEYS.index(step)
    with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
        _button("Previous", KEYS[max(index - 1, 0)], shortcut="Left", disabled=index == 0)
        st.selectbox(
            "Step", KEYS, format_func=_numbered, label_visibility="collapsed", **session.bound("walk", options=KEYS)
        )
        _button("Next", KEYS[min(index + 1, len(KEYS) - 1)], shortcut="Right", disabled=index == len(KEYS) - 1)
    st.progress((index + 1) / len(KEYS))


def _button(label: str, target: StepKey, *, shortcut: str, disabled: bool) -> None:
    st.button(
        label,
        key=f"anatomy_{label.lower()}",
        shortcut=shortcut,
        disabled=disabled,
        on_click=session.change,
        kwargs={"walk": target},
    )


def _numbered(step: StepKey) -> str:
    return f"{KEYS.index(step) + 1} of {len(KEYS)} · {STEPS[step].title}"
