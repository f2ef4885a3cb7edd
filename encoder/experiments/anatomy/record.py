"""One pass through our own encoder, with everything that its modules handed to each other around one layer.

The pass runs on a copy of the modules that shares their weights. So the copy can be watched and changed while others
use the model, and nothing is computed twice: what is recorded is what the next module got.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any, cast

import torch
from torch import Tensor, nn

from encoder.errors import ConfigError, SelectionError
from encoder.text.tokens import Tokens
from encoder.trace import FloatArray
from encoder.transformer.attention import Attention
from encoder.transformer.config import EncoderConfig
from encoder.transformer.encoder import Encoder, EncoderLayer

Seen = dict[str, tuple[Tensor, Any]]  # what went into a module, and what came out


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Record:
    """The tensors of one post-norm layer, and of the way to it; no batch axis, read-only, not copied.

    F is the width between the two halves of the feed-forward.

    Attributes:
        parts: "word", "position" and "token type", (T, D) each.
        embedding_sum: (T, D), before the layer norm.
        hidden_states: L + 1 of (T, D), as in a trace; `[layer]` goes into the layer.
        query, key, value, context: (H, T, K).
        products: (H, T, T) q · k, before they are divided by √K.
        scores, weights: (H, T, T), before and after softmax.
        merged, attended: (T, D) the heads' contexts side by side, before and after the output projection.
        attention_sum, attention_normed: (T, D) with the residual added, before and after the layer norm.
        inner, activated: (T, F) before and after the activation.
        fed, output_sum: (T, D) what the feed-forward adds, and the sum before the last layer norm.
        parameters: of the embeddings' layer norm ("norm.weight") and of the layer ("attention.query.weight").
    """

    tokens: Tokens
    config: EncoderConfig
    layer: int
    parts: Mapping[str, FloatArray]
    embedding_sum: FloatArray
    hidden_states: tuple[FloatArray, ...]
    query: FloatArray
    key: FloatArray
    value: FloatArray
    products: FloatArray
    scores: FloatArray
    weights: FloatArray
    context: FloatArray
    merged: FloatArray
    attended: FloatArray
    attention_sum: FloatArray
    attention_normed: FloatArray
    inner: FloatArray
    activated: FloatArray
    fed: FloatArray
    output_sum: FloatArray
    parameters: Mapping[str, FloatArray]

    @property
    def layer_input(self) -> FloatArray:
        """(T, D), what goes into the layer."""
        return self.hidden_states[self.layer]

    @property
    def layer_output(self) -> FloatArray:
        """(T, D), what leaves the layer."""
        return self.hidden_states[self.layer + 1]


def private_copy(encoder: Encoder) -> Encoder:
    """The same encoder with modules of its own and the same weights in memory: hooks on it disturb nobody."""
    shared = {id(tensor): tensor for tensor in chain(encoder.parameters(), encoder.buffers())}
    copied: Encoder = copy.deepcopy(encoder, shared)
    return copied


def watch(seen: Seen, **modules: nn.Module) -> None:
    """Note under each name what goes into a module and what comes out of it."""

    def noting(name: str) -> Callable[..., None]:
        def note(_: nn.Module, given: tuple[Any, ...], output: Any) -> None:
            seen[name] = (given[0], output)

        return note

    for name, module in modules.items():
        module.register_forward_hook(noting(name))


def inputs_of(tokens: Tokens) -> tuple[Tensor, Tensor, Tensor | None]:
    """(1, T) ids, token types and attention mask of one text; the mask is None where every token is real."""
    mask = None if all(tokens.attention_mask) else torch.tensor([tokens.attention_mask])
    return torch.tensor([tokens.ids]), torch.tensor([tokens.token_type_ids]), mask


def shared(tensor: Tensor) -> FloatArray:
    """The tensor as a read-only array on the same memory."""
    array: FloatArray = tensor.detach().numpy()
    array.flags.writeable = False
    return array


@torch.inference_mode()
def record(encoder: Encoder, tokens: Tokens, *, layer: int) -> Record:
    """Run the encoder on one text and keep what its modules handed on, in one layer and around it.

    Raises:
        SelectionError: there is no such layer.
        ConfigError: the encoder is pre-norm, whose layers have their tensors in other places.
    """
    check_layer(encoder, layer)
    if encoder.config.norm != "post":
        raise ConfigError("The walk shows post-norm layers, as BERT has them; this encoder is pre-norm.")
    watched = private_copy(encoder)
    seen: Seen = {}
    block = layer_of(watched, layer)
    watch(
        seen,
        word=watched.embeddings.word,
        position=watched.embeddings.position,
        token_type=watched.embeddings.token_type,
        embeddings_norm=watched.embeddings.norm,
        attention=block.attention,
        projection=block.attention.output,
        attention_norm=block.attention_norm,
        up=block.feed_forward.up,
        down=block.feed_forward.down,
        feed_forward=block.feed_forward,
        output_norm=block.feed_forward_norm,
    )
    _forget_other_weights(watched, layer)
    ids, types, mask = inputs_of(tokens)
    output = watched(ids, types, mask)
    attention: Attention = seen["attention"][1][1]
    scores, weights = formed(attention)
    return Record(
        tokens=tokens,
        config=encoder.config,
        layer=layer,
        parts=MappingProxyType(
            {
                "word": shared(seen["word"][1][0]),
                "position": shared(seen["position"][1]),
                "token type": shared(seen["token_type"][1][0]),
            }
        ),
        embedding_sum=shared(seen["embeddings_norm"][0][0]),
        hidden_states=tuple(shared(state[0]) for state in output.hidden_states),
        query=shared(attention.query[0]),
        key=shared(attention.key[0]),
        value=shared(attention.value[0]),
        products=shared((attention.query @ attention.key.transpose(-1, -2))[0]),
        scores=shared(scores[0]),
        weights=shared(weights[0]),
        context=shared(attention.context[0]),
        merged=shared(seen["projection"][0][0]),
        attended=shared(seen["projection"][1][0]),
        attention_sum=shared(seen["attention_norm"][0][0]),
        attention_normed=shared(seen["attention_norm"][1][0]),
        inner=shared(seen["up"][1][0]),
        activated=shared(seen["down"][0][0]),
        fed=shared(seen["feed_forward"][1][0]),
        output_sum=shared(seen["output_norm"][0][0]),
        parameters=MappingProxyType(
            {name: shared(value) for name, value in block.named_parameters()}
            | {f"norm.{name}": shared(value) for name, value in watched.embeddings.norm.named_parameters()}
        ),
    )


def check_layer(encoder: Encoder, layer: int) -> None:
    """Raises SelectionError unless the encoder has the layer."""
    if not 0 <= layer < len(encoder.layers):
        raise SelectionError(f"Layer {layer} was asked for; this encoder has layers 0 to {len(encoder.layers) - 1}.")


def formed(attention: Attention) -> tuple[Tensor, Tensor]:
    """(B, H, T, T) scores and weights of a pass that was not fused, which forms both."""
    return cast(Tensor, attention.scores), cast(Tensor, attention.weights)


def layer_of(encoder: Encoder, layer: int) -> EncoderLayer:
    """One of the encoder's layers, with its type."""
    return cast(EncoderLayer, encoder.layers[layer])


def _forget_other_weights(encoder: Encoder, layer: int) -> None:
    """Keep scores and weights of one layer only: those of all would take 300 MB at 512 tokens of BERT-base."""

    def forget(_: nn.Module, __: tuple[Any, ...], output: tuple[Tensor, Attention]) -> tuple[Tensor, Attention]:
        states, attention = output
        return states, attention._replace(scores=None, weights=None)

    for index, block in enumerate(encoder.layers):
        if index != layer:
            block.register_forward_hook(forget)
