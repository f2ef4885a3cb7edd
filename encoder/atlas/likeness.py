"""How similar heads are: the Jensen-Shannon divergence of their attention from the same words.

Source: Clark et al. (2019), section 6.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from encoder.atlas.counts import Floats
from encoder.atlas.habits import features_of
from encoder.atlas.layout import Encoded, lay_out
from encoder.atlas.reduction import reduce_batch
from encoder.atlas.tables import LIKENESS
from encoder.models.base import Backend

SENTENCES = 128  # the first ones of the measuring half; each pair of heads is compared on each of their words


def likeness_rows(backend: Backend, texts: Sequence[Encoded]) -> Iterator[dict[str, Any]]:
    """For each pair of heads, the mean divergence in bits of their attention over the words of some sentences.

    If there are no words, `n` and the divergence are 0.
    """
    total = np.zeros((backend.num_layers * backend.num_heads,) * 2)
    words = 0
    for text in texts:
        layers: list[Tensor] = []  # (H, T, T) each
        layout = lay_out(backend, [text])
        reduce_batch(backend, layout, features_of(layout), lambda _, attention: layers.append(attention[0]))  # noqa: B023
        queries = layout.is_word[0]  # (T,)
        rows = torch.cat(layers)[:, queries]  # (L * H, words, T)
        total += divergences(rows).sum(-1).cpu().numpy()
        words += int(queries.sum())
    for one, other in zip(*np.triu_indices(len(total), 1), strict=True):
        at = (*divmod(int(one), backend.num_heads), *divmod(int(other), backend.num_heads))
        yield dict(zip(LIKENESS.names, (*at, words, float(total[one, other]) / max(words, 1)), strict=True))


def combine(tables: Iterable[pa.Table]) -> list[dict[str, Any]]:
    """Combine the rows of several samples."""
    sums: dict[tuple[int, ...], tuple[int, float]] = {}
    for table in tables:
        for row in table.to_pylist():
            at = tuple(row[name] for name in LIKENESS.names[:4])
            n, total = sums.get(at, (0, 0.0))
            sums[at] = n + row["n"], total + row["n"] * row["divergence"]
    return [
        dict(zip(LIKENESS.names, (*at, n, total / n if n else 0.0), strict=True)) for at, (n, total) in sums.items()
    ]


def head_places(rows: Sequence[dict[str, Any]], layers: int, heads: int) -> Floats:
    """(L, H, 2) the map of heads, computed from such rows."""
    divergence = np.zeros((layers, heads, layers, heads))
    for row in rows:
        one, other = (row["layer"], row["head"]), (row["other_layer"], row["other_head"])
        divergence[(*one, *other)] = divergence[(*other, *one)] = row["divergence"]
    return places(divergence.reshape(layers * heads, -1)).reshape(layers, heads, 2)


def divergences(rows: Tensor) -> Tensor:
    """(X, N, T) distributions of X heads over T tokens, for N words, to (X, X, N) divergences in bits."""
    entropy = torch.special.entr(rows).sum(-1)  # (X, N)
    together = torch.stack([torch.special.entr((row + rows) / 2).sum(-1) for row in rows])  # (X, X, N)
    found = together - (entropy[:, None] + entropy[None]) / 2
    return found.double().clamp(min=0) / math.log(2)


def places(divergence: Floats) -> Floats:
    """A point (X, 2) for each of X heads, with similar heads near each other.

    Classical scaling of the Jensen-Shannon distance, the square root of the divergence.

    Args:
        divergence: (X, X), symmetric, in bits.
    """
    count = len(divergence)
    centring = np.eye(count) - 1 / count
    values, vectors = np.linalg.eigh(-centring @ divergence @ centring / 2)
    axes = vectors[:, ::-1][:, :2] * np.sqrt(np.maximum(values[::-1][:2], 0))
    axes = np.pad(axes, ((0, 0), (0, 2 - axes.shape[1])))  # a single head has one axis, at 0
    # The sign of an eigenvector is arbitrary: its largest component is made positive.
    signs = np.sign(axes[np.abs(axes).argmax(0), range(axes.shape[1])])
    placed: Floats = axes * np.where(signs == 0, 1, signs)
    return placed
