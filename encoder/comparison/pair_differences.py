"""Which pairs of words two models weigh most differently in the cosines that they give to the same two texts.

Cosines of two models have different scales: what a pair adds is compared as a share of all that the pairs of its model
add and take away. Units are words, so that models with different tokenizers can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from encoder.comparison.alignment import Alignment, align
from encoder.comparison.exact_splits import ExactSplit
from encoder.comparison.pair_removals import Pair
from encoder.comparison.similarity_map import SimilarityMap
from encoder.measures.near_ties import largest_first
from encoder.runs.arrays import FloatArray
from encoder.text.occurrences import Positions
from encoder.text.tokens import Tokens

SplitCosine = tuple[SimilarityMap | ExactSplit, tuple[Tokens, Tokens]]  # of A and B, each encoded alone


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PairDifferences:
    """What each pair of words adds to the cosine of A and B in two models.

    Attributes:
        a, b: U words of A and V of B; those that one model reads as several are together.
        shares: (2, U, V) by model, what a pair adds; the absolute values of a model sum to 1. 0 where a model does not
            read a word.
    """

    a: tuple[str, ...]
    b: tuple[str, ...]
    shares: FloatArray

    @property
    def largest(self) -> list[Pair]:
        """All pairs, those whose shares differ most between the models first."""
        order = largest_first(np.abs(self.shares[0] - self.shares[1]))
        return [divmod(index, len(self.b)) for index in order]

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of U · V rows in the order of `largest`, for `pandas.DataFrame`."""
        rows, columns = np.array(self.largest).T
        return {
            "a": [self.a[row] for row in rows],
            "b": [self.b[column] for column in columns],
            "share": self.shares[0, rows, columns],
            "other_share": self.shares[1, rows, columns],
        }


def pair_differences(one: SplitCosine, other: SplitCosine) -> PairDifferences:
    """Compare the maps of two models over the same two texts; the maps are of words or of wordpieces."""
    (_, (one_a, one_b)), (_, (other_a, other_b)) = one, other
    a, b = align(one_a, other_a, special="hide"), align(one_b, other_b, special="hide")
    shares = np.zeros((2, len(a.columns), len(b.columns)), np.float32)
    for side, (found, _) in enumerate((one, other)):
        of_words = _sums(a, side, found.units_a) @ found.values @ _sums(b, side, found.units_b).T  # (U, V)
        shares[side] = of_words / (np.abs(of_words).sum() or 1)
    return PairDifferences(a=_labels(a), b=_labels(b), shares=shares)


def _sums(alignment: Alignment, side: int, units: Sequence[Positions]) -> FloatArray:
    """(C, U) matrix that sums the units of a model's map within each column."""
    members = (alignment.a, alignment.b)[side].members
    column_of = {
        position: number
        for number, column in enumerate(alignment.columns)
        if (unit := column[side]) is not None
        for position in members[unit]
    }
    matrix = np.zeros((len(alignment.columns), len(units)), np.float32)
    for number, positions in enumerate(units):
        matrix[column_of[positions[0]], number] = 1
    return matrix


def _labels(alignment: Alignment) -> tuple[str, ...]:
    """The words of the columns, as the first model reads them where both do."""
    units = alignment.a, alignment.b
    return tuple(
        next(of_side.labels[unit] for of_side, unit in zip(units, column, strict=True) if unit is not None)
        for column in alignment.columns
    )
