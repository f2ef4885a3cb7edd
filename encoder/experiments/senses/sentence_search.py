"""Search a word in sentences: the shipped ones, or typed ones, one per line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from encoder.errors import InputError
from encoder.experiments.senses.rows import shipped_senses
from encoder.models.base import Backend
from encoder.text.common_words import find_word
from encoder.text.occurrences import Positions, positions_of_span, positions_of_word
from encoder.text.tokens import Tokens

MOST_LINES = 50
DIVIDER = "|"  # between a sense and its sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class WordOccurrence:
    """An occurrence of a word in a sentence; the sense is its label, or ""."""

    text: str
    sense: str
    tokens: Tokens
    positions: Positions


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceSearch:
    """The occurrences of a word in a list of sentences.

    Attributes:
        occurrences: at most `MOST_LINES`, the first in each sentence.
        without_word: the sentences in which the model does not read the word.
        repeated: number of sentences with more than one occurrence.
        skipped: number of lines beyond the first `MOST_LINES`.
    """

    occurrences: tuple[WordOccurrence, ...]
    without_word: tuple[str, ...]
    repeated: int = 0
    skipped: int = 0


def shipped_sentences(backend: Backend, word: str) -> SentenceSearch:
    """The shipped labelled sentences of a word; those whose word the tokenizer drops are left out."""
    occurrences, without_word = [], []
    for row in (row for row in shipped_senses() if row.word == word):
        tokens = backend.tokenize(row.text)
        try:
            positions = positions_of_span(tokens, row.span)
        except InputError:
            without_word.append(row.text)
            continue
        occurrences.append(WordOccurrence(text=row.text, sense=row.sense, tokens=tokens, positions=positions))
    return SentenceSearch(occurrences=tuple(occurrences), without_word=tuple(without_word))


def typed_sentences(backend: Backend, typed: str, word: str) -> SentenceSearch:
    """The lines in which a word occurs, in any inflection; "sense | sentence" labels a line.

    Empty lines are ignored.
    """
    lines = [line.strip() for line in typed.splitlines() if line.strip()]
    occurrences, without_word, repeated = [], [], 0
    for line in lines[:MOST_LINES]:
        sense, text = _divided(line)
        try:
            tokens = backend.tokenize(text)
        except InputError:
            without_word.append(text)
            continue
        words, _ = find_word(tokens, word)
        if not words:
            without_word.append(text)
            continue
        repeated += len(words) > 1
        positions = positions_of_word(tokens, words[0])
        occurrences.append(WordOccurrence(text=text, sense=sense, tokens=tokens, positions=positions))
    return SentenceSearch(
        occurrences=tuple(occurrences),
        without_word=tuple(without_word),
        repeated=repeated,
        skipped=max(0, len(lines) - MOST_LINES),
    )


def _divided(line: str) -> tuple[str, str]:
    sense, divider, text = line.partition(DIVIDER)
    return (sense.strip(), text.strip()) if divider and text.strip() else ("", line)


def labelled(occurrences: Sequence[WordOccurrence]) -> list[int]:
    """Indices of the labelled occurrences."""
    return [index for index, occurrence in enumerate(occurrences) if occurrence.sense]
