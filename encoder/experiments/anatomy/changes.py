"""Run our encoder with a mask or a change, and record one layer's attention."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, groupby

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from encoder.experiments.anatomy.names import Mask, WhatIf
from encoder.experiments.anatomy.record import (
    Record,
    check_layer,
    expose_embeddings,
    expose_layer,
    inputs_of,
    layer_of,
    shared,
)
from encoder.measures.units import units_of
from encoder.models.device import device_of
from encoder.models.hooks import Hook, Hooks, Point, Recorder, hooked
from encoder.models.own_points import expose_points
from encoder.models.threads import preserve_random_state
from encoder.runs.arrays import FloatArray
from encoder.text.tokens import Tokens
from encoder.transformer.attention import causal_mask, padding_mask
from encoder.transformer.encoder import Encoder

SEED = 0
PADDING = 3  # padding tokens after the text, as if a longer text were in the same batch


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Changed:
    """One layer's attention in a changed pass.

    Attributes:
        weights: (H, T, T), or (1, T, T) for one head, as they multiply the values, after dropout. Rows and columns are
            in the order of the text, even if its words were shuffled.
        scores, softmax: of the same shape and order, before softmax and before dropout.
        order: the token of the text that the model read at each position.
    """

    weights: FloatArray
    scores: FloatArray
    softmax: FloatArray
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Masked:
    """One layer's attention without and with a mask, on the text followed by `padding` padding tokens.

    A text of maximal length has no room for padding.

    Attributes:
        free_scores, free_weights: (H, T, T) of a pass without the mask.
        unmasked: (H, T, T) scores of the pass with the mask, before the mask is applied.
        scores, weights: (H, T, T) with the mask; a score is -inf where the key may not be attended.
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
def changed(encoder: Encoder, tokens: Tokens, *, layer: int, what_ifs: Sequence[WhatIf]) -> Changed:
    """Run the encoder with all given changes at once.

    "unscaled" and "one-head" change this layer only, not its input. "dropout" applies the dropout of training in every
    layer, with a fixed seed. "no-positions" leaves out the position embeddings. "shuffled" shuffles the words of each
    sentence with a fixed seed; special tokens stay.
    """
    check_layer(encoder, layer)
    expose_points(encoder)
    order = shuffled(tokens) if "shuffled" in what_ifs else tuple(range(len(tokens)))
    ids, types, mask = inputs_of(encoder, tokens)
    ids, types = ids[:, list(order)], types[:, list(order)]
    before = Recorder(Point("scores", layer), Point("weights", layer), keep=lambda tensor: tensor)
    after = Recorder(Point("weights", layer), keep=lambda tensor: tensor)
    changes = _changes(encoder, layer, what_ifs)
    with preserve_random_state(), hooked(encoder, before.hooks, changes, after.hooks):
        torch.manual_seed(SEED)
        encoder(ids, types, mask)
    return Changed(
        weights=_restored(after.seen[Point("weights", layer)], order),
        scores=_restored(before.seen[Point("scores", layer)], order),
        softmax=_restored(before.seen[Point("weights", layer)], order),
        order=order,
    )


def _changes(encoder: Encoder, layer: int, what_ifs: Sequence[WhatIf]) -> Hooks:
    """The hooks for the changes, except the order of the words."""
    hooks: defaultdict[Point, list[Hook]] = defaultdict(list)
    if "one-head" in what_ifs:
        attention = layer_of(encoder, layer).attention
        for name in ("query", "key", "value"):
            hooks[Point(name, layer)].append(lambda tensor, _: attention.merge_heads(tensor)[:, None])  # (B, 1, T, D)
        hooks[Point("context", layer)].append(lambda tensor, _: attention.split_heads(tensor[:, 0]))  # (B, H, T, K)
    if "unscaled" in what_ifs:  # the scores are divided by the root of the width
        hooks[Point("query", layer)].append(lambda tensor, _: tensor * math.sqrt(tensor.shape[-1]))
    if "no-positions" in what_ifs:
        expose_embeddings(encoder)
        hooks[Point("position")].append(lambda tensor, _: torch.zeros_like(tensor))
    if "dropout" in what_ifs:
        for index in range(len(encoder.layers)):
            expose_layer(encoder, index)
        on_weights = _dropping(encoder.config.attention_probs_dropout_prob)
        on_states = _dropping(encoder.config.hidden_dropout_prob)
        hooks[Point("weights")].append(on_weights)
        for name in ("embedding", "attended", "fed"):
            hooks[Point(name)].append(on_states)
    return hooks


def _dropping(probability: float) -> Hook:
    """A hook that applies dropout as in training, with the same random numbers on every device."""

    def drop(tensor: Tensor, _: Point) -> Tensor:
        return tensor * F.dropout(torch.ones(tensor.shape), probability).to(tensor.device)

    return drop


@torch.inference_mode()
def pre_norm(encoder: Encoder, record: Record) -> tuple[FloatArray, FloatArray]:
    """The record's layer with its layer norm before attention instead of after it, with the same states and weights.

    Returns:
        (T, D) the input of attention, LayerNorm(x), and (T, D) the result, x + attention(LayerNorm(x)).
    """
    block = layer_of(encoder, record.layer)
    attention_mask = inputs_of(encoder, record.tokens)[2]
    mask = None if attention_mask is None else padding_mask(attention_mask)  # (1, 1, 1, T)
    x = torch.tensor(record.layer_input, device=device_of(encoder))[None]  # (1, T, D)
    normed = block.attention_norm(x)  # (1, T, D)
    return shared(normed[0]), shared((x + block.attention(normed, mask))[0])


def shuffled(tokens: Tokens) -> tuple[int, ...]:
    """The token at each position after shuffling the words of each sentence.

    The pieces of a word stay together; special tokens do not move. A single word has no other order.
    """
    order: list[int] = []
    words_and_special_tokens = units_of(tokens, level="words").members
    for sentence, members in groupby(words_and_special_tokens, key=lambda members: tokens.sentence_ids[members[0]]):
        words = list(members)
        order += chain.from_iterable(words if sentence is None else _reordered(words))
    return tuple(order)


def _reordered(words: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    mixed = words.copy()
    random.Random(SEED).shuffle(mixed)
    return mixed if mixed != words else words[1:] + words[:1]


def _restored(tensor: Tensor, order: tuple[int, ...]) -> FloatArray:
    """(1, H, T, T) in reading order to (H, T, T) in text order."""
    read = shared(tensor[0])
    restored = np.empty_like(read)
    restored[:, np.array(order)[:, None], np.array(order)[None, :]] = read
    return restored


@torch.inference_mode()
def masked(encoder: Encoder, tokens: Tokens, *, layer: int, mask: Mask) -> Masked:
    """Run a layer's attention with and without a mask.

    The padding mask applies in every layer, as in a batch. The causal mask applies in this layer only, on unchanged
    input states, because BERT was not trained with one.
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
    unmasked = query @ key.mT / math.sqrt(query.shape[-1])  # (1, H, T, T)
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
        if attention_mask is None:  # without a mask, a run does not pass this point
            attention_mask = torch.ones_like(ids)
    with hooked(encoder, replacing, recorder.hooks):
        encoder(ids, types, attention_mask)
    return {point.name: recorder.seen[point] for point in points}
