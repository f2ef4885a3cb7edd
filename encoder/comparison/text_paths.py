"""The straight line from a text of masks to a text, and where it is looked at to integrate over it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from encoder.attribution.gradients import EMBEDDING, Path, masked_ends
from encoder.comparison.text_vectors import text_vector
from encoder.errors import ArgumentError
from encoder.models.base import Backend
from encoder.models.hooks import Hooks
from encoder.models.tensors import Batch, to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.finite import check_finite
from encoder.text.occurrences import Positions
from encoder.text.tokens import Tokens

TURN, BREADTH = 0.3, 0.2  # of the way: where vectors turn fastest, and how far from there places lie half as dense
Size = tuple[int, int]  # of a text: how many tokens it has, and how many units


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TextPath:
    """The straight line from a text's reference to the text, in the space of embedding outputs.

    Attributes:
        batch: the text, a batch of one.
        units: U, the positions of each unit's tokens; special tokens are in none.
        way: (T, D) from the reference to the text.
        places, weights: (N, T, D) points of the line, and (N,) of an integral over them.
        vector, reference: (D,) of length 1, of the text and of masks in place of its units.
    """

    batch: Batch
    units: tuple[Positions, ...]
    way: Tensor
    places: Tensor
    weights: Tensor
    vector: FloatArray
    reference: FloatArray

    @property
    def size(self) -> Size:
        """T and U."""
        return len(self.way), len(self.units)


@torch.no_grad()
def text_path(backend: Backend, tokens: Tokens, units: tuple[Positions, ...], *, points: int) -> TextPath:
    """A text's line, and where it is looked at.

    Args:
        units: U, the positions of each unit's tokens; together all that can be taken away.
    Raises:
        ArgumentError: there is no unit, or fewer than 1 point was asked for.
        UnsupportedModelError: the tokenizer has no mask token.
        SelectionError: the model's embeddings cannot be hooked.
        NotFiniteError: the model's states are NaN or infinite.
    """
    places, weights = points_of_path(points)
    if not units:
        raise ArgumentError("A text has no word whose part of the cosine could be told: type one.")
    ends = masked_ends(backend, tokens)
    way = ends.text - ends.baseline  # (T, D)
    both = to_numpy(text_vector(ends.run(backend)))  # (2, D)
    check_finite(backend.name, [("the vectors of the text", both)])
    return TextPath(
        batch=ends.batch,
        units=units,
        way=way,
        places=ends.baseline + torch.tensor(places).to(way)[:, None, None] * way,
        weights=torch.tensor(weights).to(way),
        vector=both[0],
        reference=both[1],
    )


def points_of_path(count: int) -> tuple[FloatArray, FloatArray]:
    """(N,) places from 0, the masks, to 1, the text, and (N,) their weights in an integral over the line.

    A text's vector turns fastest at about .3 of the way, where some words begin to tell. The places are those of Gauss
    and Legendre for an angle s, where the place is .3 + .2 tan s: so most of them lie around the turn. Measured on the
    bundled model (20 pairs of sentences): 4 places are as near to the integral as 8 that spread evenly.

    Raises:
        ArgumentError: fewer than 1 point was asked for.
    """
    shares, weights = Path(count).nodes()
    low, high = (np.arctan((end - TURN) / BREADTH) for end in (0.0, 1.0))
    angles = low + shares * (high - low)
    places = TURN + BREADTH * np.tan(angles)
    return places.astype(np.float32), (weights * (high - low) * BREADTH / np.cos(angles) ** 2).astype(np.float32)


def vectors_at(backend: Backend, batch: Batch, states: Tensor, *others: Hooks) -> Tensor:
    """(N, D) the vectors of a batch of N, where embedding outputs (N, T, D) are put in place of its own."""
    return text_vector(backend.run_batch(batch, {EMBEDDING: (lambda _, __: states,)}, *others))
