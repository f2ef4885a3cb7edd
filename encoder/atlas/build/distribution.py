"""The distribution of each head's weights over a corpus, as a reference for single weights.

The bins are logarithmic, because most weights are small.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from encoder.atlas.build.counts import Floats, Ints
from encoder.atlas.build.layout import CLS, Layout
from encoder.atlas.build.reduction import other_words
from encoder.atlas.names import LEVELS, TARGETS

SENTENCES = 2048  # the first ones of the measuring half
DECADES, STEPS = 6, 32  # from 1e-6 to 1, with bins per power of ten; smaller weights go into the first bin
BINS = DECADES * STEPS
DISTRIBUTION = pa.schema(
    [
        ("layer", pa.int16()),
        ("head", pa.int16()),
        ("target", pa.string()),
        ("n", pa.int64()),
        ("counts", pa.list_(pa.int64(), BINS)),
    ]
)


class WeightCounts:
    """Counts the weights of words by head and target; a `LayerReader`."""

    def __init__(self, layers: int, heads: int) -> None:
        self.counts: Ints = np.zeros((layers, heads, len(TARGETS), BINS), dtype=np.int64)
        self.targets: list[Tensor] = []

    def begin(self, layout: Layout) -> None:
        """Start a batch: the layers that follow belong to it."""
        query = layout.is_word[:, :, None]
        special = layout.special[:, None]  # (B, 1, T)
        itself = torch.eye(layout.word.shape[1], dtype=torch.bool, device=layout.word.device)
        of_target = (other_words(layout), query & itself, query & (special == CLS), query & (special > CLS))
        self.targets = [mask.flatten().nonzero()[:, 0] for mask in of_target]

    def __call__(self, layer: int, attention: Tensor) -> None:
        heads = attention.shape[1]
        by_head = attention.transpose(0, 1).flatten(1)  # (H, B * T * T)
        first = torch.arange(heads, device=attention.device)[:, None] * BINS
        for index, cells in enumerate(self.targets):
            found = (bins_of(by_head[:, cells]) + first).flatten()
            counted = torch.bincount(found, minlength=heads * BINS).reshape(heads, BINS)
            self.counts[layer, :, index] += counted.cpu().numpy()

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows of the table of distributions."""
        for layer, head, target in np.ndindex(self.counts.shape[:3]):
            yield _row(layer, head, TARGETS[target], self.counts[layer, head, target])


def bins_of(weights: Tensor) -> Tensor:
    """The bins of weights in [0, 1]."""
    return ((weights.clamp(min=10.0**-DECADES).log10() + DECADES) * STEPS).long().clamp(0, BINS - 1)


def combine_distributions(tables: Iterable[pa.Table]) -> list[dict[str, Any]]:
    """Combine the rows of several samples."""
    counts: dict[tuple[int, int, str], Ints] = {}
    for table in tables:
        for row in table.to_pylist():
            at = row["layer"], row["head"], row["target"]
            counts[at] = counts.get(at, np.zeros(BINS, dtype=np.int64)) + np.array(row["counts"])
    return [_row(*at, of_head) for at, of_head in counts.items()]


def _row(layer: int, head: int, target: str, counts: Ints) -> dict[str, Any]:
    return {"layer": layer, "head": head, "target": target, "n": int(counts.sum()), "counts": counts.tolist()}


def quantiles(counts: Ints) -> Floats | None:
    """The quantiles of the weights at `LEVELS`, from counts (BINS,); None if nothing was counted.

    Within a bin, the logarithms of the weights are taken to be uniform.
    """
    if not counts.any():
        return None
    filled = np.flatnonzero(counts)
    below = np.concatenate([[0], np.cumsum(counts)]) / counts.sum()  # (BINS + 1,) of the steps' edges
    inside = slice(filled[0], filled[-1] + 2)
    edges = np.arange(BINS + 1)[inside] / STEPS - DECADES
    found: Floats = 10 ** np.interp(LEVELS, below[inside], edges)
    return found
