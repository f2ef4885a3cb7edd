"""Faster linear layers by oneDNN, for inference only.

torch uses MKL, which does not use AVX-512 on non-Intel processors. One core of an EPYC of 2024 reaches 110 GFLOP/s with
MKL and 200 to 260 with oneDNN, for 64 to 4,096 tokens of the bundled model. Below 32 tokens, both are equally fast.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

ROWS = 64  # pad to multiples: oneDNN compiles and caches 0.6 MB of code per distinct number of rows
FEW_ROWS = 128  # up to here, pad to multiples of ROWS / 2: 128 rows instead of 68 would take twice as long
FEWEST_ROWS = 32  # below, oneDNN is not faster


def pack_linears(model: nn.Module) -> bool:
    """Make a model's linear layers use oneDNN, with copies of their weights in its layout.

    Outputs and gradients with respect to inputs stay the same up to rounding. There are no gradients with respect to
    the weights. The weights must not change or move afterwards, because small products use the originals and large ones
    the copies. A layer makes its copy on the first input of `FEWEST_ROWS` rows, and another on the first backward pass.
    A packed model cannot be deep-copied.

    Returns whether any layer was packed: only float32 layers on a CPU with AVX-512 are.
    """
    if not (torch.backends.mkldnn.is_available() and torch.backends.cpu.get_cpu_capability() == "AVX512"):
        return False
    found = False
    for module in model.modules():
        if type(module) is nn.Linear and (module.weight.device.type, module.weight.dtype) == ("cpu", torch.float32):
            found = True
            if "forward" not in vars(module):  # not packed yet
                bias = None if module.bias is None else module.bias.detach()
                packed = partial(_multiply, _Weight(module.weight.detach()), bias)
                module.forward = packed  # type: ignore[method-assign]
    return found


def _multiply(weight: _Weight, bias: Tensor | None, x: Tensor) -> Tensor:
    """(..., D) to (..., F)."""
    if torch.is_inference_mode_enabled():  # no gradients: skips 20 µs of autograd overhead
        return weight.multiply(x, bias)
    return _product(x, weight, bias)


def _product(x: Tensor, weight: _Weight, bias: Tensor | None = None, *, back: bool = False) -> Tensor:
    product: Tensor = _Product.apply(x, weight, bias, back)  # type: ignore[no-untyped-call]
    return product


class _Weight:
    """The frozen weight of a linear layer, with packed copies."""

    def __init__(self, weight: Tensor) -> None:
        """Wrap a weight (F, D)."""
        self._there_and_back = weight, weight.T  # transposed here, outside torch.func transforms, which would wrap it
        self._packed: dict[bool, Tensor] = {}

    def multiply(self, x: Tensor, bias: Tensor | None, *, back: bool = False) -> Tensor:
        """(..., D) to (..., F), or back from (..., F) to (..., D)."""
        rows = x.reshape(-1, x.shape[-1])  # (M, D)
        if len(rows) < FEWEST_ROWS:
            return F.linear(x, self._there_and_back[back], bias)
        if back not in self._packed:
            self._packed[back] = torch.ops.mkldnn._reorder_linear_weight(self._there_and_back[back].contiguous())
        product: Tensor = torch.ops.mkldnn._linear_pointwise(_padded(rows), self._packed[back], bias, "none", [], "")
        return product[: len(rows)].view(*x.shape[:-1], -1)  # (..., F)


class _Product(torch.autograd.Function):
    """x Wᵀ + b, whose derivatives with respect to x are such products as well."""

    @staticmethod
    def forward(x: Tensor, weight: _Weight, bias: Tensor | None, back: bool) -> Tensor:
        return weight.multiply(x, bias, back=back)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        _, ctx.weight, _, ctx.back = inputs

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        return _product(gradient, ctx.weight, back=not ctx.back), None, None, None

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor, *_: object) -> Tensor:
        return _product(tangent, ctx.weight, back=ctx.back)

    @staticmethod
    def vmap(
        _: Any, in_dims: tuple[int, ...], x: Tensor, weight: _Weight, bias: Tensor | None, back: bool
    ) -> tuple[Tensor, int]:
        return _product(x.movedim(in_dims[0], 0), weight, bias, back=back), 0


def _padded(rows: Tensor) -> Tensor:
    """(M, D) padded with zero rows to a multiple of `ROWS`, or of half of it."""
    missing = -len(rows) % (ROWS // 2 if len(rows) <= FEW_ROWS else ROWS)
    return torch.cat((rows, rows.new_zeros(missing, rows.shape[1]))) if missing else rows
