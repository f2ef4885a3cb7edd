"""What a mask does to one layer's attention: none, one that hides padding, one that hides what comes later."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from encoder.experiments.anatomy.names import Mask
from encoder.experiments.anatomy.record import check_layer, inputs_of, shared
from encoder.models.hooks import Hooks, Point, Recorder, hooked
from encoder.models.own_points import expose_points
from encoder.runs.arrays import FloatArray
from encoder.text.tokens import Tokens
from encoder.transformer.attention import causal_mask
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
    ids, types, own = inputs_of(encoder, tokens)
    room = encoder.config.max_position_embeddings - len(tokens)
    padding = min(PADDING, room) if mask == "padding" else 0
    if padding:
        pad = encoder.config.pad_token_id
        ids = torch.cat([ids, torch.full((1, padding), pad, device=ids.device)], dim=1)  # (1, T)
        types = torch.cat([types, types.new_zeros(1, padding)], dim=1)
        own = torch.tensor([[*tokens.attention_mask, *[0] * padding]], device=ids.device)
    length = ids.shape[1]
    free = _attention(encoder, ids, types, None if padding else own, layer=layer)
    allowed = torch.ones(length, length, dtype=torch.bool, device=ids.device)
    if mask == "causal":
        allowed = causal_mask(length, device=ids.device)[0, 0]
    if own is not None:
        allowed = allowed & own.bool()
    with_mask = free
    if mask == "causal":
        with_mask = _attention(encoder, ids, types, own, layer=layer, mask=allowed[None, None])
    elif padding:
        with_mask = _attention(encoder, ids, types, own, layer=layer)
    query, key = with_mask["query"], with_mask["key"]  # (1, H, T, K)
    unmasked = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])  # (1, H, T, T)
    return Masked(
        padding=padding,
        free_scores=shared(free["scores"][0]),
        free_weights=shared(free["weights"][0]),
        unmasked=shared(unmasked[0]),
        scores=np.where(allowed.cpu().numpy(), shared(with_mask["scores"][0]), -np.inf).astype(np.float32),
        weights=shared(with_mask["weights"][0]),
        allowed=allowed.cpu().numpy(),
    )


def _attention(
    encoder: Encoder,
    ids: Tensor,
    types: Tensor,
    attention_mask: Tensor | None,
    *,
    layer: int,
    mask: Tensor | None = None,
) -> dict[str, Tensor]:
    """The layer's "query", "key", "scores" and "weights"; `mask`, (1, 1, T, T), replaces the mask of this layer."""
    expose_points(encoder)
    points = [Point(name, layer) for name in ("query", "key", "scores", "weights")]
    recorder = Recorder(*points, keep=lambda tensor: tensor)
    replacing: Hooks = {}
    if mask is not None:
        replacing = {Point("mask", layer): (lambda *_: mask,)}
        if attention_mask is None:  # a run without a mask does not pass this point
            attention_mask = torch.ones_like(ids)
    with hooked(encoder, replacing, recorder.hooks):
        encoder(ids, types, attention_mask)
    return {point.name: recorder.seen[point] for point in points}
