"""How much each token takes from each other token in a layer: the formulas of the methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor, nn

from encoder.attribution.layer_runs import LayerRun, deviation, normalised
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray

CHUNK = 1 << 22  # numbers per chunk of target tokens: 16 MB, twice as fast as 64 MB


@torch.no_grad()
def value_weighted_norms(run: LayerRun) -> FloatArray:
    """(H, T, T) norm of what each head moves from each key to each query: ‖α f(x)‖, in units of hidden states.

    Source: Kobayashi et al. (2020), equation 4.
    """
    return to_numpy(run.weights * run.transformed_values.norm(dim=-1)[:, None])


@torch.no_grad()
def summed_norms(run: LayerRun) -> FloatArray:
    """(T, T) norm of what all heads together move from each key to each query: ‖Σₕ αₕ fₕ(x)‖.

    Source: Kobayashi et al. (2020), section 3.
    """
    return to_numpy(_lengths(run.weights, run.transformed_values))


@torch.no_grad()
def residual_norms(run: LayerRun) -> FloatArray:
    """(T, T) the same with the residual connection, and after the first layer norm.

    Source: Kobayashi et al. (2021), equation 11 (AttnResLn-N).
    """
    norm = run.block.attention_norm
    lengths = _lengths_with_residual(run, lambda vectors: _undivided(vectors, norm))
    return to_numpy(lengths / deviation(norm, run.attention_sum))


@torch.no_grad()
def globenc(run: LayerRun) -> FloatArray:
    """(T, T) shares of each token in a whole layer, in [0, 1]; rows sum to 1.

    The feed-forward network is left out; its residual connection and the second layer norm are included. The divisors
    of both norms are common to a row and cancel in its shares.

    Source: Modarressi et al. (2022), section 3 (N_ENC).
    """
    first, second = run.block.attention_norm, run.block.feed_forward_norm
    return shares(to_numpy(_lengths_with_residual(run, lambda vectors: _undivided(_undivided(vectors, first), second))))


def alti(run: LayerRun) -> FloatArray:
    """(T, T) shares of each token in the output of the first layer norm, in [0, 1]; rows sum to 1.

    A token's contribution is how much the 1-norm distance between its vector and the result falls below the 1-norm of
    the result, but at least 0.

    Source: Ferrando et al. (2022), equations 7 and 8.
    """

    def contributions(rows: slice) -> Tensor:
        result = run.attended[rows]  # (R, D)
        distance = (result[:, None] - run.attended_vectors(rows)).abs().sum(-1)  # (R, T)
        return (result.abs().sum(-1, keepdim=True) - distance).clamp(min=0)

    return shares(_by_rows(run, contributions))


def attention_with_residual(run: LayerRun) -> FloatArray:
    """(T, T) half the mean weights of the heads plus half the identity; rows sum to 1.

    Source: Abnar and Zuidema (2020), section 3.
    """
    tokens = len(run.states)
    mean = to_numpy(run.weights.mean(0))  # (T, T)
    return (shares(mean) + np.eye(tokens, dtype=np.float32)) / np.float32(2)


def shares(contributions: FloatArray) -> FloatArray:
    """(..., T) numbers ≥ 0, each divided by the sum of its row; a row of zeros gives equal shares."""
    total = contributions.sum(-1, keepdims=True)
    equal = np.full_like(contributions, 1 / contributions.shape[-1])
    return np.divide(contributions, total, out=equal, where=total > 0)


def products(layers: Iterator[FloatArray]) -> Iterator[FloatArray]:
    """Shares of the input tokens in the states after layer l: the product of the shares within layers 0 to l.

    Args:
        layers: (T, T) each; rows sum to 1.
    Yields:
        (T, T) for each layer; rows sum to 1.
    Source: Abnar and Zuidema (2020), section 3 (rollout).
    """
    product: FloatArray | None = None
    for layer in layers:
        product = layer if product is None else layer @ product
        yield product


def _lengths_with_residual(run: LayerRun, carried: Callable[[Tensor], Tensor]) -> Tensor:
    """(T, T) norms of the vectors of `LayerRun.attention_vectors` after a linear map."""
    lengths = _lengths(run.weights, carried(run.transformed_values))
    own_weights = run.weights.diagonal(dim1=1, dim2=2)  # (H, T)
    own = torch.einsum("hi,hid->id", own_weights, run.transformed_values) + run.states  # (T, D)
    lengths.diagonal().copy_(carried(own).norm(dim=-1))
    return lengths


def _lengths(weights: Tensor, vectors: Tensor) -> Tensor:
    """(T, T) norms ‖Σₕ αₕᵢⱼ vₕⱼ‖ for weights (H, T, T) and vectors (H, T, D).

    They follow from the Gram matrix of each key's H vectors, so that no vector is formed per pair of tokens.
    """
    by_key = vectors.transpose(0, 1)  # (T, H, D)
    gram = by_key @ by_key.mT  # (T, H, H)
    coefficients = weights.permute(2, 1, 0)  # (T, T, H), key before query
    squares = (coefficients @ gram * coefficients).sum(-1)  # (T, T)
    return squares.clamp(min=0).sqrt().T.contiguous()


def _undivided(vectors: Tensor, norm: nn.LayerNorm) -> Tensor:
    """A layer norm on (..., D) parts of its input, without the division by the standard deviation."""
    return normalised(vectors, norm, torch.ones((), device=vectors.device))


@torch.no_grad()
def _by_rows(run: LayerRun, of_rows: Callable[[slice], Tensor]) -> FloatArray:
    """(T, T), in chunks of target tokens: all vectors at once would be T · T · D numbers."""
    tokens, width = run.states.shape
    step = max(1, CHUNK // (tokens * width))
    return np.concatenate([to_numpy(of_rows(slice(start, start + step))) for start in range(0, tokens, step)])
