"""How much each token takes from each other one in a layer, by the vectors that are added and not by weights alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor

from encoder.attribution.layer_runs import LayerRun, deviation, normalised
from encoder.models.tensors import to_numpy
from encoder.runs.trace import FloatArray

CHUNK = 1 << 24  # numbers that the vectors of some target tokens may have together: 64 MB


@torch.no_grad()
def value_weighted_norms(run: LayerRun) -> FloatArray:
    """(H, T, T) length of what each head moves from each key to each query: ‖α f(x)‖, in units of hidden states.

    Source: Kobayashi et al. (2020), equation 4.
    """
    return to_numpy(run.weights * run.transformed_values.norm(dim=-1)[:, None])


def summed_norms(run: LayerRun) -> FloatArray:
    """(T, T) length of what all heads together move from each key to each query: ‖Σₕ αₕ fₕ(x)‖.

    Source: Kobayashi et al. (2020), section 3.
    """

    def norms(rows: slice) -> Tensor:
        weighted = torch.einsum("hij,hjd->ijd", run.weights[:, rows], run.transformed_values)  # (R, T, D)
        return weighted.norm(dim=-1)

    return _by_rows(run, norms)


def residual_norms(run: LayerRun) -> FloatArray:
    """(T, T) the same with the residual connection, and after the first layer norm.

    Source: Kobayashi et al. (2021), equation 11 (AttnResLn-N).
    """
    return _by_rows(run, lambda rows: run.attended_vectors(rows).norm(dim=-1))


def globenc(run: LayerRun) -> FloatArray:
    """(T, T) shares of each token in a whole layer, in [0, 1]; rows sum to 1.

    The feed-forward itself is left out; its residual connection and the second layer norm are not.

    Source: Modarressi et al. (2022), section 3 (N_ENC).
    """
    norm = run.block.feed_forward_norm

    def norms(rows: slice) -> Tensor:
        deviations = deviation(norm, run.feed_forward_sum[rows])[:, None]  # (R, 1, 1)
        return normalised(run.attended_vectors(rows), norm, deviations).norm(dim=-1)

    return shares(_by_rows(run, norms))


def alti(run: LayerRun) -> FloatArray:
    """(T, T) shares of each token in what leaves the first layer norm, in [0, 1]; rows sum to 1.

    A token contributes as much as the result comes nearer to 0 in the 1-norm without its vector, or nothing.

    Source: Ferrando et al. (2022), equations 7 and 8.
    """

    def contributions(rows: slice) -> Tensor:
        result = run.attended[rows]  # (R, D)
        distance = (result[:, None] - run.attended_vectors(rows)).abs().sum(-1)  # (R, T)
        return (result.abs().sum(-1, keepdim=True) - distance).clamp(min=0)

    return shares(_by_rows(run, contributions))


def attention_with_residual(run: LayerRun) -> FloatArray:
    """(T, T) half the mean weights of the heads, half the token itself; rows sum to 1.

    Source: Abnar and Zuidema (2020), section 3.
    """
    tokens = len(run.states)
    mean = to_numpy(run.weights.mean(0))  # (T, T)
    half_each: FloatArray = (shares(mean) + np.eye(tokens, dtype=np.float32)) / np.float32(2)
    return half_each


def shares(contributions: FloatArray) -> FloatArray:
    """(..., T) numbers ≥ 0, each divided by the sum of its row; a row of zeros gives equal shares."""
    total = contributions.sum(-1, keepdims=True)
    equal = np.full_like(contributions, 1 / contributions.shape[-1])
    return np.divide(contributions, total, out=equal, where=total > 0)


def products(layers: Iterator[FloatArray]) -> Iterator[FloatArray]:
    """Shares of the input's tokens in those of layer l, from the shares within layers 0 to l: their product.

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


@torch.no_grad()
def _by_rows(run: LayerRun, of_rows: Callable[[slice], Tensor]) -> FloatArray:
    """(T, T), some target tokens at a time: all vectors at once would be T · T · D numbers."""
    tokens, width = run.states.shape
    step = max(1, CHUNK // (tokens * width))
    return np.concatenate([to_numpy(of_rows(slice(start, start + step))) for start in range(0, tokens, step)])
