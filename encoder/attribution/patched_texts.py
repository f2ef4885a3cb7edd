"""A number of one text, where any token's state can be that of the same token in another text."""

from __future__ import annotations

from dataclasses import dataclass

from encoder.attribution.patching_estimates import patching_effects, patching_estimates
from encoder.attribution.quantities import Quantity, measure
from encoder.measures.ranks import rank_correlation
from encoder.models.base import Backend, Progress
from encoder.runs.arrays import FloatArray
from encoder.text.tokens import Tokens


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PatchedTexts:
    """Two texts of as many tokens, and the number that is looked at.

    Attributes:
        source: the text that states come from.
        target: the text that they go to.
        quantity: a number of either text.
    """

    source: Tokens
    target: Tokens
    quantity: Quantity

    def values(self, backend: Backend) -> tuple[float, float]:
        """The number of the source and of the target as they are."""
        source, target = measure(backend, [self.source, self.target], self.quantity).tolist()
        return source, target

    def estimates(self, backend: Backend) -> FloatArray:
        """(L + 1, T) changes of the target's number by hidden state and token, from two backward passes."""
        return patching_estimates(backend, self.source, self.target, self.quantity)

    def effects(self, backend: Backend, progress: Progress | None = None) -> FloatArray:
        """(L + 1, T) the same exactly, by a run for each; `progress` as in `patching_effects`."""
        return patching_effects(backend, self.source, self.target, self.quantity, progress=progress)


def agreement(estimates: FloatArray, effects: FloatArray) -> float:
    """Rank correlation of both where a patch, or a silenced head, can change anything.

    It cannot where the two texts have the same state, or where nothing reads a token any more; estimates are 0 there.

    Args:
        estimates, effects: (L + 1, T) of `PatchedTexts`, or (L, H) by silenced head.
    Returns:
        From -1 to 1; 0 where fewer than two can change anything.
    """
    can_change = estimates != 0
    return rank_correlation(estimates[can_change], effects[can_change]) if can_change.sum() > 1 else 0.0
