"""The main column around a view: what the model reads, and the choice of view, layer and head."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import streamlit as st

from encoder import Backend, Tokens, Trace
from encoder.measures.attention import MEAN
from viz.components.token_strip import payload, token_strip
from viz.labels import verbatim
from viz.state import Selection, View

WHOLE_MODEL = ("norms", "predictions")  # views that show every layer, or none

STYLE = """<style>
.stMainBlockContainer { padding: 4rem 1.5rem 2rem; }
[data-testid="stSidebarHeader"] { height: 2rem; margin-bottom: 0; }
</style>"""


def style() -> None:
    """Less empty space above the page than Streamlit leaves."""
    st.html(STYLE)


def introduce(traces: Sequence[Trace]) -> None:
    """The tokens of every run, and what should be known about them."""
    for problem in st.session_state.pop("link_problems", ()):
        st.warning(verbatim(f"Link: {problem}"))
    for index, trace in enumerate(traces):
        apart = None if len(traces) == 1 else index
        token_strip(payload(trace.tokens, sentence=apart), key=f"strip_{index}")
        _tell_cuts(trace.tokens, "AB" if apart is None else "AB"[apart])
    for note in traces[0].notes:
        st.warning(note)


def _tell_cuts(tokens: Tokens, letters: str) -> None:
    for letter, cut, sentence in zip(letters, tokens.truncated, range(2), strict=False):
        if cut:
            kept = tokens.sentence_ids.count(sentence)
            st.warning(
                f"Sentence {letter} is too long: its first {kept:,} tokens are read, its last {cut:,} are cut off "
                f"(the model reads {tokens.max_length} tokens in all, special tokens included)."
            )
    if tokens.typed_special:
        named = verbatim(", ".join(tokens.typed_special))
        st.caption(f"{named} in the text is read as the model's own token, not as letters.")


def controls(backend: Backend, selection: Selection) -> None:
    """The choice of view, layer and head. Layer and head stay where they are where a view shows all of them."""
    st.segmented_control(
        "View",
        get_args(View),
        format_func=str.capitalize,
        key="view",
        required=True,
        label_visibility="collapsed",
    )
    whole_model = selection.view in WHOLE_MODEL
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Layer", width="content")
        st.segmented_control(
            "Layer",
            range(backend.num_layers),
            key="layer",
            required=True,
            disabled=whole_model,
            label_visibility="collapsed",
        )
        st.markdown("Head", width="content")
        st.segmented_control(
            "Head",
            [MEAN, *range(backend.num_heads)],
            format_func=lambda head: "mean" if head == MEAN else str(head),
            key="head",
            required=True,
            disabled=whole_model,
            label_visibility="collapsed",
        )
