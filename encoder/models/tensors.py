"""Where torch begins and ends: tokens into tensors, and tensors into the arrays of a trace."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from encoder.models.hooks import Point, Recorder
from encoder.runs.arrays import FloatArray
from encoder.runs.layer_attention import LayerAttention
from encoder.text.tokens import Tokens


def to_numpy(tensor: Tensor) -> FloatArray:
    """The tensor as float32, on its own memory where that is on the CPU; give it what nothing changes any more.

    A part of a larger tensor, such as the values among fused queries, keys and values, is copied: it would keep all of
    that alive.
    """
    here = tensor.detach().to("cpu", torch.float32)
    array: FloatArray = (here.clone() if here.untyped_storage().nbytes() > here.nbytes else here).numpy()
    return array


def additive(mask: Tensor) -> Tensor:
    """A mask as what is added to the scores, -inf where a key may not be attended.

    Args:
        mask: (B, 1 or H, 1 or T, T), boolean (True = may be attended) or already additive.
    Returns:
        The same shape, float32.
    """
    if mask.dtype == torch.bool:
        return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -math.inf)
    lowest = torch.finfo(mask.dtype).min / 2  # models write "not at all" as the lowest number of their type
    return mask.float().masked_fill(mask < lowest, -math.inf)


class AttentionRecorder(Recorder[FloatArray]):
    """Keeps what a trace of one text holds of every attention that runs."""

    def __init__(self) -> None:
        super().__init__(*map(Point, ("query", "key", "value", "mask", "scaling")), keep=_of_one_text)

    @property
    def layers(self) -> tuple[LayerAttention, ...]:
        """In the order in which they ran."""
        numbers = sorted(point.layer for point in self.seen if point.name == "query" and point.layer is not None)
        return tuple(
            LayerAttention(
                query=self.seen[Point("query", number)],
                key=self.seen[Point("key", number)],
                value=self.seen[Point("value", number)],
                scaling=float(self.seen[Point("scaling", number)]),
                bias=self.seen.get(Point("mask", number)),
            )
            for number in numbers
        )


def _of_one_text(tensor: Tensor) -> FloatArray:
    """A point's tensor without its batch axis, a boolean mask as an additive one; the scaling has no axis."""
    if tensor.dtype == torch.bool:
        tensor = additive(tensor)
    return to_numpy(tensor[0] if tensor.dim() else tensor)


class Batch(NamedTuple):
    """Texts padded to one length, (B, T) each."""

    input_ids: Tensor
    token_type_ids: Tensor
    attention_mask: Tensor


def padded(texts: Sequence[Tokens], *, pad_id: int, device: torch.device | None = None) -> Batch:
    """Texts as the rows of a batch, with padding behind them; on the CPU unless told otherwise."""
    length = max(len(tokens) for tokens in texts)
    rows = [(tokens.ids, tokens.token_type_ids, tokens.attention_mask, length - len(tokens)) for tokens in texts]
    return Batch(
        torch.tensor([ids + (pad_id,) * missing for ids, _, _, missing in rows], device=device),
        torch.tensor([types + (0,) * missing for _, types, _, missing in rows], device=device),
        torch.tensor([mask + (0,) * missing for _, _, mask, missing in rows], device=device),
    )
