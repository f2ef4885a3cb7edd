"""Rollout: attention followed back to the input."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from encoder.attribution.layer_runs import LayerRun
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray


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
