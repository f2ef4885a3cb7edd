"""Which heads an output of a model depends on: the output changes when a head is silenced.

Source: Michel et al. (2019), section 3.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from encoder.attribution.explaining import target_of
from encoder.attribution.patching_estimates import silencing_effects
from encoder.attribution.questions import Question
from encoder.attribution.target import Target
from encoder.columns import Columns
from encoder.measures.near_ties import largest_first
from encoder.models.base import Backend
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.text.given import Given
from encoder.text.readings import cut_in_words


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class HeadRanking(Columns):
    """What silencing each head changes.

    Attributes:
        changes: (L, H) in `unit`; negative where the output falls without the head.
        unit: of the output, for example "probability".
        label: the class whose probability changes; "" if the output is no class.
        cut_off: the number of tokens at the end of a long text that the model does not read.
    """

    changes: FloatArray
    unit: str
    label: str = ""
    cut_off: int = 0

    def largest(self, count: int) -> list[tuple[int, int, float]]:
        """(layer, head, change) of the heads with the largest changes in either direction, the largest first."""
        order = np.array(largest_first(np.abs(self.changes), count), np.intp)
        places = zip(*np.unravel_index(order, self.changes.shape), strict=True)
        return [(int(layer), int(head), float(self.changes[layer, head])) for layer, head in places]

    @property
    def about(self) -> str:
        return f"in {self.unit}" + (f" of {self.label!r}" if self.label else "") + cut_in_words(self.cut_off)

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of L * H rows, for `pandas.DataFrame`: layer, head and change."""
        layers, heads = np.indices(self.changes.shape)
        return {"layer": layers.ravel(), "head": heads.ravel(), "change": self.changes.ravel()}


def rank_heads(
    backend: Backend,
    question: Given | Question | Target,
    *,
    label: int | str | None = None,
    progress: Progress = no_progress,
) -> HeadRanking:
    """Silence each head of a model once, and measure what changes: one run for each head, in batches.

    Args:
        question, label: as in `encoder.attribution.explaining.explain`.
        progress: called after each batch; an exception raised there ends the sweep.
    Raises:
        SelectionError: the heads of the model cannot be silenced.
        HeadlightError: the question has no target: see `encoder.attribution.target.resolve_target`.
    """
    target = target_of(backend, question, label)
    changes = silencing_effects(backend, target.tokens, target.shown, progress=progress)
    cut_off = sum(target.tokens.truncated)
    return HeadRanking(changes=changes, unit=target.unit, label=target.label, cut_off=cut_off)
