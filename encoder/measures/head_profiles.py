"""Measures of each head on one text: how many tokens it looks at, and which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from encoder.errors import ShapeError
from encoder.measures.units import Units
from encoder.runs.arrays import FloatArray

AT_ONCE: Final = 2**15  # weights per chunk, so that their logarithms fit into a core's cache: twice as fast


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadProfiles:
    """Measures of heads, (..., H) each: means over the T queries of a text, special tokens included.

    Attributes:
        entropy_bits: of the rows; 0 = one token, log2(T) = uniform.
        to_separators: share of the attention on special tokens after the first token (`[SEP]`).
        to_itself, to_previous, to_next: to the query's own position, the one before and the one after.
    Source: Clark et al. (2019), sections 3.1 to 3.3.
    """

    entropy_bits: FloatArray
    to_separators: FloatArray
    to_itself: FloatArray
    to_previous: FloatArray
    to_next: FloatArray


def head_profiles(weights: FloatArray, special: Sequence[bool], *, first: int = 0) -> HeadProfiles:
    """The profiles of heads.

    Args:
        weights: (..., H, Q, T) attention weights of Q consecutive queries of the text, query by key, in [0, 1].
        special: (T,) which of the tokens are special.
        first: position of the first query.
    Raises:
        ShapeError: the weights do not match the tokens.
    """
    count = len(special)
    if weights.shape[-1] != count or not 0 < weights.shape[-2] <= count:
        raise ShapeError(f"Weights are {weights.shape}; {count} tokens need (..., H, Q, {count}), Q of 1 to {count}.")
    separators = np.array(special) & (np.arange(count) > 0)
    to_each = weights.mean(axis=-2)  # (..., H, T)
    return HeadProfiles(
        entropy_bits=mean_entropy_bits(weights),
        to_separators=to_each[..., separators].sum(axis=-1),
        to_itself=_diagonal_share(weights, first),
        to_previous=_diagonal_share(weights, first - 1),
        to_next=_diagonal_share(weights, first + 1),
    )


def attended_tokens(entropy_bits: FloatArray) -> FloatArray:
    """The number of tokens over which an even spread has these entropies, in bits; any shape. 1 = one token."""
    spread: FloatArray = np.exp2(entropy_bits)
    return spread


def mean_entropy_bits(weights: FloatArray) -> FloatArray:
    """Mean entropy of every head's attention rows.

    Low values mean that a head looks at few tokens.

    Args:
        weights: (..., T, T) attention weights, query by key, in [0, 1].
    Returns:
        (...) entropy in bits; 0 = one token, log2(T) = uniform.
    Source: Clark et al. (2019), section 3.3.
    """
    rows = weights.reshape(-1, weights.shape[-1])
    entropies = np.empty(len(rows), np.float32)
    step = max(AT_ONCE // rows.shape[-1], 1)
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        logs = np.maximum(some, np.finfo(np.float32).tiny)
        np.log2(logs, out=logs)
        entropies[start : start + step] = -np.einsum("qk,qk->q", some, logs)
    return np.maximum(entropies.reshape(weights.shape[:-1]).mean(axis=-1), 0)


def stack_layers(layers: Sequence[HeadProfiles]) -> HeadProfiles:
    """Stack L profiles of (H,) each to one of (L, H)."""
    names = HeadProfiles.__dataclass_fields__
    return HeadProfiles(**{name: np.stack([getattr(layer, name) for layer in layers]) for name in names})


def max_pooled(weights: FloatArray, size: int) -> FloatArray:
    """Attention max-pooled to fewer cells, so that no large weight is lost.

    Args:
        weights: (..., R, C).
    Returns:
        (..., min(R, size), min(C, size)).
    """
    rows, columns = weights.shape[-2:]
    if rows > size:
        # `reduceat`, used for the columns, would take five times as long here.
        row_runs = np.split(weights, pool_starts(rows, size)[1:], axis=-2)
        weights = np.stack([row_run.max(axis=-2) for row_run in row_runs], axis=-2)
    return np.maximum.reduceat(weights, pool_starts(columns, size), axis=-1) if columns > size else weights


def pooled_halves(weights: FloatArray, start: int, size: int) -> FloatArray:
    """A square of two halves, of which `max_pooled` pools each quadrant.

    Args:
        weights: (..., U, U); the second half starts at row and column `start`.
    """
    halves = slice(start), slice(start, None)
    quadrants = [[max_pooled(weights[..., rows, columns], size) for columns in halves] for rows in halves]
    return np.concatenate([np.concatenate(row, axis=-1) for row in quadrants], axis=-2)


def pooled_units(units: Units, size: int) -> Units:
    """The first unit of each pool of `max_pooled`, in the place of all."""
    if len(units) <= size:
        return units
    starts = pool_starts(len(units), size)
    return replace(
        units,
        labels=tuple(units.labels[start] for start in starts),
        members=tuple(units.members[start] for start in starts),
        special=tuple(units.special[start] for start in starts),
    )


def pool_starts(count: int, size: int) -> NDArray[np.int64]:
    """(size,) starts of the `size` pools of nearly equal length in `max_pooled`."""
    return np.arange(size) * count // size


def _diagonal_share(weights: FloatArray, offset: int) -> FloatArray:
    """Mean over all queries; a query without a neighbour on that side counts as zero."""
    return np.trace(weights, offset=offset, axis1=-2, axis2=-1) / np.float32(weights.shape[-2])
