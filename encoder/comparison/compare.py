"""Compare two runs: where their heads and words differ most, each with a permutation test.

Heads: within the row of each shared word, the distances are permuted over the heads, independently for each row. If all
heads differed equally, this would change nothing. Each head's mean is compared with the largest mean of any head after
the permutation, which corrects the p values for the number of heads.

Words: each shared word of B is exchanged with every other one. A word is recognisably the same if few others come as
near to it as its counterpart does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from encoder.columns import Columns
from encoder.comparison.alignment import Matching, align
from encoder.comparison.run_differences import (
    AlignedRuns,
    cosines_between,
    most_similar_heads,
    row_distances,
    shared_word_states,
    text_cosines,
)
from encoder.errors import ShapeError
from encoder.measures.inference import p_of_largest_means
from encoder.measures.near_ties import largest_first
from encoder.measures.units import Special
from encoder.models.pooling import unsupported_pooling
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace

WordMeasure = Literal["states", "structure"]
SAME = 0.0001  # distances up to this are rounding errors
PERMUTATIONS = 999
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
        others_as_near: (W,) from `others_as_near`.
    """

    measure: WordMeasure
    by_state: FloatArray
    distances: FloatArray
    others_as_near: FloatArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Comparison(Columns):
    """Where two runs differ.

    Attributes:
        heads: None if the texts share no word, or the models differ in layers or heads and these are matched by number.
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
            return {"word": (), "distance": (), "others_as_near": ()}
        words = [self.runs.alignment.a.labels[in_a] for in_a, _ in self.runs.alignment.shared_words]
        return {"word": words, "distance": self.words.distances, "others_as_near": self.words.others_as_near}

    @property
    def is_without_difference(self) -> bool:
        """Whether the words are the same, and attention and states are equal up to rounding."""
        measured = [] if self.heads is None else [self.heads.distances]
        measured += [] if self.words is None else [self.words.by_state]
        same_words = len(self.runs.alignment.shared) == len(self.runs.alignment.columns)
        partners = self.runs.partners
        same_heads = partners is None or np.array_equal(partners, np.moveaxis(np.indices(partners.shape[:2]), 0, -1))
        return bool(measured) and same_words and same_heads and all(distances.max() <= SAME for distances in measured)

    @property
    def is_without_different_heads(self) -> bool:
        """Whether the attention of all heads is equal up to rounding."""
        return self.heads is not None and bool(self.heads.distances.max() <= SAME)

    def partner(self, layer: int, head: int) -> tuple[int, int]:
        """The layer and the head of B that a head of A is compared with."""
        partners = self.runs.partners
        return (layer, head) if partners is None else (int(partners[layer, head, 0]), int(partners[layer, head, 1]))

    def largest_heads(self, count: int) -> tuple[tuple[int, int], ...]:
        """(layer, head) of the heads that differ most, the largest first; empty if heads are not comparable."""
        if self.heads is None:
            return ()
        order = np.array(largest_first(self.heads.distances, count), np.intp)
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
        matching: which head of B a head of A is compared with; "likeness" is that of `most_similar_heads` on this text.
    Raises:
        ShapeError: "states", but the models differ in layers or width.
    """
    runs = AlignedRuns(a=a, b=b, alignment=align(a.tokens, b.tokens, special=special), special=special)
    if matching == "likeness" and runs.alignment.shared:
        runs = replace(runs, partners=most_similar_heads(runs))
    has_cosine = measure == "states" and not unsupported_pooling(*a.notes, *b.notes)
    return Comparison(
        runs=runs,
        heads=_compare_heads(runs),
        words=_compare_words(runs, measure),
        text_cosines=text_cosines(runs) if has_cosine else None,
    )


def _compare_heads(runs: AlignedRuns) -> HeadDifferences | None:
    if not (runs.have_like_heads or runs.partners is not None) or not runs.alignment.shared_words:
        return None
    rows = row_distances(runs)  # (L, H, P)
    rows[rows <= SAME] = 0  # so that no p is of rounding errors
    return HeadDifferences(distances=rows.mean(-1), p_values=head_p_values(rows))


def _compare_words(runs: AlignedRuns, measure: WordMeasure) -> WordDifferences | None:
    count = len(runs.alignment.shared_words)
    if count < (1 if measure == "states" else 2):
        return None
    states = shared_word_states(runs)
    if measure == "states":
        between = 1 - cosines_between(*states)  # (L + 1, W, W)
        own, mean = np.diagonal(between, axis1=1, axis2=2), between[1:].mean(0)
        return WordDifferences(
            measure=measure, by_state=own, distances=own[1:].mean(0), others_as_near=others_as_near(mean)
        )
    if len(states[0]) != len(states[1]):
        states = states[0][-1:], states[1][-1:]
    first, second = (cosines_between(each, each) for each in states)  # (S, W, W)
    layers = slice(1, None) if len(first) > 1 else slice(None)
    by_state = np.abs(first - second).sum(-1) / (count - 1)  # a word's cosine with itself is 1 in both
    return WordDifferences(
        measure=measure,
        by_state=by_state,
        distances=by_state[layers].mean(0),
        others_as_near=others_as_near(_structure_between(first[layers], second[layers])),
    )


def _structure_between(first: FloatArray, second: FloatArray) -> FloatArray:
    """(W, W) how far each word of A is from each of B if these two are exchanged, from cosines (S, W, W) in each."""
    rows = []
    for word in range(first.shape[-1]):
        gaps = np.abs(first[:, word, None] - second)  # (S, W, W), B's words by the other words
        exchanged = np.abs(first[:, word] - second[:, :, word])  # (S, W), the cosine with the word that it replaces
        rows.append((gaps.sum(2) - gaps[:, :, word] - np.diagonal(gaps, axis1=1, axis2=2) + exchanged).mean(0))
    return (np.stack(rows) / (len(rows) - 1)).astype(np.float32)


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
    found = p_of_largest_means(distances.reshape(-1, distances.shape[-1]), shuffles=permutations)
    return found.reshape(distances.shape[:2]).astype(np.float32)


def others_as_near(between: FloatArray) -> FloatArray:
    """The share of B's other words that are as near to a word of A as its counterpart is.

    Args:
        between: (W, W) distances of A's words to B's, in the same order.
    Returns:
        (W,) in [0, 1]; NaN for a single word.
    """
    count = len(between)
    as_near = (between <= np.diagonal(between)[:, None] + WORD_TOLERANCE).sum(1) - 1
    return (as_near / (count - 1) if count > 1 else np.full(count, np.nan)).astype(np.float32)
