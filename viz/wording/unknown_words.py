"""Texts whose words are all unknown to the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from encoder.text.tokens import Tokens

UNKNOWN: Final = ("[UNK]", "<unk>")
KNOWS_NO_WORD: Final = "The model knows none of these words: it reads the same piece, “unknown”, for each of them."


def knows_no_word(texts: Sequence[Tokens]) -> bool:
    """Whether the texts have words but the model knows none of them."""
    pieces = [piece for text in texts for piece, special in zip(text.pieces, text.special, strict=True) if not special]
    return bool(pieces) and all(piece in UNKNOWN for piece in pieces)
