"""One text's way from masks to its words, and what each word adds to the text's vector along it.

On the straight line from a text of masks, the reference, to the text, in the space of embedding outputs, the Jacobian
of the text's vector is integrated. All of it would take a backward pass for each of the D numbers of the vector. Two
products of it are enough for `encoder.comparison.similarity_map`, and cheaper:

- with each word's way from the reference, which forward mode gives in one pass for each word (`text_parts`);
- with some vectors, of which a way back for each gives the products for all words at once (`products_of_parts`);
  several ways back are one pass.

Source: Möller et al. (2023), "An Attribution Method for Siamese Encoders", equations 3 to 6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

import numpy as np
import torch
from torch import Tensor

from encoder.attribution.gradients import EMBEDDING, Path, masked_ends, repeated
from encoder.attribution.quantities import ROW_TOKENS
from encoder.comparison.text_vectors import text_vector
from encoder.errors import ArgumentError
from encoder.models.base import Backend
from encoder.models.hooks import Hooks, Point
from encoder.models.pooling import check_pooling
from encoder.models.tensors import Batch, to_numpy
from encoder.runs.arrays import FloatArray, check_finite
from encoder.text.occurrences import Positions
from encoder.text.tokens import Tokens

SLOPE_PASSES = 2  # that a slope in forward mode is worth
KEPT_TOKENS = 512  # whose runs are kept at once for their way back
ONE_AT_A_TIME = Lock()  # torch's forward mode has one state for all threads: two at once end in errors
TURN, BREADTH = 0.3, 0.2  # of the way: where vectors turn fastest, and how far from there places lie half as dense
Size = tuple[int, int]  # of a text: how many tokens it has, and how many units


def _keep_weights(_: Tensor, __: Point) -> None:
    """Changes nothing."""


# A layer whose weights are hooked runs without the fused kernel, which has no forward mode.
NOT_FUSED: Hooks = {Point("weights"): (_keep_weights,)}


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
        UnsupportedModelError: the tokenizer has no mask token, or the model makes its vectors in another way.
        SelectionError: the model's embeddings cannot be hooked.
        NotFiniteError: the model's states are NaN or infinite.
    """
    check_pooling(backend.pooling.differs)
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


@torch.no_grad()
def text_parts(backend: Backend, text: TextPath, *, progress: Callable[[int], object] = lambda done: None) -> Tensor:
    """What each unit of a text adds to its vector, by Jacobians that are integrated from masks to the text.

    Args:
        progress: called after each batch of runs with how many are done.
    Returns:
        (U, D), which sum to the text's vector minus its reference's up to the error of the integral.
    Raises:
        NotFiniteError: a slope is NaN or infinite.
    """
    ways = torch.zeros(len(text.units), *text.way.shape).to(text.way)  # (U, T, D)
    for unit, positions in enumerate(text.units):
        ways[unit, list(positions)] = text.way[list(positions)]
    at_once, parts, done = _places_at_once(text), torch.zeros(len(ways), ways.shape[-1]).to(ways), 0  # (U, D)
    for some, of_some in zip(text.places.split(at_once), text.weights.split(at_once), strict=True):
        found = []
        for chosen in ways.split(_units_at_once(text)):
            with backend.threads(SLOPE_PASSES * len(some) * len(chosen) * len(text.way)):
                found.append(_slopes(backend, text.batch, some, chosen))  # (S, U', D)
            done += 1
            progress(done)
        parts += torch.einsum("s,sud->ud", of_some, torch.cat(found, 1))
    check_finite(backend.name, [("the words' parts", to_numpy(parts))])
    return parts


def products_of_parts(
    backend: Backend, text: TextPath, vectors: Tensor, *, progress: Callable[[int], object] = lambda done: None
) -> FloatArray:
    """The products of what `text_parts` would give with K vectors (K, D), without the parts themselves.

    Args:
        progress: called after each pass back with how many are done.
    Returns:
        (K, U).
    Raises:
        NotFiniteError: a slope is NaN or infinite.
    """
    at_once, slopes, done = _kept_at_once(text), torch.zeros(len(vectors), *text.way.shape).to(text.way), 0  # (K, T, D)
    chosen = torch.eye(len(vectors)).to(vectors).split(_vectors_at_once(text))  # (K', K) each
    for some, of_some in zip(text.places.split(at_once), text.weights.split(at_once), strict=True):
        places = some.clone().requires_grad_()  # (S, T, D)
        with torch.enable_grad(), backend.threads(len(some) * len(text.way) * (1 + len(vectors))):
            found = _vectors(backend, repeated(text.batch, len(some)), places)  # (S, D)
            sums = of_some @ found @ vectors.T  # (K,)
            back = []
            for rows in chosen:
                of_rows = torch.autograd.grad(sums, places, rows, retain_graph=True, is_grads_batched=True)[0]
                back.append(of_rows.sum(1))  # (K', T, D)
                done += 1
                progress(done)
            slopes += torch.cat(back)
    of_tokens = (slopes * text.way).sum(-1)  # (K, T)
    products = to_numpy(torch.stack([of_tokens[:, list(positions)].sum(-1) for positions in text.units], 1))
    check_finite(backend.name, [("the pairs of words", products)])
    return products


def _units_at_once(text: TextPath) -> int:
    return max(1, ROW_TOKENS // len(text.way))


def _places_at_once(text: TextPath) -> int:
    return max(1, ROW_TOKENS // (len(text.way) * len(text.units)))


def _kept_at_once(text: TextPath) -> int:
    return max(1, KEPT_TOKENS // len(text.way))


def _vectors_at_once(text: TextPath) -> int:
    return max(1, ROW_TOKENS // (min(_kept_at_once(text), len(text.places)) * len(text.way)))


def slope_batches(text: TextPath) -> int:
    """In how many batches `text_parts` runs a text."""
    return -(-len(text.places) // _places_at_once(text)) * -(-len(text.units) // _units_at_once(text))


def product_batches(text: TextPath, count: int) -> int:
    """How many passes back `products_of_parts` takes for so many vectors."""
    return -(-len(text.places) // _kept_at_once(text)) * -(-count // _vectors_at_once(text))


def _slopes(backend: Backend, batch: Batch, places: Tensor, ways: Tensor) -> Tensor:
    """(N, U, D) how a text's vector changes along each of U ways (U, T, D), at each of N embedding outputs (N, T, D).

    The places are a batch, and the ways are mapped over, so that they share the run at their place.
    """
    batch = repeated(batch, len(places))

    def slopes(way: Tensor) -> Tensor:
        ways_of_all = way.expand_as(places).clone()  # (N, T, D); forward mode takes no view of one way
        changed: Tensor = torch.func.jvp(
            lambda states: _vectors(backend, batch, states, NOT_FUSED), (places,), (ways_of_all,)
        )[1]
        return changed

    with ONE_AT_A_TIME:
        found: Tensor = torch.func.vmap(slopes, out_dims=1)(ways)
    return found


def _vectors(backend: Backend, batch: Batch, states: Tensor, *others: Hooks) -> Tensor:
    """(N, D) the vectors of a batch of N, where embedding outputs (N, T, D) are put in place of its own."""
    return text_vector(backend.run_batch(batch, {EMBEDDING: (lambda _, __: states,)}, *others))
