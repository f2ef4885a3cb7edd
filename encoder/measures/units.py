"""Units, the rows and columns of a view: wordpieces or words, with or without special tokens; and their mean states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from encoder.errors import SelectionError, ShapeError, check_choice
from encoder.runs.arrays import FloatArray
from encoder.text.tokens import Tokens

Level = Literal["wordpieces", "words"]
Special = Literal["show", "hide", "renormalise"]


@dataclass(frozen=True, slots=True)
class Units:
    """The tokens of a text as a view shows them, U units in all.

    Attributes:
        labels: one per unit.
        members: the positions of the tokens that make up each unit.
        special: whether each unit is a special token.
        sentence_b_start: index of sentence B's first unit, or None.
        length: T, the number of tokens.
    """

    labels: tuple[str, ...]
    members: tuple[tuple[int, ...], ...]
    special: tuple[bool, ...]
    sentence_b_start: int | None
    length: int

    def __len__(self) -> int:
        return len(self.labels)


def units_of(tokens: Tokens, *, level: Level = "wordpieces", special: Special = "show") -> Units:
    """Group a text's tokens into units.

    Args:
        level: "words" groups the pieces of each word; special tokens and blanks stay separate.
        special: "show" includes special tokens; the other two leave them out, and of words the blanks, too.
    Raises:
        ArgumentError: there is no such level, or no such way to treat special tokens.
    """
    check_choice("level", level, get_args(Level))
    check_choice("special", special, get_args(Special))
    members: list[list[int]] = []
    previous: int | None = None
    for position, (word, is_special) in enumerate(zip(tokens.word_ids, tokens.special, strict=True)):
        if special != "show" and (is_special or (level == "words" and word is None)):
            previous = None
            continue
        if level == "words" and word is not None and word == previous:
            members[-1].append(position)
        else:
            members.append([position])
        previous = word
    b_start = tokens.sentence_b_start
    starts_b = [] if b_start is None else [index for index, group in enumerate(members) if group[0] >= b_start]
    return Units(
        labels=tuple(_label(tokens, group, level) for group in members),
        members=tuple(tuple(group) for group in members),
        special=tuple(tokens.special[group[0]] for group in members),
        sentence_b_start=starts_b[0] if starts_b else None,
        length=len(tokens),
    )


def _label(tokens: Tokens, group: list[int], level: Level) -> str:
    word = tokens.word_ids[group[0]]
    if level == "wordpieces" or word is None:
        return tokens.labels[group[0]]
    return tokens.words[word]


def unit_states(states: FloatArray, units: Units) -> FloatArray:
    """The mean of the states of each unit's pieces: (..., T, D) to (..., U, D)."""
    if states.shape[-2] != units.length:
        raise ShapeError(f"States are {states.shape}; the units group {units.length} tokens.")
    return np.matmul(word_mean_matrix(units.members, units.length), states)


def membership(units: Units) -> FloatArray:
    """(U, T) matrix with a 1 where a token belongs to a unit."""
    matrix = np.zeros((len(units), units.length), dtype=np.float32)
    for row, members in enumerate(units.members):
        matrix[row, list(members)] = 1
    return matrix


def occurrence_states(hidden_states: FloatArray, positions: Sequence[int]) -> FloatArray:
    """A word's states, the mean over its pieces: (..., T, D) to (..., D).

    Raises:
        ShapeError: there are no positions.
        SelectionError: there is no such position.
    """
    _check(positions, hidden_states.shape[-2])
    return hidden_states[..., list(positions), :].mean(axis=-2)


def word_states(hidden_states: FloatArray, tokens: Tokens) -> FloatArray:
    """The states of all words of a text: (L + 1, T, D) to (L + 1, W, D); NaN for truncated words."""
    positions: list[list[int]] = [[] for _ in tokens.words]
    for position, word in enumerate(tokens.word_ids):
        if word is not None:
            positions[word].append(position)
    kept = [word for word, of_word in enumerate(positions) if of_word]
    states = np.full((len(hidden_states), len(positions), hidden_states.shape[-1]), np.nan, np.float32)
    states[:, kept] = np.matmul(word_mean_matrix([positions[word] for word in kept], len(tokens)), hidden_states)
    return states


def word_mean_matrix(words: Sequence[Sequence[int]], length: int) -> FloatArray:
    """(W, T) matrix that maps the states of T tokens, (T, D), to the mean states of W words.

    Raises:
        ShapeError: a word has no positions.
        SelectionError: there is no such position.
    """
    matrix = np.zeros((len(words), length), np.float32)
    for row, positions in enumerate(words):
        _check(positions, length)
        matrix[row, list(positions)] = 1 / len(positions)
    return matrix


def _check(positions: Sequence[int], length: int) -> None:
    if not positions:
        raise ShapeError("A word needs at least one token.")
    if not all(0 <= position < length for position in positions):
        raise SelectionError(f"Tokens {tuple(positions)} were asked for; the text has tokens 0 to {length - 1}.")
