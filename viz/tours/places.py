"""Finds the words of a tour among the tokens of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from encoder.errors import SelectionError
from encoder.measures.units import Level, units_of
from encoder.text.common_words import fold_case
from encoder.text.tokens import Tokens
from viz.tours.grammar import format_word
from viz.tours.tour import Letter, Word

LETTERS: tuple[Letter, ...] = get_args(Letter)


@dataclass(frozen=True, slots=True)
class Place:
    """One occurrence of a word.

    Attributes:
        run: which run of the page, by its key: "pair", "A" or "B" for an encoder's.
        sentence: which sentence it is in.
        positions: its tokens; more than one where the word is split.
    """

    run: str
    sentence: Letter
    positions: tuple[int, ...]


def find_word(word: Word, runs: Mapping[str, Tokens]) -> Place:
    """The one place of a tour's word.

    Searches words and special tokens, ignoring case; then wordpieces.

    Args:
        runs: the tokens of every run of the page.
    Raises:
        SelectionError: there is no such word, or there are several and the occurrence is missing.
    """
    levels: tuple[Level, ...] = ("words", "wordpieces")
    found = next((places for level in levels if (places := _places(word, runs, level))), [])
    plain = format_word(Word(word.text))
    where = f"sentence {word.sentence}" if word.sentence else "this text"
    if not found:
        raise SelectionError(f"{plain} is not in {where}.")
    if word.occurrence is not None:
        if word.occurrence > len(found):
            raise SelectionError(f"{plain} occurs {_times(len(found))} in {where}: there is no #{word.occurrence}.")
        return found[word.occurrence - 1]
    if len(found) > 1:
        first, last = (format_word(Word(word.text, word.sentence, number)) for number in (1, len(found)))
        raise SelectionError(f"{plain} occurs {_times(len(found))} in {where}: {first} to {last} tell which is meant.")
    return found[0]


def word_at(run: str, position: int, runs: Mapping[str, Tokens]) -> Word:
    """The word or the special token at a position of a run, such that `find_word` finds it."""
    tokens = runs[run]
    has_two = len(runs) > 1 or tokens.sentence_b_start is not None
    sentence = _letter(run, tokens, position) if has_two else None
    units = units_of(tokens, level="words")
    label = next(label for label, members in zip(units.labels, units.members, strict=True) if position in members)
    found = [
        place.run == run and position in place.positions for place in _places(Word(label, sentence), runs, "words")
    ]
    return Word(label, sentence, found.index(True) + 1 if len(found) > 1 else None)


def _places(word: Word, runs: Mapping[str, Tokens], level: Level) -> list[Place]:
    """All places of a word, in the order of the text."""
    found = []
    for run, tokens in runs.items():
        units = units_of(tokens, level=level)
        for label, members in zip(units.labels, units.members, strict=True):
            letter = _letter(run, tokens, members[0])
            if fold_case(label) == fold_case(word.text) and word.sentence in (None, letter):
                found.append(Place(run, letter, members))
    return found


def _letter(run: str, tokens: Tokens, position: int) -> Letter:
    """The sentence that a token belongs to; `[CLS]` belongs to A, each `[SEP]` to the sentence before it."""
    if run in LETTERS:
        return LETTERS[LETTERS.index(run)]
    return "A" if tokens.sentence_b_start is None or position < tokens.sentence_b_start else "B"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
