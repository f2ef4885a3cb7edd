"""What was read and what was written, and what would be written from earlier layers."""

from __future__ import annotations

import streamlit as st

from encoder.runs.generation import Generation
from encoder.shipped.seq2seq import Seq2SeqBackend, exact_match, lens_exact_match
from encoder.text.tokens import Tokens
from viz.answers import decoder as answers
from viz.caches import experiment_cache
from viz.components.token_strip import token_strip
from viz.panels.answer import show_answer
from viz.panels.tables import folded
from viz.payloads.tokens import payload
from viz.state.selection import Selection

LENS_TITLE = "What would it write from an earlier layer? (DecoderLens)"


def show_texts(generation: Generation, selection: Selection) -> None:
    """The tokens of both texts, and what should be known about them."""
    for name, tokens in (("Read", generation.source.tokens), ("Written", generation.written)):
        _strip(name, tokens)
    is_ours = isinstance(experiment_cache.writer(generation.model_name), Seq2SeqBackend)
    accuracy = exact_match(selection.decoder.task) if is_ours else None
    show_answer(answers.text(generation, accuracy), view="decoder", place="")


def _strip(name: str, tokens: Tokens) -> None:
    left, right = st.columns((1, 14), vertical_alignment="center")
    left.markdown(f"**{name}**")
    with right:
        token_strip(payload(tokens), key=f"strip_{name.lower()}")


def show_lens(generation: Generation, selection: Selection) -> None:
    """The text from each state of the encoder; of the model that ships alone, and not before an audience."""
    model = experiment_cache.writer(generation.model_name)
    if not isinstance(model, Seq2SeqBackend) or selection.stage:
        return
    part = folded(LENS_TITLE, key="decoder_lens")
    if not part.open:
        return
    task = selection.decoder.task
    texts = experiment_cache.texts_by_layer(model, task, selection.decoder.source)
    with part:
        answer = answers.lens(texts, lens_exact_match(task, len(texts) - 1), generation.expected)
        show_answer(answer, view="decoder", place="")
