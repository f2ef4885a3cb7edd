"""Where torch begins and ends: tokens into tensors, and tensors into the arrays of a trace."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from encoder.text.tokens import Tokens
from encoder.trace import FloatArray, LayerAttention
from encoder.transformer.attention import Attention


def to_numpy(tensor: Tensor) -> FloatArray:
    """A float32 copy that torch does not know about."""
    array: FloatArray = tensor.detach().to("cpu", torch.float32).numpy().copy()
    return array


def additive(mask: Tensor | None) -> FloatArray | None:
    """A mask as what is added to the scores: boolean (True = may be attended) or already additive, on one text.

    Args:
        mask: (1, 1 or H, 1 or T, T) or None.
    Returns:
        (1 or H, 1 or T, T), -inf where a key may not be attended.
    """
    if mask is None:
        return None
    if mask.dtype == torch.bool:
        return to_numpy(torch.zeros(mask.shape).masked_fill(~mask.cpu(), -math.inf)[0])
    lowest = torch.finfo(mask.dtype).min / 2  # models write "not at all" as the lowest number of their type
    return to_numpy(mask.float().masked_fill(mask < lowest, -math.inf)[0])


def layer_attention(attention: Attention, mask: Tensor | None) -> LayerAttention:
    """What a trace keeps of one of our own attentions on one text; `mask` as it was given to it."""
    return LayerAttention(
        query=to_numpy(attention.query[0]),
        key=to_numpy(attention.key[0]),
        value=to_numpy(attention.value[0]),
        scaling=attention.query.shape[-1] ** -0.5,
        bias=additive(mask),
    )


class Batch(NamedTuple):
    """Texts padded to one length, (B, T) each."""

    input_ids: Tensor
    token_type_ids: Tensor
    attention_mask: Tensor


def padded(texts: Sequence[Tokens], *, pad_id: int) -> Batch:
    """Texts as the rows of a batch, with padding behind them."""
    length = max(len(tokens) for tokens in texts)
    rows = [(tokens.ids, tokens.token_type_ids, tokens.attention_mask, length - len(tokens)) for tokens in texts]
    return Batch(
        torch.tensor([ids + (pad_id,) * missing for ids, _, _, missing in rows]),
        torch.tensor([types + (0,) * missing for _, types, _, missing in rows]),
        torch.tensor([mask + (0,) * missing for _, _, mask, missing in rows]),
    )
