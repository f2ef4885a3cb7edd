"""The check of a passport that every model gets: how many tokens of a text it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encoder.models.passport import Check
from encoder.text.tokens import MAX_TOKENS

if TYPE_CHECKING:
    from encoder.models.base import Backend

WORD = "a "


def check_length(opened: Backend) -> Check:
    """How many tokens of a long text are read, which of the model's limits that is, and how many more it could read."""
    tokenizer = opened.tokenizer
    tokens, usual, most = opened.tokenize(WORD * tokenizer.max_length), tokenizer.usual_length, tokenizer.positions
    read = len(tokens) if any(tokens.truncated) else max(len(tokens), usual)  # all of it may be one unknown word
    says = "tokenizer" if tokenizer.folder_length == tokenizer.inner.model_max_length else "max_seq_length"
    if read != usual:
        said = f"Texts are cut off at {read:,} tokens, where its {says} says {usual:,}: longer ones have other vectors."
        return Check(name="Length", outcome="differs", sentence=said, value=read)
    if usual < most:
        more = f"The model has positions for {most - usual:,} more, which all_positions=True reads."
        said = f"Texts are cut off at {usual:,} tokens, as its {says} says. {more}"
    elif most < min(MAX_TOKENS, getattr(opened, "most_tokens", MAX_TOKENS)):
        said = f"Texts are cut off at {usual:,} tokens, as many as the model has positions for."
    else:
        said = f"Texts are cut off at {usual:,} tokens, as many as Headlight reads of a text."
    return Check(name="Length", outcome="holds", sentence=said, value=read)
