"""Attention weights between the units of a picture, of one head or of the mean, and the attention that is left out."""

from __future__ import annotations

from typing import Literal

import numpy as np

from encoder.errors import SelectionError, ShapeError
from encoder.measures.units import Special, Units, membership
from encoder.runs.arrays import FloatArray

Sentences = Literal["all", "A→A", "A→B", "B→A", "B→B"]
MEAN = -1  # the "head" that stands for the mean over all heads


def head_or_mean(weights: FloatArray, head: int) -> FloatArray:
    """One head's weights, or the mean over heads where `head` is MEAN: (H, T, T) to (T, T)."""
    if head == MEAN:
        return weights.mean(axis=0)
    if not 0 <= head < len(weights):
        raise SelectionError(f"Head {head} was asked for; there are heads 0 to {len(weights) - 1}.")
    return weights[head]


def shown_attention(
    weights: FloatArray, units: Units, special: Special, *, keys: Units | None = None
) -> tuple[FloatArray, FloatArray]:
    """Attention between the units of a picture, and what each of them gives to tokens that are not in it.

    Args:
        weights: (..., T, T), or (..., T, S) with `keys`.
        special: "renormalise" scales the rows to sum to 1 again.
        keys: the units of the columns, where they differ from those of the rows.
    Returns:
        (..., U, U) attention and (..., U) removed mass in [0, 1], before any scaling.
    """
    attention = attention_between(weights, units, keys)
    removed = removed_mass(attention)
    return (renormalised(attention) if special == "renormalise" else attention), removed


def attention_between(weights: FloatArray, units: Units, keys: Units | None = None) -> FloatArray:
    """Attention between units: summed over the key pieces of a unit, averaged over its query pieces.

    Rows still sum to 1 where no token was left out; what is missing went to tokens that are not shown.

    Args:
        weights: (..., T, T) attention weights, or (..., T, S) with `keys`.
        keys: the units of the columns, where they differ from those of the rows.
    Returns:
        (..., U, U), or one column for each of `keys`.
    Raises:
        ShapeError: the weights are not those of the units.
    Source: Clark et al. (2019), section 4.1.
    """
    keys = units if keys is None else keys
    if weights.shape[-2:] != (units.length, keys.length):
        raise ShapeError(f"Weights are {weights.shape}; the units group {units.length} and {keys.length} tokens.")
    if _units_are_tokens(units) and _units_are_tokens(keys):
        return weights
    query_membership = membership(units)  # (U, T)
    sizes = query_membership.sum(axis=1, keepdims=True)  # (U, 1)
    return np.matmul(np.matmul(query_membership / sizes, weights), membership(keys).T)


def _units_are_tokens(units: Units) -> bool:
    """Whether every token of the text is a unit of its own."""
    return units.members == tuple((position,) for position in range(units.length))


def within_sentences(attention: FloatArray, units: Units, sentences: Sentences) -> FloatArray:
    """Attention from one sentence to another alone: all other cells become NaN.

    Args:
        attention: (..., U, U), query by key.
        sentences: "A→B" keeps what A's units give to B's. `[CLS]` belongs to A, each `[SEP]` to the sentence before.
    """
    if sentences == "all" or units.sentence_b_start is None:
        return attention
    in_b = np.arange(len(units)) >= units.sentence_b_start  # (U,)
    rows, columns = (in_b if letter == "B" else ~in_b for letter in sentences.split("→"))
    return np.where(rows[:, None] & columns, attention, np.float32(np.nan))


def removed_mass(attention: FloatArray) -> FloatArray:
    """How much of each query's attention went to units that are not shown: (..., U, U) to (..., U), in [0, 1]."""
    return np.maximum(1 - attention.sum(axis=-1), 0)  # a sum may exceed 1 by rounding


def renormalised(attention: FloatArray) -> FloatArray:
    """The rows scaled to sum to 1 again; a row whose whole attention went elsewhere stays zero."""
    total = attention.sum(axis=-1, keepdims=True)
    return np.divide(attention, total, out=np.zeros_like(attention), where=total > 0)
