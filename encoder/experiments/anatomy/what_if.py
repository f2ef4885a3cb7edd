"""What if one thing were otherwise: a pass with something changed, and what becomes of one layer's attention."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from encoder.experiments.anatomy.names import WhatIf
from encoder.experiments.anatomy.record import (
    Record,
    check_layer,
    expose_embeddings,
    expose_layer,
    inputs_of,
    layer_of,
    shared,
)
from encoder.models.device import device_of
from encoder.models.hooks import Hook, Hooks, Point, Recorder, hooked
from encoder.models.own_points import expose_points
from encoder.models.threads import preserve_random_state
from encoder.runs.arrays import FloatArray
from encoder.text.tokens import Tokens
from encoder.transformer.attention import padding_mask
from encoder.transformer.encoder import Encoder

SEED = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Changed:
    """One layer's attention in a changed pass.

    Attributes:
        weights: (H, T, T), or (1, T, T) of one head, as they multiply the values: with dropout, after it. Rows and
            columns are in the order of the text, also where its words were shuffled.
        scores, softmax: of the same shape and order, before softmax, and before dropout.
        order: which token of the text the model read at each position.
    """

    weights: FloatArray
    scores: FloatArray
    softmax: FloatArray
    order: tuple[int, ...]


@torch.inference_mode()
def changed(encoder: Encoder, tokens: Tokens, *, layer: int, what_ifs: Sequence[WhatIf]) -> Changed:
    """Run the encoder with all these changes at once.

    "unscaled" and "one-head" change this layer alone; what goes into it stays. "dropout" drops in every layer what
    training would, with a fixed seed. "no-positions" leaves the position embeddings out. "shuffled" puts the words of
    each sentence in another order, by a fixed seed; special tokens stay.

    Raises:
        SelectionError: there is no such layer.
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
    """The hooks that make the changes, but for the order of the words."""
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
    """A hook that does what `nn.Dropout` does in training, and draws the same numbers for every device."""

    def drop(tensor: Tensor, _: Point) -> Tensor:
        return tensor * F.dropout(torch.ones(tensor.shape), probability, training=True).to(tensor.device)

    return drop


@torch.inference_mode()
def pre_norm(encoder: Encoder, record: Record) -> tuple[FloatArray, FloatArray]:
    """The record's layer with its layer norm before attention instead of after it, on the same states and weights.

    Returns:
        (T, D) what would go into attention, LayerNorm(x), and (T, D) what would go on, x + attention(LayerNorm(x)).
    """
    block = layer_of(encoder, record.layer)
    attention_mask = inputs_of(encoder, record.tokens)[2]
    mask = None if attention_mask is None else padding_mask(attention_mask)  # (1, 1, 1, T)
    x = torch.tensor(record.layer_input, device=device_of(encoder))[None]  # (1, T, D)
    normed = block.attention_norm(x)  # (1, T, D)
    return shared(normed[0]), shared((x + block.attention(normed, mask))[0])


def shuffled(tokens: Tokens) -> tuple[int, ...]:
    """For each position the token that comes to stand there: the words of each sentence in another order.

    The pieces of a word stay together, special tokens where they are. One word alone has no other order.
    """
    order: list[int] = []
    position = 0
    while position < len(tokens):
        sentence = tokens.sentence_ids[position]
        if sentence is None:
            order.append(position)
            position += 1
            continue
        end = position
        while end < len(tokens) and tokens.sentence_ids[end] == sentence:
            end += 1
        order += [token for word in _reordered(_words(tokens, position, end), seed=SEED) for token in word]
        position = end
    return tuple(order)


def _restored(tensor: Tensor, order: tuple[int, ...]) -> FloatArray:
    """(1, H, T, T) in the order in which the model read, to (H, T, T) in that of the text."""
    read = shared(tensor[0])
    restored = np.empty_like(read)
    restored[:, np.array(order)[:, None], np.array(order)[None, :]] = read
    return restored


def _words(tokens: Tokens, start: int, end: int) -> list[list[int]]:
    """Positions from start to end, those of one word together."""
    words: list[list[int]] = []
    previous: int | None = None
    for position in range(start, end):
        word = tokens.word_ids[position]
        if words and word is not None and word == previous:
            words[-1].append(position)
        else:
            words.append([position])
        previous = word
    return words


def _reordered(words: list[list[int]], *, seed: int) -> list[list[int]]:
    mixed = words.copy()
    random.Random(seed).shuffle(mixed)
    return mixed if mixed != words else words[1:] + words[:1]
