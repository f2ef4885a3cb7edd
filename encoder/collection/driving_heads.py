"""Which heads change the most rows when they are silenced, and which errors a head makes.

Source: Michel et al. (2019), section 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from encoder.collection.driving_words import require_whole_text
from encoder.collection.kinds.base import Results
from encoder.collection.reruns import Changed, logits_of, tokenize
from encoder.collection.row_filters import ALL, select_rows
from encoder.collection.table import Collection
from encoder.measures.near_ties import first_largest, heads_that_reach
from encoder.models.base import Backend
from encoder.progress import Progress, no_progress, reported
from encoder.runs.arrays import FloatArray

Flags = npt.NDArray[np.bool_]
Head = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SilencedHeads:
    """What silencing each of L * H heads changes in N rows.

    Attributes:
        rows: (N,) indices of the rows in the collection.
        shifts: (L, H, N) change of the probability of the predicted class, or of the score.
        flipped: (L, H, N) whether the predicted class changes.
        repaired, broken: (L, H, N) whether the row becomes right, or wrong; False without labels.
        num_wrong: how many of the rows have another class than their own, with all heads.
    """

    rows: npt.NDArray[np.intp]
    shifts: FloatArray
    flipped: Flags
    repaired: Flags
    broken: Flags
    num_wrong: int

    @property
    def changes(self) -> FloatArray:
        """(L, H) mean size of the shifts of all rows, whatever their sign."""
        return np.abs(self.shifts).mean(-1)

    @property
    def reaching(self) -> Flags:
        """(L, H) heads that can change a row, with which a head is compared."""
        return heads_that_reach(self.shifts)

    @property
    def flips(self) -> npt.NDArray[np.intp]:
        """(L, H) number of rows whose predicted class changes."""
        return self.flipped.sum(-1)

    def largest(self, counts: npt.NDArray[np.generic]) -> Head:
        """The layer and head of the largest of (L, H) numbers, the first of near-ties."""
        layer, head = np.unravel_index(first_largest(counts), counts.shape)
        return int(layer), int(head)

    @property
    def on_other_half(self) -> tuple[Head, int, int]:
        """The head that changes most of every second row, how many of the other rows it changes, and their number."""
        chosen = self.largest(self.flipped[..., ::2].sum(-1))
        return chosen, int(self.flipped[(*chosen, slice(1, None, 2))].sum()), len(self.rows) // 2

    def errors_of(self, head: Head) -> list[int]:
        """The rows, as indices in the collection, that become right when a head is silenced."""
        rows: list[int] = self.rows[self.repaired[head]].tolist()
        return rows

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of L * H rows, for `pandas.DataFrame`."""
        layers, heads = np.indices(self.changes.shape)
        return {
            "layer": layers.ravel(),
            "head": heads.ravel(),
            "flips": self.flips.ravel(),
            "become_right": self.repaired.sum(-1).ravel(),
            "become_wrong": self.broken.sum(-1).ravel(),
            "mean_change": self.changes.ravel(),
        }


def silence_heads(
    model: Backend,
    collection: Collection,
    results: Results,
    rows: str | Sequence[int] = ALL,
    *,
    progress: Progress = no_progress,
) -> SilencedHeads:
    """Silence each head of a model once, and read some rows again: one forward pass of every row for each head.

    Args:
        results: the model's, of all rows.
        rows: as in `select_rows`.
        progress: called with the heads done and in total; an exception raised there ends the work.
    Raises:
        SelectionError: there are no such rows, or the model's heads cannot be silenced.
        UnsupportedModelError: the model predicts nothing for a whole text.
    """
    results = require_whole_text(results)
    selected = select_rows(collection, results, rows)
    texts = [tokenize(model, text) for text in collection.texts(selected.tolist())]
    heads = [(layer, head) for layer in range(model.num_layers) for head in range(model.num_heads)]
    found = []
    for silenced in reported(heads, progress):
        logits = logits_of(model, texts, silenced_heads=[silenced])
        found.append(Changed.of(results, selected, logits, results.predicted))
    shape = (model.num_layers, model.num_heads)
    return SilencedHeads(
        rows=selected,
        shifts=np.stack([each.changes for each in found]).reshape(*shape, -1),
        flipped=np.stack([each.flipped for each in found]).reshape(*shape, -1),
        repaired=np.stack([~each.was_right & each.is_right for each in found]).reshape(*shape, -1),
        broken=np.stack([each.was_right & ~each.is_right for each in found]).reshape(*shape, -1),
        num_wrong=results.num_wrong(selected),
    )
