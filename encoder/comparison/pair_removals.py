"""Test a map of pairs: does the cosine fall faster when pairs are removed in the map's order than in random orders?

Removing a pair replaces its word of A and its word of B by `[MASK]`. Each word is in one pair at most, so that all
orders remove equally many words of A and of B. The measured quantity is the one that the map decomposes: the cosine
without the terms of the references,

    cos(A', B') − cos(r_A, B') − cos(A', r_B) + cos(r_A, r_B),

where A' and B' are the remaining texts. The cosine alone is unsuitable: masked texts are similar to each other, so it
rises again in the end. Every order ends at 0, where all words of one text are removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from encoder.attribution.removal_curves import RANDOM_ORDERS, removal_counts
from encoder.attribution.removals import without
from encoder.comparison.text_vectors import text_vectors
from encoder.errors import ArgumentError
from encoder.measures.near_ties import largest_first
from encoder.models.base import Backend, Progress
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
        a, b: the texts, each encoded alone.
        units_a, units_b: the positions of each unit's tokens; together all that can be removed.
    """

    backend: Backend
    a: Tokens
    b: Tokens
    units_a: tuple[Positions, ...]
    units_b: tuple[Positions, ...]

    def curve(self, pairs: Sequence[Pair]) -> FloatArray:
        """The decomposed part of the cosine as pairs are removed in an order.

        Returns:
            (S,) parts of the cosine, at the points of `removal_counts(len(pairs))`.
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
        left_a = self._deltas(self.a, self.units_a, [firsts[:count] for count in counts])  # (S, D)
        left_b = self._deltas(self.b, self.units_b, [seconds[:count] for count in counts])  # (S, D)
        return (left_a * left_b).sum(-1)

    def _deltas(self, tokens: Tokens, units: Sequence[Positions], gone: Sequence[Sequence[int]]) -> FloatArray:
        """(S, D) differences between the vectors of the remaining texts and that of the reference."""
        texts = [self._masked(tokens, units, each) for each in (*gone, range(len(units)))]
        vectors = text_vectors(self.backend, texts, self.backend.pooling.split_by)  # (S + 1, D)
        return vectors[:-1] - vectors[-1]

    def _masked(self, tokens: Tokens, units: Sequence[Positions], gone: Sequence[int]) -> Tokens:
        positions = [position for unit in gone for position in units[unit]]
        return without(tokens, positions, "mask", backend=self.backend)


def random_pair_curves(removals: PairRemovals, *, progress: Progress | None = None) -> FloatArray:
    """(20, S) curves of random pairs in random orders; `progress` is called after each."""
    curves = []
    for pairs in random_pairs(len(removals.units_a), len(removals.units_b)):
        curves.append(removals.curve(pairs))
        if progress is not None:
            progress(len(curves), RANDOM_ORDERS)
    return np.stack(curves)
