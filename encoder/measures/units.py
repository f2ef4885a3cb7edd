"""What the rows and columns of a picture stand for: wordpieces or words, with special tokens or without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from encoder.errors import ShapeError
from encoder.tokens import Tokens
from encoder.trace import FloatArray

Level = Literal["wordpieces", "words"]
Special = Literal["show", "hide", "renormalise"]


@dataclass(frozen=True, slots=True)
class Units:
    """The tokens of a text as a picture shows them, U in all.

    Attributes:
        labels: one per unit.
        members: the positions of the tokens that make up each unit.
        special: whether a unit is a special token.
        sentence_b_start: index of sentence B's first unit, or None.
        length: T, the tokens of the trace.
    """

    labels: tuple[str, ...]
    members: tuple[tuple[int, ...], ...]
    special: tuple[bool, ...]
    sentence_b_start: int | None
    length: int

    def __len__(self) -> int:
        return len(self.labels)


def units_of(tokens: Tokens, *, level: Level = "wordpieces", special: Special = "show") -> Units:
    """Group a text's tokens for showing.

    Args:
        level: "words" groups the pieces of each word; special tokens stay alone either way.
        special: "show" keeps special tokens; the other two leave them out.
    """
    groups: list[list[int]] = []
    previous: int | None = None
    for position, (word, frame) in enumerate(zip(tokens.word_ids, tokens.special, strict=True)):
        if frame and special != "show":
            previous = None
            continue
        if level == "words" and word is not None and word == previous:
            groups[-1].append(position)
        else:
            groups.append([position])
        previous = word
    b_start = tokens.sentence_b_start
    starts_b = [] if b_start is None else [index for index, group in enumerate(groups) if group[0] >= b_start]
    return Units(
        labels=tuple(_label(tokens, group, level) for group in groups),
        members=tuple(tuple(group) for group in groups),
        special=tuple(tokens.special[group[0]] for group in groups),
        sentence_b_start=starts_b[0] if starts_b else None,
        length=len(tokens),
    )


def _label(tokens: Tokens, group: list[int], level: Level) -> str:
    word = tokens.word_ids[group[0]]
    if level == "wordpieces" or word is None:
        return tokens.labels[group[0]]
    return tokens.words[word]


def attention_between(weights: FloatArray, units: Units) -> FloatArray:
    """Attention between units: summed over the key pieces of a unit, averaged over its query pieces.

    Rows still sum to 1 where no token was left out; what is missing went to tokens that are not shown.

    Args:
        weights: (..., T, T) attention weights.
    Returns:
        (..., U, U).
    Source: Clark et al. (2019), section 4.1.
    """
    if weights.shape[-1] != units.length or weights.shape[-2] != units.length:
        raise ShapeError(f"Weights are {weights.shape}; the units group {units.length} tokens.")
    if units.members == tuple((position,) for position in range(units.length)):
        return weights
    belongs = _membership(units)  # (U, T)
    sizes = belongs.sum(axis=1, keepdims=True)  # (U, 1)
    return np.matmul(np.matmul(belongs / sizes, weights), belongs.T)


def states_of(states: FloatArray, units: Units) -> FloatArray:
    """The mean of the states of each unit's pieces: (..., T, D) to (..., U, D)."""
    if states.shape[-2] != units.length:
        raise ShapeError(f"States are {states.shape}; the units group {units.length} tokens.")
    belongs = _membership(units)  # (U, T)
    return np.matmul(belongs / belongs.sum(axis=1, keepdims=True), states)


def removed_mass(attention: FloatArray) -> FloatArray:
    """How much of each query's attention went to units that are not shown: (..., U, U) to (..., U), in [0, 1]."""
    return np.clip(1 - attention.sum(axis=-1), 0, 1)


def renormalised(attention: FloatArray) -> FloatArray:
    """The rows scaled to sum to 1 again; a row whose whole attention went elsewhere stays zero."""
    total = attention.sum(axis=-1, keepdims=True)
    return np.divide(attention, total, out=np.zeros_like(attention), where=total > 0)


def _membership(units: Units) -> FloatArray:
    belongs = np.zeros((len(units), units.length), dtype=np.float32)
    for row, members in enumerate(units.members):
        belongs[row, list(members)] = 1
    return belongs
