"""How a model reads a text, in words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from encoder.text.readings import Change, TextReading

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
