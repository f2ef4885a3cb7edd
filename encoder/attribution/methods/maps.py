"""The maps of every method: how much tokens take from each other. `facts` describes the methods without torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from encoder.attribution.layer_runs import LayerRun, layer_runs
from encoder.attribution.methods.alti import alti
from encoder.attribution.methods.decompx import decomposed_norms, one_layer_norms
from encoder.attribution.methods.facts import FACTS, Quantity
from encoder.attribution.methods.facts import MethodName as MethodName
from encoder.attribution.methods.globenc import globenc
from encoder.attribution.methods.norms import residual_norms, summed_norms, value_weighted_norms
from encoder.attribution.methods.rollout import attention_with_residual, products
from encoder.errors import ArgumentError
from encoder.models.base import Backend
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace


class LayerMaps(NamedTuple):
    """The functions that compute a method's maps within one layer: how much each token takes from the layer's input.

    Attributes:
        of_layer: the (T, T) map; the last column of a (T, T + 1) map belongs to the biases.
        of_heads: the (H, T, T) maps, query by key; None if the method has none per head.
    """

    of_layer: Callable[[LayerRun], FloatArray]
    of_heads: Callable[[LayerRun], FloatArray] | None = None


METHODS: Mapping[MethodName, LayerMaps] = {
    "weights": LayerMaps(lambda run: to_numpy(run.weights.mean(0)), lambda run: to_numpy(run.weights)),
    "norms": LayerMaps(summed_norms, value_weighted_norms),
    "residual": LayerMaps(residual_norms),
    "rollout": LayerMaps(attention_with_residual),
    "globenc": LayerMaps(globenc),
    "alti": LayerMaps(alti),
    "decompx": LayerMaps(one_layer_norms),
}


def input_maps(backend: Backend, trace: Trace, method: MethodName) -> Iterator[FloatArray]:
    """How much each token takes from the input tokens, after layer 0, 1, ...

    Yields:
        (T, T) for each layer; rows of shares sum to 1. decompx yields (T, T + 1), the last column for the biases.
    Raises:
        ArgumentError: the method is defined within one layer only.
    """
    if not FACTS[method].from_input:
        raise ArgumentError(
            f"{method} is defined within one layer; from the input to a layer, use rollout, globenc, alti or decompx."
        )
    if method == "decompx":
        return iter(decomposed_norms(backend, trace)[1:])
    return products(map(METHODS[method].of_layer, layer_runs(backend, trace)))


def planes(backend: Backend, trace: Trace, quantity: Quantity) -> Iterator[FloatArray]:
    """All maps of a method, layer by layer.

    Yields:
        (P, T, T) for each layer, or (P, T, T + 1) for decompx: the maps of the H heads, if the method has them, and as
        the last plane the map of the whole layer.
    """
    if quantity.is_from_input:
        for shown in input_maps(backend, trace, quantity.method):
            yield shown[None]
        return
    of_layer, of_heads = METHODS[quantity.method]
    for run in layer_runs(backend, trace):
        whole = of_layer(run)[None]  # (1, T, T)
        yield np.concatenate([of_heads(run), whole]) if of_heads else whole
