"""The decoder: an encoder-decoder writes a text from another text; its three attentions are shown step by step."""

from __future__ import annotations

import streamlit as st

from encoder.runs.generation import Generation
from viz.answers import decoder as answers
from viz.panels.answer import show_answer
from viz.panels.decoder.pictures import layers_of_picture, show_alignment, show_picture, show_small_map
from viz.panels.decoder.texts import show_lens, show_texts
from viz.state import session
from viz.state.selection import Selection
from viz.wording.explanations import Explanation
from viz.wording.labels import make_visible

__all__ = ["decoder", "layers_of_picture", "show_alignment", "show_lens", "show_small_map", "show_texts"]


def decoder(generation: Generation, selection: Selection) -> Explanation | None:
    """The choice of a step, what it reads and writes, and the attention at that step."""
    step, last = answers.step_shown(generation, selection.decoder.step), len(generation.written) - 1
    with st.container(horizontal=True, wrap=False, vertical_alignment="bottom"):
        _button("Back", generation, max(step - 1, 0), disabled=step == 0)
        _slider(generation, step)
        _button("Next", generation, min(step + 1, last), disabled=step == last)
    show_answer(answers.step(generation, step), view="decoder", place="")
    return show_picture(generation, selection, step=step)


def _slider(generation: Generation, current: int) -> None:
    labels = generation.written.labels
    session.set_value("decoder_step", current)

    def show_step() -> None:
        if session.is_user_change("decoder_step"):
            _look_at_step(generation, st.session_state["decoder_step"])

    if len(labels) > 1:  # a slider needs two ends
        st.select_slider(
            "Step by step: the token that is written",
            range(len(labels)),
            format_func=lambda step: f"{step + 1} · {make_visible(labels[step])}",
            key="decoder_step",
            on_change=show_step,
        )


def _button(label: str, generation: Generation, to: int, *, disabled: bool) -> None:
    st.button(
        label,
        key=f"decoder_{label.lower()}",
        disabled=disabled,
        on_click=_look_at_step,
        args=(generation, to),
    )


def _look_at_step(generation: Generation, step: int) -> None:
    """Look at a step: the token that it reads is pinned, so that its row stands out in every picture."""
    session.change(at_step=step, query=len(generation.source.tokens) + step, key=None, pinned_in="decoder")
