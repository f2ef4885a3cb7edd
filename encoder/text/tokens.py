"""One or two texts as tokens, with everything that views and tables need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Text = str | Sequence[str]
Span = tuple[int, int]

USUAL_TOKENS = 512  # that a model reads if it does not say so, and that views of attention show of a longer text
MAX_TOKENS = 8_192  # of a text, even if a model could read more


# The fields of `Tokens` that have a value per token.
PER_TOKEN = (
    *("pieces", "labels", "ids", "token_type_ids", "attention_mask"),
    *("special", "spans", "word_ids", "sentence_ids"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """One or two texts as a model reads them. Every tuple but the last six has one entry per token, T in all.

    Attributes:
        pieces: vocabulary units as the vocabulary spells them.
        labels: readable pieces: without byte-level marks such as "Ġ", but with "##".
        ids, token_type_ids, attention_mask: the model's input.
        special: True for special tokens: `[CLS]`, `[SEP]` and padding; not for `[MASK]` and `[UNK]`.
        spans: first character and the one after the last in the token's own sentence; None for added tokens.
        word_ids: index into `words`; None for special tokens.
        sentence_ids: 0 for sentence A, 1 for sentence B; None for added tokens.
        words: surface words, A's and then B's. "don't" is one word; a list of words keeps its entries.
        sentences: the given texts; lists of words are joined by spaces.
        sentence_b_start: index of B's first token, or None.
        truncated: number of tokens cut off the end of each sentence.
        max_length: the largest number of tokens.
        typed_special: special tokens that were typed literally and read as such.
    """

    pieces: tuple[str, ...]
    labels: tuple[str, ...]
    ids: tuple[int, ...]
    token_type_ids: tuple[int, ...]
    attention_mask: tuple[int, ...]
    special: tuple[bool, ...]
    spans: tuple[Span | None, ...]
    word_ids: tuple[int | None, ...]
    sentence_ids: tuple[int | None, ...]
    words: tuple[str, ...]
    sentences: tuple[str, ...]
    sentence_b_start: int | None
    truncated: tuple[int, ...]
    max_length: int
    typed_special: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.pieces)
