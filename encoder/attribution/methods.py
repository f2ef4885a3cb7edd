"""Methods for how much tokens take from each other; `method_facts` describes them without torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType

import numpy as np

from encoder.attribution.decompx import decomposed_norms, one_layer_norms
from encoder.attribution.layer_runs import LayerRun, layer_runs
from encoder.attribution.method_facts import FACTS, MethodFacts, Quantity
from encoder.attribution.method_facts import MethodName as MethodName
from encoder.attribution.method_formulas import (
    alti,
    attention_with_residual,
    globenc,
    products,
    residual_norms,
    summed_norms,
    value_weighted_norms,
)
from encoder.errors import ArgumentError
from encoder.models.base import Backend
from encoder.models.tensors import to_numpy
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodMaps(MethodFacts):
    """A method, with the functions that compute its maps.

    Attributes:
        of_layer: a layer's (T, T) map; the last column of a (T, T + 1) map belongs to the biases.
        of_heads: a layer's (H, T, T) maps; None if the method has none per head.
    """

    of_layer: Callable[[LayerRun], FloatArray]
    of_heads: Callable[[LayerRun], FloatArray] | None = None


def _method(
    name: MethodName,
    of_layer: Callable[[LayerRun], FloatArray],
    of_heads: Callable[[LayerRun], FloatArray] | None = None,
) -> MethodMaps:
    return MethodMaps(**asdict(FACTS[name]), of_layer=of_layer, of_heads=of_heads)


METHODS: Mapping[MethodName, MethodMaps] = MappingProxyType(
    {
        "weights": _method("weights", lambda run: to_numpy(run.weights.mean(0)), lambda run: to_numpy(run.weights)),
        "norms": _method("norms", summed_norms, value_weighted_norms),
        "residual": _method("residual", residual_norms),
        "rollout": _method("rollout", attention_with_residual),
        "globenc": _method("globenc", globenc),
        "alti": _method("alti", alti),
        "decompx": _method("decompx", one_layer_norms),
    }
)


def head_maps(backend: Backend, trace: Trace, method: MethodName, layer: int) -> FloatArray:
    """(H, T, T) of one layer, query by key.

    Raises:
        ArgumentError: the method has no maps per head.
        SelectionError: there is no such layer.
        UnsupportedModelError: the model cannot be decomposed.
    """
    of_heads = METHODS[method].of_heads
    if of_heads is None:
        raise ArgumentError(f"{method} has no maps per head: choose weights or norms.")
    return of_heads(next(layer_runs(backend, trace, [layer])))


def layer_map(backend: Backend, trace: Trace, method: MethodName, layer: int) -> FloatArray:
    """(T, T) of one layer: how much each token takes from the layer's input states; decompx has one more column.

    Raises:
        SelectionError: there is no such layer.
        UnsupportedModelError: the model cannot be decomposed.
    """
    return METHODS[method].of_layer(next(layer_runs(backend, trace, [layer])))


def input_maps(backend: Backend, trace: Trace, method: MethodName) -> Iterator[FloatArray]:
    """How much each token takes from the input tokens, after layer 0, 1, ...

    Yields:
        (T, T) for each layer; rows of shares sum to 1. decompx yields (T, T + 1), the last column for the biases.
    Raises:
        ArgumentError: the method is defined within one layer only.
        UnsupportedModelError: the model cannot be decomposed.
    """
    chosen = METHODS[method]
    if not chosen.from_input:
        raise ArgumentError(
            f"{method} is defined within one layer; from the input to a layer, use rollout, globenc, alti or decompx."
        )
    if method == "decompx":
        return iter(decomposed_norms(backend, trace)[1:])
    return products(map(chosen.of_layer, layer_runs(backend, trace)))


def planes(backend: Backend, trace: Trace, quantity: Quantity) -> Iterator[FloatArray]:
    """All maps of a method, layer by layer.

    Yields:
        (P, T, T) for each layer, or (P, T, T + 1) for decompx: the maps of the H heads, if the method has them, and as
        the last plane the map of the whole layer.
    Raises:
        UnsupportedModelError: the model cannot be decomposed.
    """
    if quantity.is_from_input:
        for shown in input_maps(backend, trace, quantity.method):
            yield shown[None]
        return
    method = METHODS[quantity.method]
    for run in layer_runs(backend, trace):
        whole = method.of_layer(run)[None]  # (1, T, T)
        yield np.concatenate([method.of_heads(run), whole]) if method.of_heads else whole
