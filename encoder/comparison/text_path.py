"""A text's path from masks to its words, and the contribution of each word to the text's vector along it.

The Jacobian of the text's vector is integrated along the straight line from a masked text, the reference, to the text,
in the space of embedding outputs. The full Jacobian would take D backward passes. `encoder.comparison.similarity_map`
needs only two products of it, which are cheaper:

- with each word's difference from the reference: forward mode, one pass per word (`text_parts`);
- with given vectors: one backward pass per vector gives the products for all words (`products_of_parts`); these are
  batched.

Source: Möller et al. (2023), "An Attribution Method for Siamese Encoders", equations 3 to 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

import numpy as np
import torch
from torch import Tensor

from encoder.attribution.gradients import Path, masked_ends, repeated
from encoder.attribution.quantities import ROW_TOKENS
from encoder.comparison.text_vectors import text_vector
from encoder.errors import ArgumentError
from encoder.models.base import Backend
from encoder.models.hooks import EMBEDDING, Hooks, Point
from encoder.models.pooling import check_pooling
from encoder.models.tensors import Batch, to_numpy
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray, check_finite
from encoder.text.occurrences import Positions
from encoder.text.tokens import Tokens

JVP_PASSES = 2  # cost of a forward-mode derivative, in forward passes
KEPT_TOKENS = 512  # tokens per batch whose activations are kept for the backward pass
ONE_AT_A_TIME = Lock()  # torch's forward mode has global state: two threads at once cause errors
TURN, BREADTH = 0.3, 0.2  # of the path: where vectors turn fastest, and the half-width of that region
Size = tuple[int, int]  # of a text: how many tokens it has, and how many units


def _observe_weights(_: Tensor, __: Point) -> None:
    """A hook without effect."""


# Hooked layers run without the fused kernel, which does not support forward mode.
NOT_FUSED: Hooks = {Point("weights"): (_observe_weights,)}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TextPath:
    """The straight line from a text's reference to the text, in the space of embedding outputs.

    Attributes:
        batch: the text, a batch of one.
        units: U, the positions of each unit's tokens; special tokens are in none.
        delta: (T, D) the text minus the reference.
        places, weights: (N, T, D) points on the line, and (N,) their quadrature weights.
        vector, reference: (D,) vectors of the text and of the reference, of length 1 for the cosine.
    """

    batch: Batch
    units: tuple[Positions, ...]
    delta: Tensor
    places: Tensor
    weights: Tensor
    vector: FloatArray
    reference: FloatArray

    @property
    def size(self) -> Size:
        """T and U."""
        return len(self.delta), len(self.units)


@torch.no_grad()
def text_path(backend: Backend, tokens: Tokens, units: tuple[Positions, ...], *, points: int) -> TextPath:
    """A text's line and its quadrature points.

    Args:
        units: U, the positions of each unit's tokens; together all that can be removed.
    Raises:
        ArgumentError: there is no unit, or fewer than 1 point was asked for.
        NotFiniteError: the model's states are NaN or infinite.
    """
    check_pooling(backend.pooling.differs)
    places, weights = points_of_path(points)
    if not units:
        raise ArgumentError("A text has no word that could contribute to the cosine: type one.")
    ends = masked_ends(backend, tokens)
    width = ends.output.hidden_states[0].shape[-1]  # D: what a decoder embeds is not part of the text's vector
    text, baseline = ends.text[:, :width], ends.baseline[:, :width]
    delta = text - baseline  # (T, D)
    both = to_numpy(text_vector(backend, ends.output, backend.pooling.split_by))  # (2, D)
    check_finite(backend.name, [("the vectors of the text", both)])
    return TextPath(
        batch=ends.batch,
        units=units,
        delta=delta,
        places=baseline + torch.tensor(places).to(delta)[:, None, None] * delta,
        weights=torch.tensor(weights).to(delta),
        vector=both[0],
        reference=both[1],
    )


def points_of_path(count: int) -> tuple[FloatArray, FloatArray]:
    """(N,) positions from 0 (masks) to 1 (the text), and (N,) their quadrature weights.

    A text's vector turns fastest at about .3 of the path. The positions are .3 + .2 tan s for Gauss-Legendre nodes s,
    so most of them are around the turn. On the bundled model (20 pairs of sentences), 4 positions are as accurate as 8
    evenly spaced ones.
    """
    shares, weights = Path(count).nodes()
    low, high = (np.arctan((end - TURN) / BREADTH) for end in (0.0, 1.0))
    angles = low + shares * (high - low)
    places = TURN + BREADTH * np.tan(angles)
    return places.astype(np.float32), (weights * (high - low) * BREADTH / np.cos(angles) ** 2).astype(np.float32)


@torch.no_grad()
def text_parts(backend: Backend, text: TextPath, *, progress: Progress = no_progress) -> Tensor:
    """The contribution of each unit of a text to its vector, by Jacobians integrated from masks to the text.

    Args:
        progress: called after each batch.
    Returns:
        (U, D), which sum to the text's vector minus the reference's, up to the quadrature error.
    Raises:
        NotFiniteError: a derivative is NaN or infinite.
    """
    deltas = torch.zeros(len(text.units), *text.delta.shape).to(text.delta)  # (U, T, D)
    for unit, positions in enumerate(text.units):
        deltas[unit, list(positions)] = text.delta[list(positions)]
    at_once, parts, done = _places_at_once(text), torch.zeros(len(deltas), len(text.vector)).to(deltas), 0  # (U, D)
    for some, of_some in zip(text.places.split(at_once), text.weights.split(at_once), strict=True):
        found = []
        for chosen in deltas.split(_units_at_once(text)):
            with backend.threads(JVP_PASSES * len(some) * len(chosen) * len(text.delta)):
                found.append(_directional_derivatives(backend, text.batch, some, chosen))  # (S, U', D)
            done += 1
            progress(done, jvp_batches(text))
        parts += torch.einsum("s,sud->ud", of_some, torch.cat(found, 1))
    check_finite(backend.name, [("the words' parts", to_numpy(parts))])
    return parts


def products_of_parts(
    backend: Backend, text: TextPath, vectors: Tensor, *, progress: Progress = no_progress
) -> FloatArray:
    """The products of what `text_parts` would return with K vectors (K, D), without computing the parts.

    Args:
        progress: called after each backward pass.
    Returns:
        (K, U).
    Raises:
        NotFiniteError: a derivative is NaN or infinite.
    """
    at_once, done = _kept_at_once(text), 0
    gradients = torch.zeros(len(vectors), *text.delta.shape).to(text.delta)  # (K, T, D)
    chosen = torch.eye(len(vectors)).to(vectors).split(_vectors_at_once(text))  # (K', K) each
    for some, of_some in zip(text.places.split(at_once), text.weights.split(at_once), strict=True):
        places = some.clone().requires_grad_()  # (S, T, D)
        with torch.enable_grad(), backend.threads(len(some) * len(text.delta) * (1 + len(vectors))):
            found = _vectors(backend, repeated(text.batch, len(some)), places)  # (S, D)
            sums = of_some @ found @ vectors.T  # (K,)
            back = []
            for rows in chosen:
                of_rows = torch.autograd.grad(sums, places, rows, retain_graph=True, is_grads_batched=True)[0]
                back.append(of_rows.sum(1))  # (K', T, D)
                done += 1
                progress(done, product_batches(text, len(vectors)))
            gradients += torch.cat(back)
    of_tokens = (gradients * text.delta).sum(-1)  # (K, T)
    products = to_numpy(torch.stack([of_tokens[:, list(positions)].sum(-1) for positions in text.units], 1))
    check_finite(backend.name, [("the pairs of words", products)])
    return products


def _units_at_once(text: TextPath) -> int:
    return max(1, ROW_TOKENS // len(text.delta))


def _places_at_once(text: TextPath) -> int:
    return max(1, ROW_TOKENS // (len(text.delta) * len(text.units)))


def _kept_at_once(text: TextPath) -> int:
    return max(1, KEPT_TOKENS // len(text.delta))


def _vectors_at_once(text: TextPath) -> int:
    return max(1, ROW_TOKENS // (min(_kept_at_once(text), len(text.places)) * len(text.delta)))


def jvp_batches(text: TextPath) -> int:
    """Number of batches in which `text_parts` runs a text."""
    return -(-len(text.places) // _places_at_once(text)) * -(-len(text.units) // _units_at_once(text))


def product_batches(text: TextPath, count: int) -> int:
    """Number of backward passes that `products_of_parts` takes for `count` vectors."""
    return -(-len(text.places) // _kept_at_once(text)) * -(-count // _vectors_at_once(text))


def _directional_derivatives(backend: Backend, batch: Batch, places: Tensor, deltas: Tensor) -> Tensor:
    """(N, U, D) directional derivatives of a text's vector along U deltas (U, T, D) at N embedding outputs (N, T, D).

    The places form a batch, and `vmap` runs over the deltas, so that these share the forward pass at their place.
    """
    batch = repeated(batch, len(places))

    def derivatives(delta: Tensor) -> Tensor:
        tangents = delta.expand_as(places).clone()  # (N, T, D); forward mode does not take a view
        return torch.func.jvp(lambda states: _vectors(backend, batch, states, NOT_FUSED), (places,), (tangents,))[1]

    with ONE_AT_A_TIME:
        return torch.func.vmap(derivatives, out_dims=1)(deltas)


def _vectors(backend: Backend, batch: Batch, states: Tensor, *others: Hooks) -> Tensor:
    """(N, D) the vectors of a batch of N, with embedding outputs (N, T, D) substituted for its own."""
    output = backend.run_batch(batch, {EMBEDDING: (lambda _, __: states,)}, *others)
    return text_vector(backend, output, backend.pooling.split_by)
