"""Differences of two runs on the words that both texts share: attention and states.

Rows of attention are not rescaled: a row over the shared words sums to less than 1 if the text has other words.

The distance of two rows is half the sum of their absolute differences over the shared words,

    d(h, q) = ½ Σₖ |B(h, q, k) − A(h, q, k)|,

from 0 to 1. If all words are shared, it is the total variation distance. Unlike the Jensen–Shannon distance, it is also
defined for rows that do not sum to 1, and it is the sum of the differences that the view shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from encoder.comparison.alignment import Alignment
from encoder.errors import ShapeError
from encoder.measures.head_profiles import max_pooled
from encoder.measures.similarity import unit_vectors
from encoder.measures.unit_attention import attention_in_layer
from encoder.measures.units import Special, unit_states
from encoder.models.pooling import check_pooling, pooled_states
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace

MOST_ROWS = 64  # by which heads are matched


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedRuns:
    """Two runs and the alignment of their texts; "renormalise" scales each run's rows over its own units.

    Attributes:
        partners: (L, H, 2) layer and head in B that each head of A is compared with; None for those of the same number.
    """

    a: Trace
    b: Trace
    alignment: Alignment
    special: Special = "show"
    partners: NDArray[np.intp] | None = None

    @property
    def have_like_heads(self) -> bool:
        """Whether both models have the same number of layers and heads, so that each head has a counterpart."""
        return (self.a.num_layers, self.a.num_heads) == (self.b.num_layers, self.b.num_heads)


def most_similar_heads(runs: AlignedRuns) -> NDArray[np.intp]:
    """For each head of A, the head of B whose attention between the shared units differs least; several may share one.

    The distance is that of `row_distances`, over all rows, or over `MOST_ROWS` evenly spaced ones.

    Returns:
        (L, H, 2) layers and heads of B, the first of several equal ones.
    Raises:
        ShapeError: the texts share no unit.
    """
    count = len(runs.alignment.shared)
    if not count:
        raise ShapeError("The two texts share no word, so that no head is like another.")
    rows = np.linspace(0, count - 1, min(count, MOST_ROWS)).round().astype(int)
    own, others = ([each[:, rows].reshape(len(each), -1) for each in _layers(runs, side)] for side in (0, 1))
    of_b = np.concatenate(others)  # (L * H of B, R * P)
    nearest = [np.abs(of_b - head).sum(-1).argmin() for layer in own for head in layer]
    return np.stack(np.divmod(np.array(nearest), runs.b.num_heads), -1).reshape(runs.a.num_layers, -1, 2)


def attention_difference(runs: AlignedRuns, layer: int) -> FloatArray:
    """Signed difference of attention between the shared units, B minus A, for the heads of a layer of A.

    Returns:
        (H, P, P), query by key, in [-1, 1].
    Raises:
        ShapeError: the models differ in layers or heads, and heads are compared by their number.
        SelectionError: there is no such layer.
    """
    _check_partners(runs)
    of_b = {at: _between(runs, 1, at) for at in _layers_of_partners(runs, layer)}
    return _partners_of(runs, layer, of_b) - _between(runs, 0, layer)


def _differences(runs: AlignedRuns) -> Iterator[FloatArray]:
    """`attention_difference` of every layer of A; each layer of B is computed once."""
    _check_partners(runs)
    of_b: dict[int, FloatArray] = {}
    for layer, own in enumerate(_layers(runs, 0)):
        if runs.partners is None:
            of_b.clear()
        of_b |= {at: _between(runs, 1, at) for at in _layers_of_partners(runs, layer) if at not in of_b}
        yield _partners_of(runs, layer, of_b) - own


def _check_partners(runs: AlignedRuns) -> None:
    if runs.partners is None and not runs.have_like_heads:
        raise ShapeError(
            f"The models have {runs.a.num_layers} × {runs.a.num_heads} and {runs.b.num_layers} × {runs.b.num_heads} "
            "layers and heads: no head has a counterpart in the other one."
        )


def _layers_of_partners(runs: AlignedRuns, layer: int) -> list[int]:
    return [layer] if runs.partners is None else np.unique(runs.partners[layer, :, 0]).tolist()


def _partners_of(runs: AlignedRuns, layer: int, of_b: Mapping[int, FloatArray]) -> FloatArray:
    """(H, P, P) attention of the heads of B that those of a layer of A are compared with, from layers of B."""
    if runs.partners is None:
        return of_b[layer]
    return np.stack([of_b[at][head] for at, head in runs.partners[layer].tolist()])


def pooled_differences(runs: AlignedRuns, size: int) -> FloatArray:
    """Signed difference of each head's attention, pooled to fewer cells: the value furthest from 0 in each.

    Returns:
        (L, H, G, G), B minus A, G = min(P, size).
    """
    layers = []
    for differences in _differences(runs):  # (H, P, P)
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
    return np.stack([np.abs(differences).sum(-1) / 2 for differences in _differences(runs)])


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
    first, second = (pooled_states(trace.whole or trace)[:, None] for trace in (runs.a, runs.b))  # (L + 1, 1, D)
    return cosines_between(first, second)[:, 0, 0]


def _layers(runs: AlignedRuns, side: Literal[0, 1]) -> Iterator[FloatArray]:
    """(H, P, P) attention between the shared units in each layer of A (0) or of B (1)."""
    return (_between(runs, side, layer) for layer in range((runs.a, runs.b)[side].num_layers))


def _between(runs: AlignedRuns, side: Literal[0, 1], layer: int) -> FloatArray:
    """(H, P, P) attention between the shared units in a layer of A (0) or of B (1)."""
    trace, units = ((runs.a, runs.alignment.a), (runs.b, runs.alignment.b))[side]
    places = np.array(runs.alignment.shared, dtype=int).reshape(-1, 2)[:, side]  # (P,)
    attention, _ = attention_in_layer(trace, layer, units, runs.special)
    return attention[:, places[:, None], places]
