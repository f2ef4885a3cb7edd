"""Differences of two runs on the words that both texts share: attention and states.

Rows of attention are not rescaled: a row over the shared words sums to less than 1 if the text has other words.

The distance of two rows is half the sum of their absolute differences over the shared words,

    d(h, q) = ½ Σₖ |B(h, q, k) − A(h, q, k)|,

from 0 to 1. If all words are shared, it is the total variation distance. Unlike the Jensen–Shannon distance, it is also
defined for rows that do not sum to 1, and it is the sum of the differences that the view shows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from encoder.comparison.alignment import Alignment
from encoder.errors import ShapeError
from encoder.measures.head_profiles import max_pooled
from encoder.measures.similarity import unit_vectors
from encoder.measures.unit_attention import shown_attention
from encoder.measures.units import Special, Units, unit_states
from encoder.models.pooling import check_pooling, pooled_states
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedRuns:
    """Two runs and the alignment of their texts; "renormalise" scales each run's rows over its own units."""

    a: Trace
    b: Trace
    alignment: Alignment
    special: Special = "show"

    @property
    def have_like_heads(self) -> bool:
        """Whether both models have the same number of layers and heads, so that each head has a counterpart."""
        return (self.a.num_layers, self.a.num_heads) == (self.b.num_layers, self.b.num_heads)


def attention_difference(runs: AlignedRuns, layer: int) -> FloatArray:
    """Signed difference of attention between the shared units, B minus A.

    Returns:
        (H, P, P), query by key, in [-1, 1].
    Raises:
        ShapeError: the models differ in layers or heads.
        SelectionError: there is no such layer.
    """
    if not runs.have_like_heads:
        raise ShapeError(
            f"The models have {runs.a.num_layers} × {runs.a.num_heads} and {runs.b.num_layers} × {runs.b.num_heads} "
            "layers and heads: no head has a counterpart in the other one."
        )
    shared = np.array(runs.alignment.shared, dtype=int).reshape(-1, 2)  # (P, 2)
    sides = zip((runs.a, runs.b), (runs.alignment.a, runs.alignment.b), shared.T, strict=True)
    first, second = (_between(trace, layer, units, places, runs.special) for trace, units, places in sides)
    return second - first


def pooled_differences(runs: AlignedRuns, size: int) -> FloatArray:
    """Signed difference of each head's attention, pooled to fewer cells: the value furthest from 0 in each.

    Returns:
        (L, H, G, G), B minus A, G = min(P, size).
    """
    layers = []
    for layer in range(runs.a.num_layers):
        differences = attention_difference(runs, layer)  # (H, P, P)
        more, less = max_pooled(differences, size), max_pooled(-differences, size)  # (H, G, G)
        layers.append(np.where(more >= less, more, -less))
    return np.stack(layers)


def furthest_from_zero(differences: FloatArray) -> FloatArray:
    """(..., Q, K) to (...): the value furthest from 0, the first of several."""
    flat = differences.reshape(*differences.shape[:-2], -1)
    return np.take_along_axis(flat, np.abs(flat).argmax(-1)[..., None], -1)[..., 0]


def row_distances(runs: AlignedRuns) -> FloatArray:
    """(L, H, P) half the summed absolute difference of each head's row of each shared unit, in [0, 1].

    Raises what `attention_difference` raises.
    """
    layers = [np.abs(attention_difference(runs, layer)).sum(-1) / 2 for layer in range(runs.a.num_layers)]
    return np.stack(layers)


def shared_word_states(runs: AlignedRuns) -> tuple[FloatArray, FloatArray]:
    """(L + 1, W, D) states of the shared words in A and in B: means over their pieces, without special tokens."""
    shared = np.array(runs.alignment.shared_words, dtype=int).reshape(-1, 2)  # (W, 2)
    sides = zip((runs.a, runs.b), (runs.alignment.a, runs.alignment.b), shared.T, strict=True)
    first, second = (unit_states(trace.hidden_states, units)[:, places] for trace, units, places in sides)
    return first, second


def cosines_between(a: FloatArray, b: FloatArray) -> FloatArray:
    """(S, W, W) cosines of each state of `a` (S, W, D) with each state of `b`, in [-1, 1].

    Raises ShapeError if the models differ in layers or width.
    """
    if (len(a), a.shape[-1]) != (len(b), b.shape[-1]):
        raise ShapeError(f"States are {a.shape} and {b.shape}: only those of one model have a cosine.")
    return np.clip(np.matmul(unit_vectors(a), unit_vectors(b).transpose(0, 2, 1)), -1, 1)


def text_cosines(runs: AlignedRuns) -> FloatArray:
    """(L + 1,) cosines of the two texts' states, special tokens included, as their model pools them.

    The last equals that of `encoder.comparison.text_vectors`.

    Raises:
        ShapeError: the models differ in layers or width.
        UnsupportedModelError: the pooling of one of them is not supported.
    """
    check_pooling(*runs.a.notes, *runs.b.notes)
    first, second = (pooled_states(trace)[:, None] for trace in (runs.a, runs.b))  # (L + 1, 1, D)
    return cosines_between(first, second)[:, 0, 0]


def _between(trace: Trace, layer: int, units: Units, places: NDArray[np.intp], special: Special) -> FloatArray:
    """(H, P, P) attention between some units of a run."""
    attention, _ = shown_attention(trace.weights(layer), units, special)
    return attention[:, places[:, None], places]
