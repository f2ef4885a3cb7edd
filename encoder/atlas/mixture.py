"""A non-negative mixture of heads that finds the head of a word, learned on the choosing half.

The score of each other word of the sentence is a weighted sum over attention heads: the dependent's attention to it,
and its attention to the dependent, with non-negative coefficients. The word with the largest score is the head.

Source: Clark et al. (2019), section 5, "attention-only probe"; there the coefficients may be negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pyarrow as pa
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits
from torch import Tensor

from encoder.atlas.counts import Arcs, Counts, Floats
from encoder.atlas.layout import Layout
from encoder.atlas.names import DIRECTIONS
from encoder.atlas.reduction import other_words
from encoder.atlas.tables import MIXTURE, table_of

SENTENCES = 256  # the first ones of the choosing half, from which the mixture is learned
STEPS = 200  # of the optimiser, at most


class DependentRows:
    """The attention between dependents and the other words, of all heads; a `LayerReader`."""

    def __init__(self, arcs: Arcs, layout: Layout) -> None:
        self.arcs = arcs
        self.candidates = other_words(layout)[arcs.sentence, arcs.dependent].cpu().numpy()  # (N, T)
        self._layers: list[Tensor] = []

    def __call__(self, layer: int, attention: Tensor) -> None:
        given = attention[self.arcs.sentence, :, self.arcs.dependent]  # (N, H, T)
        received = attention[self.arcs.sentence, :, :, self.arcs.dependent]  # (N, H, T)
        self._layers.append(torch.stack((given, received), dim=1).to(torch.float16).cpu())

    def rows(self) -> list[dict[str, Any]]:
        """By dependent, the (candidates, 2 * L * H) weights as float16 bytes, and the index of the right candidate."""
        stacked = torch.stack(self._layers, dim=2).flatten(1, 3).transpose(1, 2).numpy()  # (N, T, 2 * L * H)
        heads = self.arcs.head.tolist()
        return [
            {"right": int(among[: heads[row]].sum()), "weights": stacked[row, among].tobytes()}
            for row, among in enumerate(self.candidates)
        ]


def learn(tables: Sequence[pa.Table], layers: int, heads: int) -> Floats | None:
    """The coefficients (2, L, H) of maximum likelihood; None if there are no dependents.

    The likelihood is a softmax over each dependent's candidates, and has a single maximum. The search runs on one
    thread, so that its bits are reproducible.
    """
    width = 2 * layers * heads
    rows = [row for table in tables for row in table.to_pylist()]
    if not rows:
        return None
    blocks = [np.frombuffer(row["weights"], dtype=np.float16).reshape(-1, width) for row in rows]
    features = np.concatenate(blocks).astype(np.float32)  # (M, width)
    starts = np.cumsum([0, *(len(block) for block in blocks[:-1])])
    right = starts + np.array([row["right"] for row in rows])

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = (features @ weights.astype(np.float32)).astype(np.float64)  # (M,)
        highest = np.maximum.reduceat(scores, starts)
        sizes = np.diff([*starts, len(scores)])
        exponentials = np.exp(scores - np.repeat(highest, sizes))
        sums = np.add.reduceat(exponentials, starts)
        surprise = np.log(sums) + highest - scores[right]
        residual = exponentials / np.repeat(sums, sizes)
        residual[right] -= 1
        return float(surprise.mean()), (residual.astype(np.float32) @ features).astype(np.float64) / len(rows)

    with threadpool_limits(1):
        found = minimize(
            loss, np.ones(width), jac=True, method="L-BFGS-B", bounds=[(0, None)] * width, options={"maxiter": STEPS}
        )
    return cast("Floats", found.x).reshape(2, layers, heads)


def mixture_table(weights: Floats | None) -> pa.Table:
    """The positive coefficients as a table; empty if there is no mixture."""
    rows = []
    if weights is not None:
        for direction, layer, head in np.argwhere(weights > 0).tolist():
            at = {"direction": DIRECTIONS[direction], "layer": layer, "head": head}
            rows.append(at | {"weight": float(weights[direction, layer, head])})
    return table_of(rows, MIXTURE)


class MixtureScores:
    """The mixture's scores of a batch; a `LayerReader`."""

    def __init__(self, weights: NDArray[np.float64], layout: Layout) -> None:
        self.weights = torch.from_numpy(weights).to(layout.word.device, torch.float32)  # (2, L, H)
        self.layout = layout
        self._scores: Tensor | None = None

    def __call__(self, layer: int, attention: Tensor) -> None:
        given = torch.einsum("bhqk,h->bqk", attention, self.weights[0, layer])
        received = torch.einsum("bhkq,h->bqk", attention, self.weights[1, layer])
        self._scores = given + received if self._scores is None else self._scores + given + received

    def count(self, counts: Counts, arcs: Arcs) -> None:
        """Count how often the word with the largest score is the head."""
        if self._scores is None:
            return
        best = self._scores.masked_fill(~other_words(self.layout), -1).argmax(-1)  # (B, T)
        right = (best[arcs.sentence, arcs.dependent] == arcs.head).tolist()
        counts.mixture_n.update(arcs.relation)
        counts.mixture_right.update(name for name, hit in zip(arcs.relation, right, strict=True) if hit)
