"""Runs whose nonlinear parts are held fixed when gradients are taken, for whole batches and any architecture.

Attention weights, the standard deviations of layer norms and the slopes activation(u) / u of activations are constants
for the backward pass, as in `layer_runs`. The gradient is then that of a linear function, so that gradient × embedding
is the contribution of a token in DecompX, without that of biases. The forward pass is unchanged.

Source: Ali et al. (2022), section 3; Modarressi et al. (2023), section 3, with the activation as a line through zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from encoder.attribution.layer_runs import slopes

Function = Callable[..., Any]


class Linearised(TorchFunctionMode):
    """A context, of this thread alone, in which gradients pass nonlinear parts as if they were held fixed.

    Parts that are not known here, such as the norms of some families, keep their gradients.
    """

    def __torch_function__(
        self, function: Function, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        replacement = _FIXED.get(function)
        call = function if replacement is None else partial(replacement, function)
        return call(*args, **(kwargs or {}))


def _weights(function: Function, *args: Any, **kwargs: Any) -> Tensor:
    """Attention weights without a gradient."""
    weights: Tensor = function(*args, **kwargs)
    return weights.detach()


def _attention(function: Function, query: Tensor, key: Tensor, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Attention whose weights have no gradient."""
    context: Tensor = function(query.detach(), key.detach(), value, *args, **kwargs)
    return context


def _activation(function: Function, units: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The activation as a line through zero."""
    return units * slopes(lambda inputs: function(inputs, *args, **kwargs), units.detach())


def _layer_norm(
    _: Function,
    states: Tensor,
    shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """A layer norm whose standard deviation has no gradient."""
    axes = tuple(range(-len(shape), 0))
    deviation = (states.detach().var(axes, correction=0, keepdim=True) + eps).sqrt()
    normalised = (states - states.mean(axes, keepdim=True)) / deviation
    normalised = normalised if weight is None else normalised * weight
    return normalised if bias is None else normalised + bias


_FIXED: Final[Mapping[Function, Function]] = {
    **dict.fromkeys((torch.softmax, Tensor.softmax, F.softmax), _weights),
    F.scaled_dot_product_attention: _attention,
    F.layer_norm: _layer_norm,
    **dict.fromkeys((F.gelu, F.relu, F.silu, torch.tanh, Tensor.tanh, torch.relu), _activation),
}
