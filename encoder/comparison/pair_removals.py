"""Test a map of pairs: does the score fall faster when pairs are removed in the map's order than in random orders?

Removing a pair replaces its word of A and its word of B by `[MASK]`. Each word is in one pair at most, so that all
orders remove equally many words of A and of B. The measured quantity is the score s, such as the cosine, without the
terms of the references,

    s(A', B') − s(r_A, B') − s(A', r_B) + s(r_A, r_B),

where A' and B' are the remaining texts. It is what a map of the cosine decomposes. The score alone is unsuitable:
masked texts are similar to each other, so it rises again in the end. Every order ends at 0, where all words of one text
are removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from encoder.attribution.removal_curves import RANDOM_ORDERS, removal_counts
from encoder.attribution.removals import without
from encoder.comparison.exact_splits import similarities_of, vectors_of_tokens
from encoder.comparison.text_vectors import text_vectors
from encoder.errors import ArgumentError
from encoder.measures.near_ties import largest_first
from encoder.models.base import Backend
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.text.occurrences import Positions
from encoder.text.tokens import Tokens

Pair = tuple[int, int]  # a unit of A and a unit of B


def largest_pairs_first(values: FloatArray) -> tuple[Pair, ...]:
    """Pairs of a map (U_A, U_B) by falling value, each unit in one pair at most; min(U_A, U_B) in all."""
    rows, columns = np.unravel_index(largest_first(values), values.shape)
    pairs: dict[int, int] = {}  # by the unit of A
    taken: set[int] = set()  # units of B
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        if row not in pairs and column not in taken:
            pairs[row] = column
            taken.add(column)
    return tuple(pairs.items())


def random_pairs(units_a: int, units_b: int) -> list[tuple[Pair, ...]]:
    """20 random orders of random pairs, each unit in one pair at most; the same for the same numbers of units."""
    generator = np.random.default_rng(0)
    return [
        tuple(zip(generator.permutation(units_a).tolist(), generator.permutation(units_b).tolist(), strict=False))
        for _ in range(RANDOM_ORDERS)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRemovals:
    """Two texts whose pairs of units can be removed.

    Attributes:
        a, b: the texts, each encoded alone; as a query and a document where the model splits its score exactly.
        units_a, units_b: the positions of each unit's tokens; together all that can be removed.
    """

    backend: Backend
    a: Tokens
    b: Tokens
    units_a: tuple[Positions, ...]
    units_b: tuple[Positions, ...]

    def curve(self, pairs: Sequence[Pair]) -> FloatArray:
        """The score without the terms of the references, as pairs are removed in an order.

        Returns:
            (S,) at the points of `removal_counts(len(pairs))`.
        Raises:
            ArgumentError: a unit is in two pairs, or there are fewer pairs than the shorter text has units.
        """
        firsts, seconds = ([pair[side] for pair in pairs] for side in (0, 1))
        shorter = min(len(self.units_a), len(self.units_b))
        if not len(set(firsts)) == len(set(seconds)) == len(pairs) == shorter:
            raise ArgumentError(
                f"An order must have {shorter} pairs, each unit in one at most; {tuple(pairs)} does not."
            )
        counts = removal_counts(len(pairs))
        left_a = self._remaining(self.a, self.units_a, [firsts[:count] for count in counts])
        left_b = self._remaining(self.b, self.units_b, [seconds[:count] for count in counts])
        scores = self._scores(left_a, left_b).astype(np.float64)
        return np.diagonal(scores)[:-1] - scores[-1, :-1] - scores[:-1, -1] + scores[-1, -1]

    def _scores(self, a: Sequence[Tokens], b: Sequence[Tokens]) -> FloatArray:
        """(S + 1, S + 1) scores of the remaining texts."""
        model = self.backend
        if model.pooling.splits_exactly:
            return similarities_of(model, vectors_of_tokens(model, a, "query"), vectors_of_tokens(model, b, "document"))
        one, other = (text_vectors(model, texts, model.pooling.split_by) for texts in (a, b))  # (S + 1, D)
        return one @ other.T

    def _remaining(self, tokens: Tokens, units: Sequence[Positions], gone: Sequence[Sequence[int]]) -> list[Tokens]:
        """The text without each of S sets of units, then its reference."""
        positions = [[position for unit in each for position in units[unit]] for each in (*gone, range(len(units)))]
        return [without(tokens, each, "mask", backend=self.backend) for each in positions]


def random_pair_curves(removals: PairRemovals, *, progress: Progress = no_progress) -> FloatArray:
    """(20, S) curves of random pairs in random orders; `progress` is called after each."""
    curves = []
    for pairs in random_pairs(len(removals.units_a), len(removals.units_b)):
        curves.append(removals.curve(pairs))
        progress(len(curves), RANDOM_ORDERS)
    return np.stack(curves)
