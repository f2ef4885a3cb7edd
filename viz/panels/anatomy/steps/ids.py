"""Wordpieces and special tokens become ids, token types and an attention mask."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from encoder.experiments.anatomy.step_examples import (
    LONG_COUNT,
    LONG_EXAMPLE,
    SHORT_EXAMPLE,
    batch_of_two,
    too_long,
)
from encoder.models.tensors import padded
from encoder.text.tokenizer import Tokenizer
from viz.panels.anatomy.draw import table_height
from viz.panels.anatomy.latex import gathered
from viz.panels.anatomy.step import AnatomyPage, RecordedRun, Step, StepContent
from viz.wording.labels import make_visible


def content(run: RecordedRun) -> StepContent:
    """Words and formula."""
    tokens, s = run.record.tokens, run.sizes
    types = f"\\{{0, {run.record.config.type_vocab_size - 1}\\}}"
    return StepContent(
        words=(
            "Two kinds of marks are added, which are entries of the vocabulary as well: `[CLS]` in front, where the "
            "result for the whole text will be collected, and `[SEP]` after each sentence. Pieces and marks together "
            "are called **tokens**, and every token is replaced by its **id**, its line in the vocabulary, counted "
            "from 0. **Token types** say which sentence a token belongs to, 0 or 1. Several texts can be run at once, "
            "as a batch; they must be equally long then, so the shorter ones are filled up with `[PAD]`, and the "
            "**attention mask** says which tokens are real (1) and which fill up (0)."
        ),
        formula=gathered(
            rf"\text{{ids}} \in \{{0, \dots, {s.V - 1}\}}^{{{s.T}}} \qquad \text{{token types}} \in {types}"
            rf"^{{{s.T}}}",
            rf"\text{{attention mask}} \in \{{0, 1\}}^{{{s.T}}} \qquad \text{{tokens}} = "
            rf"{s.T} \le {tokens.max_length}",
        ),
        sources=(Tokenizer._encode, padded),
    )


def beside(page: AnatomyPage) -> None:
    """What goes into the model, a batch of two, and a text that is too long."""
    tokens = page.run.record.tokens
    table = pd.DataFrame(
        {
            "token": [make_visible(label) for label in tokens.labels],
            "id": tokens.ids,
            "token type": tokens.token_type_ids,
            "attention mask": tokens.attention_mask,
        }
    )
    st.dataframe(table, key="anatomy_ids", height=table_height(len(tokens)))
    _batch(page)
    example = too_long(page.run.backend)
    st.caption(
        f"A batch is one rectangle of numbers, so the shorter text is padded, and its mask is 0 there. A text that is "
        f"too long is cut at its end: of {LONG_COUNT} times “{LONG_EXAMPLE}” the model reads "
        f"{example.sentence_ids.count(0)} and two special tokens, and {example.truncated[0]} are cut off."
    )


def _batch(page: AnatomyPage) -> None:
    st.markdown(f"#### A batch of two: your text and “{SHORT_EXAMPLE}”")
    batch = batch_of_two(page.run.backend, page.run.record.tokens, pad_id=page.run.record.config.pad_token_id)
    yours, example = (
        [f"{make_visible(label)} {token_id}" for label, token_id in zip(labels, ids, strict=True)]
        for labels, ids in zip(batch.labels, batch.ids, strict=True)
    )
    st.dataframe(
        pd.DataFrame(
            [yours, list(map(str, batch.masks[0])), example, list(map(str, batch.masks[1]))],
            index=["your text", "its mask", f"“{SHORT_EXAMPLE}”", "its mask "],
        ),
        key="anatomy_batch",
    )


STEP = Step(title="Wordpieces into numbers", content=content, beside=beside)
