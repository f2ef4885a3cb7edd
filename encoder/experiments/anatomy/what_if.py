"""What if one thing were otherwise: a pass with something changed, and what becomes of one layer's attention."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from encoder.experiments.anatomy.names import WhatIf
from encoder.experiments.anatomy.record import (
    Record,
    Seen,
    check_layer,
    formed,
    inputs_of,
    layer_of,
    private_copy,
    shared,
    watch,
)
from encoder.models.randomness import random_numbers_kept
from encoder.text.tokens import Tokens
from encoder.trace import FloatArray
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
    """Run the encoder with all these changes at once, on a copy of its own.

    "unscaled" and "one-head" change this layer alone; what goes into it stays. "dropout" drops in every layer what
    training would, with a fixed seed. "no-positions" leaves the position embeddings out. "shuffled" puts the words of
    each sentence in another order, by a fixed seed; special tokens stay.

    Raises:
        SelectionError: there is no such layer.
    """
    check_layer(encoder, layer)
    watched = private_copy(encoder)
    attention = layer_of(watched, layer).attention
    if "one-head" in what_ifs:
        attention.num_heads, attention.head_width = 1, attention.num_heads * attention.head_width
    if "unscaled" in what_ifs:
        undo = math.sqrt(attention.head_width)  # the scores are divided by it

        def undo_scaling(_: nn.Module, __: tuple[Any, ...], query: Tensor) -> Tensor:
            return query * undo

        attention.query.register_forward_hook(undo_scaling)
    if "no-positions" in what_ifs:
        watched.embeddings.position.register_forward_hook(_nothing)
    order = shuffled(tokens) if "shuffled" in what_ifs else tuple(range(len(tokens)))
    ids, types, mask = inputs_of(tokens)
    ids, types = ids[:, list(order)], types[:, list(order)]
    seen: Seen = {}
    watch(seen, attention=attention)
    with random_numbers_kept(), _Multiplied() as multiplied:
        torch.manual_seed(SEED)
        watched.train("dropout" in what_ifs)(ids, types, mask)
    scores, softmax = formed(seen["attention"][1][1])
    return Changed(
        weights=_restored(multiplied.weights[layer], order),
        scores=_restored(scores, order),
        softmax=_restored(softmax, order),
        order=order,
    )


@torch.inference_mode()
def pre_norm(encoder: Encoder, record: Record) -> tuple[FloatArray, FloatArray]:
    """The record's layer with its layer norm before attention instead of behind it, on the same states and weights.

    Returns:
        (T, D) what would go into attention, LayerNorm(x), and (T, D) what would go on, x + attention(LayerNorm(x)).
    """
    block = layer_of(private_copy(encoder), record.layer)
    block.pre_norm = True
    seen: Seen = {}
    watch(seen, attention=block.attention, feed_forward_norm=block.feed_forward_norm)
    mask = inputs_of(record.tokens)[2]
    block(torch.tensor(record.layer_input)[None], None if mask is None else padding_mask(mask))
    return shared(seen["attention"][0][0]), shared(seen["feed_forward_norm"][0][0])


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


def _nothing(_: nn.Module, __: tuple[Any, ...], output: Tensor) -> Tensor:
    return torch.zeros_like(output)


class _Multiplied(TorchFunctionMode):
    """Notes the weights that multiply the values, layer by layer: what dropout makes of them inside of attention."""

    def __init__(self) -> None:
        super().__init__()
        self.weights: list[Tensor] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func is F.dropout and args[0].dim() == 4:  # (B, H, T, T); states have three axes
            self.weights.append(result)
        return result
