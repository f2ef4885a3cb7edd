"""Texts with words that are unknown to the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from encoder.text.readings import UNKNOWN
from encoder.text.readings import knows_no_word as knows_no_word
from encoder.text.tokens import Tokens
from viz.wording.labels import escape_markdown

KNOWS_NO_WORD: Final = "The model knows none of these words: it reads the same piece, “unknown”, for each of them."


def unknown_words(texts: Sequence[Tokens]) -> str:
    """How many words the model knows, as Markdown; "" if it knows all of them.

    A word is known if none of its pieces is unknown.
    """
    owners = [
        (number, word, piece)
        for number, text in enumerate(texts)
        for piece, word in zip(text.pieces, text.word_ids, strict=True)
        if word is not None
    ]
    words = {(number, word) for number, word, _ in owners}
    unknown = {(number, word) for number, word, piece in owners if piece in UNKNOWN}
    if not unknown:
        return ""
    [piece, *_] = (escape_markdown(piece) for *_, piece in owners if piece in UNKNOWN)
    known = f"The model knows {len(words) - len(unknown)} of {len(words)} words"
    if unknown == words:
        return f"{known}: what it says is its answer to {piece}."
    return f"{known}: it reads {piece} for {'the other' if len(unknown) == 1 else 'the others'}."
