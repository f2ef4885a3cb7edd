"""Lengths of the vectors that the heads of a layer move, together with what stays at a token."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from encoder.attribution.layer_runs import LayerRun, normalised


def lengths_with_residual(run: LayerRun, carried: Callable[[Tensor], Tensor]) -> Tensor:
    """(T, T) norms of the vectors of `LayerRun.attention_vectors` after a linear map."""
    lengths = summed_lengths(run.weights, carried(run.transformed_values))
    own_weights = run.weights.diagonal(dim1=1, dim2=2)  # (H, T)
    own = torch.einsum("hi,hid->id", own_weights, run.transformed_values) + run.states  # (T, D)
    lengths.diagonal().copy_(carried(own).norm(dim=-1))
    return lengths


def summed_lengths(weights: Tensor, vectors: Tensor) -> Tensor:
    """(T, T) norms ‖Σₕ αₕᵢⱼ vₕⱼ‖ for weights (H, T, T) and vectors (H, T, D).

    They follow from the Gram matrix of each key's H vectors, so that no vector is formed per pair of tokens.
    """
    by_key = vectors.transpose(0, 1)  # (T, H, D)
    gram = by_key @ by_key.mT  # (T, H, H)
    coefficients = weights.permute(2, 1, 0)  # (T, T, H), key before query
    squares = (coefficients @ gram * coefficients).sum(-1)  # (T, T)
    return squares.clamp(min=0).sqrt().T.contiguous()


def undivided(vectors: Tensor, norm: nn.LayerNorm) -> Tensor:
    """A layer norm on (..., D) parts of its input, without the division by the standard deviation."""
    return normalised(vectors, norm, torch.ones((), device=vectors.device))
