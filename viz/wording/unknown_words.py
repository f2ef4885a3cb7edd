"""Texts with words that are unknown to the model."""

from __future__ import annotations

from typing import Final

from encoder.text.readings import is_unknown, reading_of
from encoder.text.tokens import Tokens
from viz.wording.labels import escape_markdown

KNOWS_NO_WORD: Final = "The model knows none of these words: it reads the same piece, “unknown”, for each of them."


def unknown_words(tokens: Tokens) -> str:
    """How many words of a text or pair the model knows, as Markdown; "" if it knows all of them.

    A word is known if none of its pieces is unknown.
    """
    total = known = 0
    unknown: list[str] = []
    for word in reading_of(tokens).words:
        of_word = [tokens.pieces[position] for position in word.positions if is_unknown(tokens, position)]
        total, known = total + len(word.words), known + (0 if of_word else len(word.words))
        unknown += of_word
    if known == total:
        return ""
    said = f"The model knows {known} of {total} words"
    if not known:
        return f"{said}: what it says is its answer to {escape_markdown(unknown[0])}."
    return f"{said}: it reads {escape_markdown(unknown[0])} for {'the other' if total - known == 1 else 'the others'}."
