"""The state of a word, or of any group of tokens: the mean over its pieces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from encoder.errors import SelectionError, ShapeError
from encoder.runs.arrays import FloatArray
from encoder.text.tokens import Tokens


def occurrence_states(hidden_states: FloatArray, positions: Sequence[int]) -> FloatArray:
    """A word's states, the mean over its pieces: (..., T, D) to (..., D).

    Raises:
        ShapeError: no positions.
        SelectionError: a position that the states do not have.
    """
    _check(positions, hidden_states.shape[-2])
    return hidden_states[..., list(positions), :].mean(axis=-2)


def word_states(hidden_states: FloatArray, tokens: Tokens) -> FloatArray:
    """The states of all words of a text: (L + 1, T, D) to (L + 1, W, D); NaN for words that were cut off."""
    positions: list[list[int]] = [[] for _ in tokens.words]
    for position, word in enumerate(tokens.word_ids):
        if word is not None:
            positions[word].append(position)
    kept = [word for word, of_word in enumerate(positions) if of_word]
    states = np.full((len(hidden_states), len(positions), hidden_states.shape[-1]), np.nan, np.float32)
    states[:, kept] = np.matmul(word_mean_matrix([positions[word] for word in kept], len(tokens)), hidden_states)
    return states


def word_mean_matrix(words: Sequence[Sequence[int]], length: int) -> FloatArray:
    """(W, T) matrix whose product with the states of T tokens, (T, D), is the mean state of each of W words.

    Raises:
        ShapeError: a word without positions.
        SelectionError: a position that the text does not have.
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
