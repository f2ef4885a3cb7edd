"""What was read and what was written, and whether that is right."""

from __future__ import annotations

import streamlit as st

from encoder.runs.generation import Generation
from encoder.shipped.seq2seq import Seq2SeqBackend, exact_match
from encoder.text.tokens import Tokens
from viz.caches import experiment_cache
from viz.components.token_strip import token_strip
from viz.payloads.tokens import payload
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown


def show_texts(generation: Generation, selection: Selection) -> None:
    """The tokens of both texts, and what should be known about them."""
    for name, tokens in (("Read", generation.source.tokens), ("Written", generation.written)):
        _strip(name, tokens)
    truncated = generation.source.tokens.truncated[0]
    if truncated:
        st.warning(f"The text is too long: its last {truncated:,} tokens are cut off.")
    if not generation.complete:
        st.warning(f"It was stopped after {len(generation.written)} tokens, before its end token.")
    sentences = [_verdict(generation)]
    if isinstance(experiment_cache.writer(generation.model_name), Seq2SeqBackend):
        figure = exact_match(selection.decoder.task)
        sentences.append(
            f"It does this task to the letter on {figure.value:.1%} of {figure.n:,} items: {figure.test_set}."
        )
    st.caption(" ".join([*filter(None, sentences), *generation.notes]))


def _strip(name: str, tokens: Tokens) -> None:
    left, right = st.columns((1, 14), vertical_alignment="center")
    left.markdown(f"**{name}**")
    with right:
        token_strip(payload(tokens), key=f"strip_{name.lower()}")


def _verdict(generation: Generation) -> str:
    if generation.expected is None:
        return ""
    if generation.written.sentences[0] == generation.expected:
        return "**Right.**"
    return f"**Wrong:** it should have written “{escape_markdown(generation.expected)}”."
