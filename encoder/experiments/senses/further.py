"""Sentences beside the two of the page: those that ship, and those that somebody types, one in each line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from encoder.errors import InputError
from encoder.experiments.senses.rows import shipped_senses
from encoder.models.base import Backend
from encoder.text.common_words import occurrences
from encoder.text.occurrences import Positions, positions_of_span, positions_of_word
from encoder.text.tokens import Tokens

MOST_LINES = 50
DIVIDER = "|"  # between a sense and its sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An occurrence of a word in a sentence.

    Attributes:
        text: the sentence.
        sense: its label, "" where nobody gave one.
        tokens, positions: what the model reads, and the word's tokens there.
    """

    text: str
    sense: str
    tokens: Tokens
    positions: Positions


@dataclass(frozen=True, slots=True, kw_only=True)
class Further:
    """What came of a list of sentences.

    Attributes:
        found: the occurrences, at most `MOST_LINES`; the first of each sentence.
        without: the sentences in which the model does not read the word.
        repeated: how many sentences have the word more than once.
        left: how many lines beyond the first `MOST_LINES` were not looked at.
    """

    found: tuple[Found, ...]
    without: tuple[str, ...]
    repeated: int = 0
    left: int = 0


def shipped_sentences(backend: Backend, word: str) -> Further:
    """The labelled sentences that ship for a word; those whose word a tokenizer does not keep are left out."""
    found, without = [], []
    for row in (row for row in shipped_senses() if row.word == word):
        tokens = backend.tokenize(row.text)
        try:
            at = positions_of_span(tokens, row.span)
        except InputError:
            without.append(row.text)
            continue
        found.append(Found(text=row.text, sense=row.sense, tokens=tokens, positions=at))
    return Further(found=tuple(found), without=tuple(without))


def typed_sentences(backend: Backend, lines: str, word: str) -> Further:
    """The lines in which a word occurs, in any inflection; "sense | sentence" gives a line a label.

    Empty lines do not count.
    """
    written = [line.strip() for line in lines.splitlines() if line.strip()]
    found, without, repeated = [], [], 0
    for line in written[:MOST_LINES]:
        sense, text = _divided(line)
        try:
            tokens = backend.tokenize(text)
        except InputError:
            without.append(text)
            continue
        places, _ = occurrences(tokens, word)
        if not places:
            without.append(text)
            continue
        repeated += len(places) > 1
        found.append(Found(text=text, sense=sense, tokens=tokens, positions=positions_of_word(tokens, places[0])))
    return Further(
        found=tuple(found), without=tuple(without), repeated=repeated, left=max(0, len(written) - MOST_LINES)
    )


def _divided(line: str) -> tuple[str, str]:
    sense, divider, text = line.partition(DIVIDER)
    return (sense.strip(), text.strip()) if divider and text.strip() else ("", line)


def labelled(found: Sequence[Found]) -> list[int]:
    """Indices of the occurrences whose sense is known."""
    return [at for at, each in enumerate(found) if each.sense]
