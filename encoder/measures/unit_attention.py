"""Attention between the units of a view, attention to hidden tokens, the strongest cell, and a word's profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from encoder.errors import SelectionError, ShapeError
from encoder.measures.near_ties import first_largest
from encoder.measures.units import Special, Units, membership, units_of, word_mean_matrix
from encoder.runs.arrays import FloatArray
from encoder.runs.layer_attention import LayerExcerpt
from encoder.runs.trace import Trace
from encoder.text.tokens import Tokens

Sentences = Literal["all", "A→A", "A→B", "B→A", "B→B"]
MEAN = -1  # the "head" that stands for the mean over all heads
MOST_NAMED = 8  # words in a message


def head_or_mean(weights: FloatArray, head: int) -> FloatArray:
    """One head's weights, or the mean over heads if `head` is MEAN: (H, T, T) to (T, T)."""
    if head == MEAN:
        return weights.mean(axis=0)
    if not 0 <= head < len(weights):
        raise SelectionError(f"Head {head} was asked for; there are heads 0 to {len(weights) - 1}.")
    return weights[head]


def shown_attention(
    weights: FloatArray, units: Units, special: Special, *, keys: Units | None = None
) -> tuple[FloatArray, FloatArray]:
    """Attention between the units of a view, and each unit's attention to hidden tokens.

    Args:
        weights: (..., T, T), or (..., T, S) with `keys`.
        special: "renormalise" rescales the rows to sum to 1.
        keys: the units of the columns, if they differ from those of the rows.
    Returns:
        (..., U, U) attention and (..., U) removed mass in [0, 1], before rescaling.
    """
    attention = attention_between(weights, units, keys)
    removed = removed_mass(attention)
    return (renormalised(attention) if special == "renormalise" else attention), removed


def attention_in_layer(trace: Trace, layer: int, units: Units, special: Special) -> tuple[FloatArray, FloatArray]:
    """`shown_attention` of all heads of a layer: (H, U, U) and (H, U).

    The removed mass of an excerpt is of all special tokens of its text, and its rows lack what goes to tokens outside.
    A sink is no hidden token, and rows are rescaled to what it leaves.
    """
    excerpt = trace.layers[layer]
    if trace.whole is None or not isinstance(excerpt, LayerExcerpt):
        attention, removed = shown_attention(trace.weights(layer), units, special)
        if excerpt.sink is None:
            return attention, removed
        sink = attention_to_sink(trace, layer, units)
        rescaled = attention * (1 - sink)[..., None] if special == "renormalise" else attention
        return rescaled, np.maximum(removed - sink, 0)
    hidden = np.array(trace.whole.tokens.special, np.float32) * (special != "show")  # (S,)
    means = word_mean_matrix(units.members, units.length)  # (U, T)
    heads = [
        (attention_between(weights[:, excerpt.rows], units), means @ (weights @ hidden))
        for weights in excerpt.weights_over_text()  # (T, S)
    ]
    attention, removed = (np.stack(arrays) for arrays in zip(*heads, strict=True))
    return (renormalised(attention) if special == "renormalise" else attention), removed


def attention_to_sink(trace: Trace, layer: int, units: Units) -> FloatArray:
    """(H, U) what each unit of a view gives to the sink of a head, which is no token; 0 without sinks."""
    return trace.to_sink(layer) @ word_mean_matrix(units.members, units.length).T


def attention_of_head(
    trace: Trace, layer: int, head: int, units: Units, special: Special
) -> tuple[FloatArray, FloatArray]:
    """`attention_in_layer` of one head, or of the mean over the heads if `head` is MEAN: (U, U) and (U,)."""
    if trace.whole is None and trace.layers[layer].sink is None:
        return shown_attention(head_or_mean(trace.weights(layer), head), units, special)
    kept: Special = "show" if special == "show" else "hide"
    heads, removed = attention_in_layer(trace, layer, units, kept)
    attention = head_or_mean(heads, head)
    mass = removed.mean(axis=0) if head == MEAN else removed[head]
    if special != "renormalise":
        return attention, mass
    kept_of_sink = 1 - head_or_mean(attention_to_sink(trace, layer, units)[:, None], head)[0]  # (U,)
    return renormalised(attention) * kept_of_sink[:, None], mass


class WordAttention(NamedTuple):
    """Attention between words: W labels, and weights (H, W, W) whose rows sum to 1 without hidden tokens and sinks."""

    words: tuple[str, ...]
    weights: FloatArray


def word_attention(trace: Trace, layer: int, *, special: Special = "show") -> WordAttention:
    """A layer's attention between words instead of wordpieces, special tokens included unless they are hidden.

    Source: Clark et al. (2019), section 4.1.
    """
    units = units_of(trace.tokens, level="words", special=special)
    return WordAttention(units.labels, shown_attention(trace.weights(layer), units, special)[0])


