"""Compare two runs: where their heads and words differ most, each with a permutation test.

Heads: within the row of each shared word, the distances are permuted over the heads, independently for each row. If all
heads differed equally, this would change nothing. Each head's mean is compared with the largest mean of any head after
the permutation, which corrects the p values for the number of heads.

Words: the assignment of B's shared words to A's is permuted. If words were no closer to their counterparts than to
other words of B, this would change nothing.

A p value is (1 + permutations that reach the observed value) / (1 + permutations), and so never 0.

Sources: Westfall and Young (1993), "Resampling-Based Multiple Testing", and Nichols and Holmes (2002) for the largest
value; Phipson and Smyth (2010), "Permutation P-values Should Never Be Zero".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from encoder.columns import Columns
from encoder.comparison.alignment import Matching, align
from encoder.comparison.run_differences import (
    AlignedRuns,
    cosines_between,
    likest_heads,
    row_distances,
    shared_word_states,
    text_cosines,
)
from encoder.errors import ShapeError
from encoder.measures.near_ties import largest_first
from encoder.measures.units import Special
from encoder.models.pooling import unsupported_pooling
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace

WordMeasure = Literal["states", "structure"]
SAME = 0.0001  # distances up to this are rounding errors
PERMUTATIONS, SEED = 200, 0
HEAD_TOLERANCE = 1e-9  # of float64 means of the same numbers in another order
WORD_TOLERANCE = 1e-6  # of distances computed from float32 cosines


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class HeadDifferences:
    """How far heads differ: (L, H) mean distances of their rows over the shared units, in [0, 1], and p values."""

    distances: FloatArray
    p_values: FloatArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WordDifferences:
    """How far each shared word differs between two runs.

    Attributes:
        measure: "states": one minus the cosine of a word's two states, from 0 to 2; "structure": the mean absolute
            difference of a word's cosines to the other shared words, from 0 to 2, for models whose states have no
            common axes.
        by_state: (S, W), S = L + 1 with the embeddings first; S = 1, the last states, if the models differ in layers.
        distances: (W,) the mean over the outputs of the layers.
        p_values: (W,) from `word_p_values`.
    """

    measure: WordMeasure
    by_state: FloatArray
    distances: FloatArray
    p_values: FloatArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Comparison(Columns):
    """Where two runs differ.

    Attributes:
        heads: None if the texts share no unit, or the models differ in layers or heads and these are matched by number.
        words: None if the texts share no word, or for "structure" fewer than two.
        text_cosines: (L + 1,) of the texts' pooled states; None for "structure", or if the pooling is not supported.
    """

    runs: AlignedRuns
    heads: HeadDifferences | None
    words: WordDifferences | None
    text_cosines: FloatArray | None

    @property
    def about(self) -> str:
        return f"of {self.runs.a!r} and {self.runs.b!r}"

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of L * H rows, how far each head differs; of the shared words where heads are not comparable."""
        if (of_heads := self.heads) is not None:
            layers, heads = map(np.ravel, np.indices(of_heads.distances.shape))
            numbers = {"distance": of_heads.distances.ravel(), "p": of_heads.p_values.ravel()}
            return {"layer": layers, "head": heads, **numbers}
        if self.words is None:
            return {"word": (), "distance": (), "p": ()}
        words = [self.runs.alignment.a.labels[in_a] for in_a, _ in self.runs.alignment.shared_words]
        return {"word": words, "distance": self.words.distances, "p": self.words.p_values}

    @property
    def is_without_difference(self) -> bool:
        """Whether the words are the same, and attention and states are equal up to rounding."""
        measured = [] if self.heads is None else [self.heads.distances]
        measured += [] if self.words is None else [self.words.by_state]
        same_words = len(self.runs.alignment.shared) == len(self.runs.alignment.columns)
        partners = self.runs.partners
        same_heads = partners is None or np.array_equal(partners, np.moveaxis(np.indices(partners.shape[:2]), 0, -1))
        return bool(measured) and same_words and same_heads and all(distances.max() <= SAME for distances in measured)

    def partner(self, layer: int, head: int) -> tuple[int, int]:
        """The layer and the head of B that a head of A is compared with."""
        partners = self.runs.partners
        return (layer, head) if partners is None else (int(partners[layer, head, 0]), int(partners[layer, head, 1]))

    def largest_heads(self, count: int) -> tuple[tuple[int, int], ...]:
        """(layer, head) of the heads that differ most, the largest first; empty if heads are not comparable."""
        if self.heads is None:
            return ()
        order = largest_first(self.heads.distances, count)
        layers, heads = np.unravel_index(order, self.heads.distances.shape)
        return tuple(zip(layers.tolist(), heads.tolist(), strict=True))

    def largest_words(self, count: int) -> tuple[int, ...]:
        """Indices into the shared words of those that differ most, the largest first."""
        if self.words is None:
            return ()
        return largest_first(self.words.distances, count)


