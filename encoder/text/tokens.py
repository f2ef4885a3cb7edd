"""What a model reads: one or two texts as tokens, and everything about them that a picture or a table needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Text = str | Sequence[str]
Span = tuple[int, int]

# Every picture is made for up to this many tokens, also where a model could read more.
MAX_TOKENS = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """One or two texts as a model reads them. Every tuple but the last six has one entry per token, T in all.

    Attributes:
        pieces: vocabulary units as the vocabulary spells them.
        labels: the same for people: byte-level marks such as "Ġ" are gone, "##" stays.
        ids, token_type_ids, attention_mask: what goes into the model.
        special: True for the tokens that frame a text, `[CLS]`, `[SEP]` and padding; not for `[MASK]` and `[UNK]`.
        spans: first character and the one after the last in the token's own sentence; None for added tokens.
        word_ids: which entry of `words` a piece belongs to; None for special tokens.
        sentence_ids: 0 for sentence A, 1 for sentence B; None for added tokens.
        words: surface words, A's and then B's. "don't" is one word; a list of words keeps its entries.
        sentences: the texts as they were given; a list of words is joined by spaces.
        sentence_b_start: index of B's first token, or None.
        truncated: tokens cut off from the end of each sentence.
        max_length: how many tokens fit.
        typed_special: special tokens that stood literally in the text and were read as such.
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
