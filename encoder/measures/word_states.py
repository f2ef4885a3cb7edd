"""The state of a word: the mean over its pieces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from encoder.errors import SelectionError, ShapeError
from encoder.text.occurrences import Positions
from encoder.trace import FloatArray


def occurrence_states(hidden_states: FloatArray, positions: Sequence[int]) -> FloatArray:
    """A word's states, the mean over its pieces: (..., T, D) to (..., D).

    Raises:
        ShapeError: no positions.
        SelectionError: a position that the states do not have.
    """
    _check(positions, hidden_states.shape[-2])
    return hidden_states[..., list(positions), :].mean(axis=-2)


def mean_over(words: Sequence[Positions], length: int) -> FloatArray:
    """(W, T) matrix that takes the states of T tokens, (T, D), to those of W words.

    Raises:
        ShapeError: a word without positions.
        SelectionError: a position that the text does not have.
    """
    mean = np.zeros((len(words), length), np.float32)
    for row, positions in enumerate(words):
        _check(positions, length)
        mean[row, list(positions)] = 1 / len(positions)
    return mean


def _check(positions: Sequence[int], length: int) -> None:
    if not positions:
        raise ShapeError("A word needs at least one token.")
    if not all(0 <= position < length for position in positions):
        raise SelectionError(f"Tokens {tuple(positions)} were asked for; the text has tokens 0 to {length - 1}.")