def compare(
    a: Trace,
    b: Trace,
    *,
    special: Special = "show",
    measure: WordMeasure = "states",
    matching: Matching = "number",
) -> Comparison:
    """Compare two runs on the words that their texts share.

    Args:
        a, b: of one model over two texts, of two models over one text, or of one model before and after a change.
        special: whether special tokens are included, and whether rows are renormalised without them.
        measure: how words are compared; "states" needs models that share their axes.
        matching: which head of B a head of A is compared with; "likeness" is measured on this text, by `likest_heads`.
    Raises:
        ShapeError: "states", but the models differ in layers or width.
    """
    runs = AlignedRuns(a=a, b=b, alignment=align(a.tokens, b.tokens, special=special), special=special)
    if matching == "likeness" and runs.alignment.shared:
        runs = replace(runs, partners=likest_heads(runs))
    has_cosine = measure == "states" and not unsupported_pooling(*a.notes, *b.notes)
    return Comparison(
        runs=runs,
        heads=_compare_heads(runs),
        words=_compare_words(runs, measure),
        text_cosines=text_cosines(runs) if has_cosine else None,
    )


def _compare_heads(runs: AlignedRuns) -> HeadDifferences | None:
    if not (runs.have_like_heads or runs.partners is not None) or not runs.alignment.shared:
        return None
    rows = row_distances(runs)  # (L, H, P)
    return HeadDifferences(distances=rows.mean(-1), p_values=head_p_values(rows))


def _compare_words(runs: AlignedRuns, measure: WordMeasure) -> WordDifferences | None:
    count = len(runs.alignment.shared_words)
    if count < (1 if measure == "states" else 2):
        return None
    states = shared_word_states(runs)
    if measure == "states":
        between = 1 - cosines_between(*states)  # (L + 1, W, W)
        own, mean = np.diagonal(between, axis1=1, axis2=2), between[1:].mean(0)
        p_values = word_p_values(lambda order: mean[np.arange(count), order], count)
        return WordDifferences(measure=measure, by_state=own, distances=own[1:].mean(0), p_values=p_values)
    if len(states[0]) != len(states[1]):
        states = states[0][-1:], states[1][-1:]
    first, second = (cosines_between(each, each) for each in states)  # (S, W, W)
    layers = slice(1, None) if len(first) > 1 else slice(None)

    def distances_after(order: NDArray[np.intp]) -> FloatArray:
        return _structure_distances(first[layers], second[layers], order).mean(0)

    by_state = _structure_distances(first, second, np.arange(count))
    return WordDifferences(
        measure=measure,
        by_state=by_state,
        distances=by_state[layers].mean(0),
        p_values=word_p_values(distances_after, count),
    )


def _structure_distances(first: FloatArray, second: FloatArray, order: NDArray[np.intp]) -> FloatArray:
    """(S, W) mean absolute difference of each word's cosines (S, W, W) to the other words, with B's words permuted."""
    differences = np.abs(first - second[:, order[:, None], order])
    return differences.sum(-1) / (first.shape[-1] - 1)  # a word's cosine with itself is 1 in both


def head_p_values(distances: FloatArray, *, permutations: int = PERMUTATIONS) -> FloatArray:
    """P values of the heads' differences, corrected for the number of heads.

    Args:
        distances: (L, H, P) of each head's row of each shared unit, from `run_differences.row_distances`.
    Returns:
        (L, H) in (0, 1]. With one shared unit, even the head that differs most gets 1.
    Raises:
        ShapeError: there is no shared unit.
    """
    if not distances.shape[-1]:
        raise ShapeError("The two texts share no word, so no row can be permuted.")
    rows = distances.reshape(-1, distances.shape[-1]).astype(np.float64)  # (L * H, P)
    observed = rows.mean(1)
    generator = np.random.default_rng(SEED)
    reached = np.ones(len(rows))
    for _ in range(permutations):
        largest = generator.permuted(rows, axis=0).mean(1).max()
        reached += largest >= observed - HEAD_TOLERANCE
    return (reached / (1 + permutations)).reshape(distances.shape[:2]).astype(np.float32)


def word_p_values(distances_after: Callable[[NDArray[np.intp]], FloatArray], count: int) -> FloatArray:
    """P values of the words' closeness to their counterparts.

    Args:
        distances_after: returns (W,) distances of A's words to B's if word i of A corresponds to word permutation[i] of
            B.
        count: W, the number of shared words.
    Returns:
        (W,) in (0, 1]; small if a word of A is closer to its counterpart than to other words of B.
    """
    farthest = distances_after(np.arange(count)) + WORD_TOLERANCE
    generator = np.random.default_rng(SEED)
    reached = np.ones(count)
    for _ in range(PERMUTATIONS):
        reached += distances_after(generator.permutation(count)) <= farthest
    return (reached / (1 + PERMUTATIONS)).astype(np.float32)
