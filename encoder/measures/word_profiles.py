"""What a word looks at, and what looks at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from encoder.errors import SelectionError
from encoder.measures.unit_attention import attention_between, head_or_mean
from encoder.measures.units import Units, units_of
from encoder.runs.arrays import FloatArray
from encoder.text.tokens import Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class WordProfile:
    """One word's row and column of attention between the words of its text.

    Attributes:
        units: the U words and special tokens of the text.
        word: index of the word among them.
        looks_at: (U,) its row: how much of its attention goes to each unit; sums to 1.
        looked_at_by: (U,) its column: how much of each unit's attention comes to it; each in [0, 1].
    """

    units: Units
    word: int
    looks_at: FloatArray
    looked_at_by: FloatArray


def word_profile(weights: FloatArray, tokens: Tokens, positions: Sequence[int], *, head: int) -> WordProfile:
    """What a word looks at and what looks at it, in one head of a layer or in the mean of its heads.

    Attention is summed over the pieces of a key word and averaged over those of a query word. Special tokens stay: what
    they get is part of the row.

    Args:
        weights: (H, T, T) attention weights of one layer, query by key.
        positions: the word's tokens.
        head: one of H, or `encoder.measures.unit_attention.MEAN`.
    Raises:
        ShapeError: the weights are not those of the tokens.
        SelectionError: there is no such head, or the positions are no whole word.
    Source: Clark et al. (2019), section 4.1.
    """
    units = units_of(tokens, level="words")
    if tuple(positions) not in units.members:
        raise SelectionError(f"Tokens {tuple(positions)} are no word of this text: {_members(units)} are.")
    word = units.members.index(tuple(positions))
    attention = attention_between(head_or_mean(weights, head), units)  # (U, U)
    return WordProfile(
        units=units, word=word, looks_at=np.copy(attention[word]), looked_at_by=np.copy(attention[:, word])
    )


def _members(units: Units) -> str:
    words = [str(members) for members, is_special in zip(units.members, units.special, strict=True) if not is_special]
    return ", ".join(words[:8]) + (", ..." if len(words) > 8 else "")
