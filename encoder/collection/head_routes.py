"""Which heads carry the predictions of many rows: their shares of what all links contribute, on two halves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from encoder.attribution.carriers import OPENED, gate_gradients
from encoder.attribution.explaining import target_of
from encoder.collection.driving_words import require_whole_text
from encoder.collection.kinds.base import Results
from encoder.collection.row_filters import ALL, select_rows
from encoder.collection.table import Collection
from encoder.columns import Columns
from encoder.errors import SelectionError
from encoder.measures.ranks import rank_correlation
from encoder.models.base import Backend
from encoder.progress import Progress, no_progress, reported
from encoder.runs.arrays import FloatArray

SHUFFLES: Final = 200
FEWEST: Final = 4  # rows


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class HeadRoutes(Columns):
    """The share of each head in the absolute contributions of all links to the predicted class.

    Attributes:
        rows: (N,) numbers of the rows, in two random halves, one after the other.
        shares: (N, L, H), which add up to 1 in each row.
    """

    rows: NDArray[np.intp]
    shares: FloatArray

    @property
    def halves(self) -> tuple[FloatArray, FloatArray]:
        """The shares of each half of the rows."""
        return self.shares[: len(self.rows) // 2], self.shares[len(self.rows) // 2 :]

    @property
    def columns(self) -> dict[str, Any]:
        """A row for each head, by its mean share in the first half; next to it that in the held-out half.

        `leads` is the share of held-out rows in which no other head has a larger share.
        """
        first, held_out = (half.reshape(len(half), -1) for half in self.halves)  # (N / 2, L * H)
        order = np.argsort(-first.mean(0), kind="stable")
        layers, heads = np.unravel_index(order, self.shares.shape[1:])
        leads = np.bincount(held_out.argmax(1), minlength=held_out.shape[1]) / len(held_out)
        return {
            "layer": layers,
            "head": heads,
            "share": first.mean(0)[order],
            "held_out_share": held_out.mean(0)[order],
            "leads": leads[order],
        }

    @property
    def rest(self) -> dict[str, Any]:
        """The rank correlation of both halves, and 95 % of held-out shares if each row's heads are shuffled."""
        first, held_out = (half[:, self.shares.any(0)] for half in self.halves)  # (N / 2, M) heads that reach it
        rng = np.random.default_rng(0)
        shuffled = [rng.permuted(held_out, axis=1).mean(0) for _ in range(SHUFFLES)]
        low, high = np.quantile(shuffled, [0.025, 0.975]).tolist()
        correlation = rank_correlation(first.mean(0), held_out.mean(0))
        return {"rows": len(self.rows), "correlation": correlation, "shuffled": (low, high)}


def head_routes(
    model: Backend,
    collection: Collection,
    results: Results,
    rows: str | Sequence[int] = ALL,
    *,
    progress: Progress = no_progress,
) -> HeadRoutes:
    """Which heads carry the predicted class or the score of some rows, by the gradients of gates at all links.

    Args:
        results: the model's, of all rows.
        rows: as in `select_rows`.
        progress: called with the rows done and in total; an exception raised there ends the work.
    Raises:
        SelectionError: there are not enough such rows, or the model's attention cannot be changed.
        UnsupportedModelError: the model predicts nothing for a whole text.
    """
    selected = select_rows(collection, require_whole_text(results), rows)
    if len(selected) < FEWEST:
        raise SelectionError(f"Two halves need {FEWEST} rows, and there are {len(selected)}.")
    selected = np.random.default_rng(0).permutation(selected)
    shares = []
    for text in reported(collection.texts(selected.tolist()), progress):
        target = target_of(model, text)
        sizes = np.abs(gate_gradients(model, target.tokens, target.additive, OPENED).mean(0)).sum((-2, -1))  # (L, H)
        shares.append(sizes / (sizes.sum() or 1))
    return HeadRoutes(rows=selected, shares=np.stack(shares))
