"""Faster linear layers by oneDNN, for inference only.

torch uses MKL, which does not use AVX-512 on non-Intel processors. One core of an EPYC of 2024 reaches 110 GFLOP/s with
MKL and 200 to 260 with oneDNN, for 64 to 4,096 tokens of the bundled model. Below 32 tokens, both are equally fast.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional as F

ROWS: Final = 64  # pad to multiples: oneDNN compiles and caches 0.6 MB of code per distinct number of rows
FEW_ROWS: Final = 128  # up to here, pad to multiples of ROWS / 2: 128 rows instead of 68 would take twice as long
FEWEST_ROWS: Final = 32  # below, oneDNN is not faster


def pack_linears(model: nn.Module) -> bool:
    """Make a model's linear layers use oneDNN, with copies of their weights in its layout.

    Outputs stay the same up to rounding, and have no gradients. The weights must not change or move afterwards, because
    small products use the originals and large ones the copies.

    Returns whether any layer was packed: only float32 layers on a CPU with AVX-512 are.
    """
    if not (torch.backends.mkldnn.is_available() and torch.backends.cpu.get_cpu_capability() == "AVX512"):
        return False
    found = False
    for module in model.modules():
        if type(module) is nn.Linear and (module.weight.device.type, module.weight.dtype) == ("cpu", torch.float32):
            found = True
            weight, bias = module.weight.detach(), None if module.bias is None else module.bias.detach()
            packed: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight)
            module.forward = partial(_multiply, weight, packed, bias)  # type: ignore[method-assign]
    return found


def _multiply(weight: Tensor, packed: Tensor, bias: Tensor | None, x: Tensor) -> Tensor:
    """(..., D) to (..., F)."""
    rows = x.reshape(-1, x.shape[-1])  # (M, D)
    if len(rows) < FEWEST_ROWS:
        return F.linear(x, weight, bias)
    product: Tensor = torch.ops.mkldnn._linear_pointwise(_padded(rows), packed, bias, "none", [], "")
    return product[: len(rows)].view(*x.shape[:-1], -1)  # (..., F)


def _padded(rows: Tensor) -> Tensor:
    """(M, D) padded with zero rows to a multiple of `ROWS`, or of half of it."""
    missing = -len(rows) % (ROWS // 2 if len(rows) <= FEW_ROWS else ROWS)
    return torch.cat((rows, rows.new_zeros(missing, rows.shape[1]))) if missing else rows
