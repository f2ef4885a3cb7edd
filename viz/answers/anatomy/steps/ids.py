"""Wordpieces and special tokens become ids, token types and an attention mask."""

from __future__ import annotations

from encoder.models.tensors import padded
from encoder.text.tokenizer import Tokenizer
from viz.answers.anatomy.latex import gathered
from viz.answers.anatomy.step import RecordedRun, Step, StepContent


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


STEP = Step(title="Wordpieces into numbers", content=content)
