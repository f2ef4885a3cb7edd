"""DecoderLens: what the decoder writes from earlier states of the encoder, beside the right answer."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from encoder.experiments.decoder_lens import WrittenText
from encoder.runs.generation import Generation
from encoder.shipped.card import Figure
from encoder.shipped.seq2seq import Seq2SeqBackend, lens_exact_match
from viz.caches import experiment_cache
from viz.panels.tables import folded
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown

TITLE = "What would it write from an earlier layer? (DecoderLens)"


def show_lens(generation: Generation, selection: Selection) -> None:
    """The text from each state of the encoder; of the model that ships alone, and not before an audience."""
    model = experiment_cache.writer(generation.model_name)
    if not isinstance(model, Seq2SeqBackend) or selection.stage:
        return
    part = folded(TITLE, key="decoder_lens")
    if not part.open:
        return
    task = selection.decoder.task
    texts = experiment_cache.texts_by_layer(model, task, selection.decoder.source)
    figures = lens_exact_match(task, len(texts) - 1)
    with part:
        table = lens_table(texts, figures, generation.expected)
        st.dataframe(table, hide_index=True, key="decoder_lens")
        right = "" if generation.expected is None else f"The right answer: “{escape_markdown(generation.expected)}”. "
        st.caption(
            f"{right}The decoder reads an earlier state of the encoder, behind the encoder's final layer norm, and "
            f"writes from it; the last row is what it writes otherwise. Exact match is that of this task on "
            f"{figures[0].n:,} held-out items; the source as it is would be right on {figures[0].baseline:.1%}. "
            "**What it does not show.** The decoder was trained on the last state alone: where it writes a wrong text, "
            "the answer may still be in the state, in a form that it cannot read (Langedijk et al. 2023)."
        )


def lens_table(texts: Sequence[WrittenText], figures: Sequence[Figure], expected: str | None) -> pd.DataFrame:
    """A row for each of the encoder's L + 1 states, embeddings first.

    Args:
        figures: exact match of each state.
        expected: the right answer, where it is known.
    """
    rows = []
    for state, (text, figure) in enumerate(zip(texts, figures, strict=True)):
        row = {
            "the decoder reads": "the embeddings" if state == 0 else f"the states after layer {state - 1}",
            "it writes": _shown(text),
        }
        if expected is not None:
            row["right"] = "✓" if _is_right(text, expected) else "✗"
        rows.append(row | {"exact match": f"{figure.value:.1%}"})
    return pd.DataFrame(rows)


def _is_right(text: WrittenText, expected: str) -> bool:
    return text.complete and text.tokens.sentences[0] == expected


def _shown(text: WrittenText) -> str:
    written = text.tokens.sentences[0] or "(nothing)"
    return written if text.complete else f"{written} … (stopped after {len(text.tokens)} tokens)"
