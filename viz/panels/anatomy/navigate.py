"""The way through the walk: back, on, and the list of steps."""

from __future__ import annotations

import streamlit as st

from encoder.experiments.anatomy.names import STEPS, TITLES, StepKey
from viz.state import session


def navigate(step: StepKey) -> None:
    """Previous and next, by click or arrow key, and a list of all steps between them."""
    at = STEPS.index(step)
    back, listed, on = st.columns([2, 6, 2], vertical_alignment="center")
    with back:
        _button("Previous", STEPS[max(at - 1, 0)], shortcut="Left", disabled=at == 0)
    with listed:
        st.selectbox(
            "Step", STEPS, format_func=_numbered, label_visibility="collapsed", **session.bound("walk", options=STEPS)
        )
    with on:
        _button("Next", STEPS[min(at + 1, len(STEPS) - 1)], shortcut="Right", disabled=at == len(STEPS) - 1)
    st.progress((at + 1) / len(STEPS))


def _button(label: str, to: StepKey, *, shortcut: str, disabled: bool) -> None:
    st.button(
        label,
        key=f"walk_{label.lower()}",
        shortcut=shortcut,
        width="stretch",
        disabled=disabled,
        on_click=session.change,
        kwargs={"walk": to},
    )


def _numbered(step: StepKey) -> str:
    return f"{STEPS.index(step) + 1} of {len(STEPS)} · {TITLES[step]}"
