"""What the choosing half decides before the other half is measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from encoder.atlas.claims import SYNTACTIC, best_offset
from encoder.atlas.counts import Counts, Floats
from encoder.atlas.heads import strongest_habits
from encoder.atlas.names import DIRECTIONS


@dataclass(frozen=True, slots=True)
class Chosen:
    """For every head what its examples are of, and the weights of the mixture.

    Attributes:
        habits: (L, H) index in SHARES.
        relations: by layer and head a relation and an index in DIRECTIONS; heads that nowhere beat the offset by 10
            points lack.
        mixture: (2, L, H), or None without trees.
    """

    habits: list[list[int]]
    relations: dict[tuple[int, int], tuple[str, int]]
    mixture: Floats | None


def choose(counts: Counts, mixture: Floats | None, *, fewest: int) -> Chosen:
    """Decide by the counts of the choosing half.

    Args:
        fewest: examples that a relation must have there.
    """
    found: dict[tuple[int, int], tuple[str, int]] = {}
    leads = np.full(counts.shape, SYNTACTIC)
    for name, relation in sorted(counts.relations.items()):
        if relation.n < fewest:
            continue
        for direction in range(len(DIRECTIONS)):
            offset = best_offset(relation, direction)
            by_offset = relation.offsets[offset if direction == 0 else -offset]
            lead = (relation.right[direction] - by_offset) / relation.n  # (L, H)
            for layer, head in np.argwhere(lead > leads).tolist():
                leads[layer, head] = lead[layer, head]
                found[layer, head] = (name, direction)
    return Chosen(strongest_habits(counts), found, mixture)
