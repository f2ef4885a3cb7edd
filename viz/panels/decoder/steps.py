"""The choice of a step, and the likeliest tokens at that step."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from encoder.runs.generation import Candidate, Generation
from viz.state import session
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown, make_visible

NONE_YET = "nothing yet"
SMALLEST_SHOWN = 0.0005  # half of the last of three digits


def choose_step(generation: Generation, selection: Selection) -> int:
    """The choice of a step, what it reads and what it writes. Returns the step, counted from 0."""
    last = len(generation.written) - 1
    step = selection.decoder.step
    at = last if step is None else min(step, last)
    with st.container(horizontal=True, wrap=False, vertical_alignment="bottom"):
        _button("Back", generation, max(at - 1, 0), disabled=at == 0)
        _slider(generation, at)
        _button("Next", generation, min(at + 1, last), disabled=at == last)
    read, written = (make_visible(tokens.labels[at]) for tokens in (generation.target.tokens, generation.written))
    before = " ".join(make_visible(label) for label in generation.written.labels[:at]) or NONE_YET
    st.markdown(
        f"**Step {at + 1} of {last + 1}.** Written so far: {escape_markdown(before)}. The decoder reads "
        f"**{escape_markdown(read)}** and writes **{escape_markdown(written)}**. "
        f"Likeliest: {', '.join(map(_named, _worth_naming(generation.candidates[at])))}."
    )
    return at


def _slider(generation: Generation, current: int) -> None:
    labels = generation.written.labels
    session.put("decoder_step", current)

    def show_step() -> None:
        if session.tells_a_choice("decoder_step"):
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


def _worth_naming(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The likeliest, and those whose probability is not 0.000 in three digits."""
    return [
        candidate for rank, candidate in enumerate(candidates) if rank == 0 or candidate.probability >= SMALLEST_SHOWN
    ]


def _named(candidate: Candidate) -> str:
    return f"{escape_markdown(make_visible(candidate.label))} {candidate.probability:.3f}"
