"""The methods that say how much tokens take from each other, under one name each, and where each of them applies.

=========  =================================================  =========  =====  ==========
method     what it shows                                      per head   layer  from input
=========  =================================================  =========  =====  ==========
weights    attention weights                                  yes        mean   no
norms      ‖α f(x)‖                                           yes        yes    no
residual   the same with residual connection and layer norm   no         yes    no
rollout    product of ½ weights + ½ identity                  no         yes    yes
globenc    product of the whole layer's norms                 no         yes    yes
alti       product of 1-norm contributions                    no         yes    yes
decompx    norms of vectors carried through everything        no         yes    yes
=========  =================================================  =========  =====  ==========
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from encoder.attribution.decompx import decomposed_norms, one_layer_norms
from encoder.attribution.layer_maps import (
    alti,
    attention_with_residual,
    globenc,
    products,
    residual_norms,
    summed_norms,
    value_weighted_norms,
)
from encoder.attribution.layer_runs import LayerRun, layer_runs
from encoder.errors import ArgumentError
from encoder.models.base import Backend
from encoder.models.tensors import to_numpy
from encoder.runs.trace import FloatArray, Trace

MethodName = Literal["weights", "norms", "residual", "rollout", "globenc", "alti", "decompx"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """What is said of a method beside its numbers.

    Attributes:
        formula, source: how it is defined, and where.
        scale: "share" for rows that sum to 1, "norm" for lengths in units of hidden states.
        of_layer: a layer's (T, T) map; the last column of a (T, T + 1) one belongs to the biases.
        of_heads: a layer's (H, T, T) maps, None where the method does not tell heads apart.
        from_input: whether it leads from the input to a layer.
    """

    formula: str
    source: str
    scale: Literal["share", "norm"]
    of_layer: Callable[[LayerRun], FloatArray]
    of_heads: Callable[[LayerRun], FloatArray] | None = None
    from_input: bool = False


METHODS: Mapping[MethodName, Method] = MappingProxyType(
    {
        "weights": Method(
            formula="α",
            source="Vaswani et al. (2017), equation 1",
            scale="share",
            of_layer=lambda run: to_numpy(run.weights.mean(0)),
            of_heads=lambda run: to_numpy(run.weights),
        ),
        "norms": Method(
            formula="‖α f(x)‖, f(x) = (x Wᵛ + bᵛ) Wᴼ; of a layer ‖Σₕ αₕ fₕ(x)‖",
            source="Kobayashi et al. (2020), equations 3 and 4",
            scale="norm",
            of_layer=summed_norms,
            of_heads=value_weighted_norms,
        ),
        "residual": Method(
            formula="‖LN(Σₕ αₕ fₕ(xⱼ) + [i = j] xᵢ)‖",
            source="Kobayashi et al. (2021), equation 11",
            scale="norm",
            of_layer=residual_norms,
        ),
        "rollout": Method(
            formula="Π (½ mean α + ½ I)",
            source="Abnar and Zuidema (2020), section 3",
            scale="share",
            of_layer=attention_with_residual,
            from_input=True,
        ),
        "globenc": Method(
            formula="Π N, N = ‖LN₂(LN₁(Σₕ αₕ fₕ(xⱼ) + [i = j] xᵢ))‖ by row",
            source="Modarressi et al. (2022), section 3",
            scale="share",
            of_layer=globenc,
            from_input=True,
        ),
        "alti": Method(
            formula="Π C, C = max(0, ‖yᵢ‖₁ − ‖yᵢ − Tᵢ(xⱼ)‖₁) by row",
            source="Ferrando et al. (2022), equations 7 and 8",
            scale="share",
            of_layer=alti,
            from_input=True,
        ),
        "decompx": Method(
            formula="‖x̃ᵢ←ⱼ‖, Σⱼ x̃ᵢ←ⱼ + biases = xᵢ",
            source="Modarressi et al. (2023), section 3",
            scale="norm",
            of_layer=one_layer_norms,
            from_input=True,
        ),
    }
)


def head_maps(backend: Backend, trace: Trace, method: MethodName, layer: int) -> FloatArray:
    """(H, T, T) of one layer, query by key.

    Raises:
        ArgumentError: the method does not tell heads apart.
        SelectionError: there is no such layer.
        UnsupportedModelError: the model cannot be taken apart.
    """
    of_heads = METHODS[method].of_heads
    if of_heads is None:
        raise ArgumentError(f"{method} does not tell heads apart: weights and norms do.")
    return of_heads(next(layer_runs(backend, trace, [layer])))


def layer_map(backend: Backend, trace: Trace, method: MethodName, layer: int) -> FloatArray:
    """(T, T) of one layer: how much each token takes from the states that go into it; decompx has a column more.

    Raises:
        SelectionError: there is no such layer.
        UnsupportedModelError: the model cannot be taken apart.
    """
    return METHODS[method].of_layer(next(layer_runs(backend, trace, [layer])))


def input_maps(backend: Backend, trace: Trace, method: MethodName) -> Iterator[FloatArray]:
    """How much each token takes from the input, after layer 0, 1, ...

    Yields:
        (T, T) for each layer; rows of shares sum to 1. decompx gives (T, T + 1), the last column for the biases.
    Raises:
        ArgumentError: the method does not lead from the input to a layer.
        UnsupportedModelError: the model cannot be taken apart.
    """
    chosen = METHODS[method]
    if not chosen.from_input:
        raise ArgumentError(f"{method} is told within a layer only: rollout, globenc, alti and decompx go further.")
    if method == "decompx":
        return iter(decomposed_norms(backend, trace)[1:])
    return products(map(chosen.of_layer, layer_runs(backend, trace)))
