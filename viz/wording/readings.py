"""How a model reads a text, in words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from encoder.text.readings import Change, TextReading, is_unknown, reading_of
from encoder.text.tokens import Tokens
from viz.wording.labels import escape_markdown

CHANGES: Final[Mapping[Change, str]] = MappingProxyType(
    {
        "lowered": "lowered",
        "stripped": "without marks",
        "replaced": "replaced",
        "lost": "lost",
        "unknown": "in an unknown piece",
    }
)
LOSSES: Final[Mapping[Change, tuple[str, str]]] = MappingProxyType(  # of one character, and of several
    {
        "lost": ("is lost", "are lost"),
        "stripped": ("loses its marks", "lose their marks"),
        "unknown": ("is in an unknown piece", "are in unknown pieces"),
    }
)


def counted(number: int, noun: str) -> str:
    """A number of things: "1 word", "7 words"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def reading_in_words(reading: TextReading, name: str) -> str:
    """The sentence on top; `name` is the model's, as Markdown."""
    said = f"{name} reads {counted(reading.num_words, 'word')} as {counted(reading.num_pieces, 'piece')}"
    losses: list[str] = []
    for change, (one, several) in LOSSES.items():
        if number := reading.counts[change]:
            subject = f"{number:,}" if losses else counted(number, "character")
            losses.append(f"{subject} {one if number == 1 else several}")
    if not losses:
        return f"{said}; no character is lost."
    return f"{said}; {' and '.join(filter(None, [', '.join(losses[:-1]), losses[-1]]))}."


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
