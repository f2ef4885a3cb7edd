"""The text is cut into wordpieces."""

from __future__ import annotations

from encoder.text.tokenizer import Tokenizer
from viz.answers.anatomy.step import RecordedRun, Step, StepContent


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


STEP = Step(title="Text into wordpieces", content=content)