def attention_between(weights: FloatArray, units: Units, keys: Units | None = None) -> FloatArray:
    """Attention between units: summed over the key pieces of a unit, averaged over its query pieces.

    Rows sum to 1 if no token is hidden; otherwise the rest is attention to hidden tokens.

    Args:
        weights: (..., T, T) attention weights, or (..., T, S) with `keys`.
        keys: the units of the columns, if they differ from those of the rows.
    Returns:
        (..., U, U), or one column for each of `keys`.
    Raises:
        ShapeError: the weights do not match the units.
    Source: Clark et al. (2019), section 4.1.
    """
    keys = units if keys is None else keys
    if weights.shape[-2:] != (units.length, keys.length):
        raise ShapeError(f"Weights are {weights.shape}; the units group {units.length} and {keys.length} tokens.")
    if _units_are_tokens(units) and _units_are_tokens(keys):
        return weights
    return np.matmul(np.matmul(word_mean_matrix(units.members, units.length), weights), membership(keys).T)


def _units_are_tokens(units: Units) -> bool:
    """Whether each token is a unit of its own."""
    return units.members == tuple((position,) for position in range(units.length))


def within_sentences(attention: FloatArray, units: Units, sentences: Sentences) -> FloatArray:
    """Attention from one sentence to another: all other cells become NaN.

    Args:
        attention: (..., U, U), query by key.
        sentences: "A→B" keeps the attention of A's units to B's. `[CLS]` belongs to A, each `[SEP]` to the sentence
            before.
    """
    if sentences == "all" or units.sentence_b_start is None:
        return attention
    in_b = np.arange(len(units)) >= units.sentence_b_start  # (U,)
    rows, columns = (in_b if letter == "B" else ~in_b for letter in sentences.split("→"))
    return np.where(rows[:, None] & columns, attention, np.float32(np.nan))


def removed_mass(attention: FloatArray) -> FloatArray:
    """Each query's attention to hidden units: (..., U, U) to (..., U), in [0, 1]."""
    return np.maximum(1 - attention.sum(axis=-1), 0)  # rounding may make a sum exceed 1


def renormalised(attention: FloatArray) -> FloatArray:
    """Rows rescaled to sum to 1; an all-zero row stays zero."""
    total = attention.sum(axis=-1, keepdims=True)
    return np.divide(attention, total, out=np.zeros_like(attention), where=total > 0)


def strongest_cell(weights: FloatArray, queries: Sequence[int], keys: Sequence[int]) -> tuple[int, int]:
    """The query and the key with the largest weight between two different tokens, the first of near-ties.

    Args:
        weights: (T, T) of one head, query by key.
    Returns:
        The query and the key; the same token twice if there is only one.
    Raises:
        ShapeError: no queries or no keys.
    """
    if not queries or not keys:
        raise ShapeError("There are no queries or no keys to search among.")
    among = weights[np.ix_(queries, keys)]  # (Q, S)
    same = np.equal.outer(np.array(queries), np.array(keys))  # (Q, S)
    if not same.all():
        among = np.where(same, -1, among)
    row, column = np.unravel_index(first_largest(among), among.shape)
    return queries[int(row)], keys[int(column)]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordProfile:
    """One word's row and column of attention between the words of its text.

    Attributes:
        units: the U words and special tokens of the text.
        word: index of the word among them.
        looks_at: (U,) its row: its attention to each unit; sums to 1.
        looked_at_by: (U,) its column: each unit's attention to it, in [0, 1].
    """

    units: Units
    word: int
    looks_at: FloatArray
    looked_at_by: FloatArray


def word_profile(weights: FloatArray, tokens: Tokens, positions: Sequence[int], *, head: int) -> WordProfile:
    """What a word looks at and what looks at it, in one head of a layer or in the mean of its heads.

    Attention is summed over the pieces of a key word and averaged over those of a query word. Special tokens are
    included.

    Args:
        weights: (H, T, T) attention weights of one layer, query by key.
        positions: the word's tokens.
        head: one of H, or `encoder.measures.unit_attention.MEAN`.
    Raises:
        ShapeError: the weights do not match the tokens.
        SelectionError: there is no such head, or the positions are not a whole word.
    Source: Clark et al. (2019), section 4.1.
    """
    units = units_of(tokens, level="words")
    if tuple(positions) not in units.members:
        raise SelectionError(
            f"Tokens {tuple(positions)} are not a word of this text: choose one of "
            f"{', '.join(map(str, units.members[:MOST_NAMED]))}."
        )
    word = units.members.index(tuple(positions))
    attention = attention_between(head_or_mean(weights, head), units)  # (U, U)
    return WordProfile(
        units=units, word=word, looks_at=np.copy(attention[word]), looked_at_by=np.copy(attention[:, word])
    )
