"""The text is cut into wordpieces."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from encoder.experiments.anatomy.step_examples import SPLIT_EXAMPLE, pieces_of_words
from encoder.text.tokenizer import Tokenizer
from viz.panels.anatomy.draw import table_height
from viz.panels.anatomy.step import AnatomyPage, RecordedRun, Step, StepContent
from viz.wording.labels import escape_markdown, make_visible


def content(run: RecordedRun) -> StepContent:
    """Words and formula."""
    tokens, s = run.record.tokens, run.sizes
    pieces = sum(not special for special in tokens.special)
    vocabulary = f"{s.V:,}".replace(",", "{,}")
    words = f"{len(tokens.words):,}".replace(",", "{,}")
    return StepContent(
        words=(
            "A model cannot read letters; it works with numbers. So the text is first cut into **wordpieces**, each an "
            f"entry of a fixed list of {s.V:,}, the vocabulary. A common word is one entry. A rare word is put "
            "together from pieces, always the longest that fits first, and `##` says that a piece continues a word. "
            "A word that cannot be put together becomes `[UNK]`, for unknown."
        ),
        formula=(
            rf"\underset{{{words}\text{{ words{{,}} punctuation included}}}}{{\text{{your text}}}} \;\longrightarrow\; "
            rf"\underset{{{pieces}\text{{ of }}{vocabulary}\text{{ entries}}}}{{\text{{wordpieces}}}}"
        ),
        sources=(Tokenizer.__call__,),
    )


def beside(page: AnatomyPage) -> None:
    """Every word with its pieces, and a rare word for comparison."""
    rows = pieces_of_words(page.run.record.tokens)
    table = pd.DataFrame(
        {"word": [make_visible(word) for word, _ in rows], "wordpieces": ["  ".join(pieces) for _, pieces in rows]}
    )
    st.dataframe(table, key="anatomy_pieces", height=table_height(len(rows)), hide_index=True)
    example = page.run.backend.tokenize(SPLIT_EXAMPLE)
    pieces = [label for label, special in zip(example.labels, example.special, strict=True) if not special]
    st.caption(f"A rare word for comparison: “{SPLIT_EXAMPLE}” becomes {escape_markdown('  '.join(pieces))}.")


STEP = Step(title="Text into wordpieces", content=content, beside=beside)
