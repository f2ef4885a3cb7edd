"""What a mask does to one layer's attention: none, one that hides padding, one that hides what comes later."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from encoder.experiments.anatomy.names import Mask
from encoder.experiments.anatomy.record import (
    Seen,
    check_layer,
    formed,
    inputs_of,
    layer_of,
    private_copy,
    shared,
    watch,
)
from encoder.text.tokens import Tokens
from encoder.trace import FloatArray
from encoder.transformer.attention import Attention, causal_mask
from encoder.transformer.encoder import Encoder

PADDING = 3  # tokens of padding behind the text, as a longer text in the same batch would ask for


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Masked:
    """One layer's attention without and with a mask, on the text with `padding` tokens behind it.

    A text as long as the model reads has no room for padding.

    Attributes:
        free_scores, free_weights: (H, T, T) of a pass without the mask.
        unmasked: (H, T, T) scores of the pass with the mask, before this layer's attention adds it.
        scores, weights: (H, T, T) with it; a score is -inf where the key may not be attended.
        allowed: (T, T), True = may be attended.
    """

    padding: int
    free_scores: FloatArray
    free_weights: FloatArray
    unmasked: FloatArray
    scores: FloatArray
    weights: FloatArray
    allowed: NDArray[np.bool_]


@torch.inference_mode()
def masked(encoder: Encoder, tokens: Tokens, *, layer: int, mask: Mask) -> Masked:
    """Run a layer's own attention with a mask and without.

    The padding mask holds in every layer, as it does in a batch. The causal one is put on this layer alone, on the
    states that the model gives it: BERT was never trained with one.

    Raises:
        SelectionError: there is no such layer.
    """
    check_layer(encoder, layer)
    ids, types, own = inputs_of(tokens)
    room = encoder.config.max_position_embeddings - len(tokens)
    padding = min(PADDING, room) if mask == "padding" else 0
    if padding:
        pad = encoder.config.pad_token_id
        ids = torch.cat([ids, torch.full((1, padding), pad)], dim=1)  # (1, T)
        types = torch.cat([types, torch.zeros((1, padding), dtype=types.dtype)], dim=1)
        own = torch.tensor([[*tokens.attention_mask, *[0] * padding]])
    length = ids.shape[1]
    free = _attention(encoder, ids, types, None if padding else own, layer=layer)
    allowed = torch.ones(length, length, dtype=torch.bool)
    if mask == "causal":
        allowed = causal_mask(length)[0, 0]
    if own is not None:
        allowed = allowed & own.bool()
    held = free
    if mask == "causal":
        held = _attention(encoder, ids, types, own, layer=layer, mask=allowed[None, None])
    elif padding:
        held = _attention(encoder, ids, types, own, layer=layer)
    free_scores, free_weights = formed(free)
    scores, weights = formed(held)
    unmasked = held.query @ held.key.transpose(-1, -2) / math.sqrt(held.query.shape[-1])  # (1, H, T, T)
    return Masked(
        padding=padding,
        free_scores=shared(free_scores[0]),
        free_weights=shared(free_weights[0]),
        unmasked=shared(unmasked[0]),
        scores=np.where(allowed.numpy(), shared(scores[0]), -np.inf).astype(np.float32),
        weights=shared(weights[0]),
        allowed=allowed.numpy(),
    )


def _attention(
    encoder: Encoder,
    ids: Tensor,
    types: Tensor,
    attention_mask: Tensor | None,
    *,
    layer: int,
    mask: Tensor | None = None,
) -> Attention:
    """The layer's intermediates; `mask`, (1, 1, T, T), replaces the mask of this layer alone."""
    watched = private_copy(encoder)
    attention = layer_of(watched, layer).attention
    if mask is not None:

        def with_mask(_: nn.Module, given: tuple[Any, ...]) -> tuple[Any, ...]:
            return given[0], mask

        attention.register_forward_pre_hook(with_mask)
    seen: Seen = {}
    watch(seen, attention=attention)
    watched(ids, types, attention_mask)
    of_layer: Attention = seen["attention"][1][1]
    return of_layer
