"""Linear layers by oneDNN, for models that are run and not trained.

torch multiplies by MKL, which leaves the AVX-512 of other makers' processors than Intel's unused. One core of an EPYC
of 2024 does 110 GFLOP a second by MKL and 200 to 260 by oneDNN, from 64 to 4,096 tokens of the bundled model. Of fewer
than 32 tokens both take as long.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

ROWS = 64  # oneDNN keeps 0.6 MB of code for every number of rows that it meets: it meets multiples of this
FEW_ROWS = 128  # up to which it meets multiples of the half as well: of 68 rows, 128 would take twice as long
FEWEST_ROWS = 32  # that are worth it


def pack_linears(model: nn.Module) -> bool:
    """Let a model's linear layers multiply by oneDNN, with copies of their weights that are laid out for it.

    From then on these layers give the same numbers but for their last bits, and so do slopes along what goes into
    them. There are no slopes along their weights. These must stay as they are and where they are: a product of few rows
    would follow a change, and one of many would not. A layer makes its copy when it first meets `FEWEST_ROWS` rows, and
    another one when slopes are first asked for; a model with such copies cannot be copied itself.

    Returns whether there is such a layer: there is none on other devices, of other types than float32, and without
    AVX-512.
    """
    if not (torch.backends.mkldnn.is_available() and torch.backends.cpu.get_cpu_capability() == "AVX512"):
        return False
    found = False
    for module in model.modules():
        if type(module) is nn.Linear and (module.weight.device.type, module.weight.dtype) == ("cpu", torch.float32):
            found = True
            if "forward" not in vars(module):  # not packed before
                bias = None if module.bias is None else module.bias.detach()
                packed = partial(_multiply, _Weight(module.weight.detach()), bias)
                module.forward = packed  # type: ignore[method-assign]
    return found


def _multiply(weight: _Weight, bias: Tensor | None, x: Tensor) -> Tensor:
    """(..., D) to (..., F)."""
    if torch.is_inference_mode_enabled():  # nothing asks for slopes, and noting them takes 20 µs
        return weight.multiply(x, bias)
    return _product(x, weight, bias)


def _product(x: Tensor, weight: _Weight, bias: Tensor | None = None, *, back: bool = False) -> Tensor:
    product: Tensor = _Product.apply(x, weight, bias, back)  # type: ignore[no-untyped-call]
    return product


class _Weight:
    """The weight of a linear layer, which does not change any more."""

    def __init__(self, weight: Tensor) -> None:
        """Of (F, D)."""
        self._there_and_back = weight, weight.T  # made outside the transforms of torch.func, which would wrap it
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
    """x Wᵀ + b, of which a slope along x is such a product itself, there and back."""

    @staticmethod
    def forward(x: Tensor, weight: _Weight, bias: Tensor | None, back: bool) -> Tensor:
        return weight.multiply(x, bias, back=back)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        _, ctx.weight, _, ctx.back = inputs

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, None, None, None]:
        return _product(slope, ctx.weight, back=not ctx.back), None, None, None

    @staticmethod
    def jvp(ctx: Any, way: Tensor, *_: object) -> Tensor:
        return _product(way, ctx.weight, back=ctx.back)

    @staticmethod
    def vmap(
        _: Any, in_dims: tuple[int, ...], x: Tensor, weight: _Weight, bias: Tensor | None, back: bool
    ) -> tuple[Tensor, int]:
        return _product(x.movedim(in_dims[0], 0), weight, bias, back=back), 0


def _padded(rows: Tensor) -> Tensor:
    """(M, D) with rows of zeros behind it, up to a number of rows that oneDNN meets."""
    missing = -len(rows) % (ROWS // 2 if len(rows) <= FEW_ROWS else ROWS)
    return torch.cat((rows, rows.new_zeros(missing, rows.shape[1]))) if missing else rows
