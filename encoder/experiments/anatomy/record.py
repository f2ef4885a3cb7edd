"""One pass through our own encoder, with all tensors of one layer and of the embeddings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

import torch
from torch import Tensor

from encoder.errors import ConfigError, SelectionError, UnsupportedModelError
from encoder.models.base import Backend
from encoder.models.device import device_of
from encoder.models.files import usual_name
from encoder.models.hooks import Point, Recorder, expose, hooked
from encoder.models.own_points import expose_points
from encoder.models.scratch import ScratchBackend
from encoder.models.tensors import padded
from encoder.runs.arrays import FloatArray
from encoder.shipped.names import SCRATCH_BERT
from encoder.text.tokens import Tokens
from encoder.transformer.config import EncoderConfig
from encoder.transformer.encoder import Encoder, EncoderLayer


def is_ours(backend: Backend) -> bool:
    """Whether a model is our own encoder, whose modules can be recorded."""
    return isinstance(backend, ScratchBackend)


def ours(backend: Backend) -> ScratchBackend:
    """The model as our own encoder.

    Raises:
        UnsupportedModelError: it is not.
    """
    if not isinstance(backend, ScratchBackend):
        raise UnsupportedModelError(f"The anatomy opens our own encoder; {backend.name!r} has other modules.")
    return backend


def name_in_our_modules(backend: Backend, name: str) -> str | None:
    """The name that loads the BERT folder `name` into our own encoder; None if the model is not of such a folder."""
    if is_ours(backend):
        return None
    from encoder.models.pretrained import PretrainedBackend  # takes seconds, unless such a model was opened

    if not isinstance(backend, PretrainedBackend) or backend.model.config.model_type != "bert":
        return None
    folder = usual_name(name)
    return f"{SCRATCH_BERT}:{folder}" if os.path.isdir(os.path.expanduser(folder)) else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Record:
    """The tensors of one post-norm layer and of the embeddings; no batch axis, read-only, not copied.

    F is the inner width of the feed-forward.

    Attributes:
        parts: "word", "position" and "token type", (T, D) each.
        embedding_sum: (T, D), before the layer norm.
        hidden_states: L + 1 of (T, D), as in a trace; `[layer]` is the layer's input.
        query, key, value, context: (H, T, K).
        products: (H, T, T) q · k, before they are divided by √dₖ.
        scores, weights: (H, T, T), before and after softmax.
        merged, attended: (T, D) the heads' concatenated contexts, before and after the output projection.
        attention_sum, attention_normed: (T, D) with the residual added, before and after the layer norm.
        inner, activated: (T, F) before and after the activation.
        fed, output_sum: (T, D) the feed-forward's output, and the sum before the last layer norm.
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
        """(T, D), the layer's input."""
        return self.hidden_states[self.layer]

    @property
    def layer_output(self) -> FloatArray:
        """(T, D), the layer's output."""
        return self.hidden_states[self.layer + 1]


def inputs_of(encoder: Encoder, tokens: Tokens) -> tuple[Tensor, Tensor, Tensor | None]:
    """(1, T) ids, token types and attention mask of one text; the mask is None if all tokens are real."""
    batch = padded([tokens], pad_id=encoder.config.pad_token_id, device=device_of(encoder))
    return batch.input_ids, batch.token_type_ids, None if all(tokens.attention_mask) else batch.attention_mask


def shared(tensor: Tensor) -> FloatArray:
    """The tensor as a read-only array, sharing memory if it is on the CPU."""
    array: FloatArray = tensor.detach().cpu().numpy()
    array.flags.writeable = False
    return array


@torch.inference_mode()
def record(encoder: Encoder, tokens: Tokens, *, layer: int) -> Record:
    """Run the encoder on one text, and record the tensors of one layer and of the embeddings.

    Raises:
        SelectionError: there is no such layer.
        ConfigError: the encoder is pre-norm, whose layers have their tensors in other places.
    """
    check_layer(encoder, layer)
    if encoder.config.norm != "post":
        raise ConfigError("The anatomy shows post-norm layers, as in BERT; this encoder is pre-norm.")
    expose_points(encoder)
    in_embeddings, in_layer = expose_embeddings(encoder), expose_layer(encoder, layer)
    in_attention = {Point(name, layer) for name in ("query", "key", "value", "scores", "weights", "context")}
    recorder = Recorder(*in_embeddings, *in_layer, *in_attention, keep=lambda tensor: tensor)
    ids, types, mask = inputs_of(encoder, tokens)
    with hooked(encoder, recorder.hooks):
        output = encoder(ids, types, mask)
    of_embeddings = {point.name: recorder.seen[point] for point in in_embeddings}
    of_layer = {point.name: shared(recorder.seen[point][0]) for point in {*in_layer, *in_attention}}
    query, key = (recorder.seen[Point(name, layer)] for name in ("query", "key"))  # (1, H, T, K)
    return Record(
        tokens=tokens,
        config=encoder.config,
        layer=layer,
        parts=MappingProxyType(
            {
                "word": shared(of_embeddings["word"][0]),
                "position": shared(of_embeddings["position"]),
                "token type": shared(of_embeddings["token_type"][0]),
            }
        ),
        embedding_sum=shared(of_embeddings["embedding_sum"][0]),
        hidden_states=tuple(shared(state[0]) for state in output.hidden_states),
        products=shared((query @ key.mT)[0]),
        parameters=MappingProxyType(
            {name: shared(value) for name, value in layer_of(encoder, layer).named_parameters()}
            | {f"norm.{name}": shared(value) for name, value in encoder.embeddings.norm.named_parameters()}
        ),
        **of_layer,
    )


def expose_embeddings(encoder: Encoder) -> list[Point]:
    """Points inside the embeddings: (1, T, D) "word" and "token_type", (T, D) "position", (1, T, D) their sum."""
    embeddings = encoder.embeddings
    expose(encoder, Point("word"), embeddings.word)
    expose(encoder, Point("position"), embeddings.position)
    expose(encoder, Point("token_type"), embeddings.token_type)
    expose(encoder, Point("embedding_sum"), embeddings.norm, side="input")
    return [Point(name) for name in ("word", "position", "token_type", "embedding_sum")]


def expose_layer(encoder: Encoder, layer: int) -> list[Point]:
    """Points inside one layer, in addition to those of every model; named and shaped as in `Record`."""
    block = layer_of(encoder, layer)
    inputs = {
        "merged": block.attention.output,
        "attention_sum": block.attention_norm,
        "activated": block.feed_forward.down,
        "output_sum": block.feed_forward_norm,
    }
    outputs = {
        "attended": block.attention,
        "attention_normed": block.attention_norm,
        "inner": block.feed_forward.up,
        "fed": block.feed_forward,
    }
    for name, module in inputs.items():
        expose(encoder, Point(name, layer), module, side="input")
    for name, module in outputs.items():
        expose(encoder, Point(name, layer), module)
    return [Point(name, layer) for name in (*inputs, *outputs)]


def check_layer(encoder: Encoder, layer: int) -> None:
    """Raises SelectionError unless the encoder has the layer."""
    if not 0 <= layer < len(encoder.layers):
        raise SelectionError(f"Layer {layer} was asked for; this encoder has layers 0 to {len(encoder.layers) - 1}.")


def layer_of(encoder: Encoder, layer: int) -> EncoderLayer:
    """One of the encoder's layers, with its type."""
    return cast(EncoderLayer, encoder.layers[layer])
