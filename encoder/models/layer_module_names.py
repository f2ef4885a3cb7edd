"""Find the modules of each layer, in our encoder and in models of the BERT family, by their names.

Only post-norm layers are covered: the formulas of attribution methods are for these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from encoder.errors import UnsupportedModelError
from encoder.models.base import Backend
from encoder.models.scratch import ScratchBackend
from encoder.models.task_heads import HeadKind
from encoder.transformer.encoder import EncoderLayer

if TYPE_CHECKING:
    from encoder.models.pretrained import PretrainedBackend


class Block(NamedTuple):
    """The modules of one layer of width D, with inner width F in the feed-forward."""

    query: nn.Linear  # D to D, all heads
    key: nn.Linear  # D to D
    value: nn.Linear  # D to D
    output: nn.Linear  # D to D, applied to the concatenated contexts
    attention_norm: nn.LayerNorm
    up: nn.Linear  # D to F
    activation: Callable[[Tensor], Tensor]
    down: nn.Linear  # F to D
    feed_forward_norm: nn.LayerNorm


# Names below a layer of a model of `transformers`, in the order of `Block`.
_BERT = (
    "encoder.layer.{0}.",
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "intermediate.intermediate_act_fn",
    "output.dense",
    "output.LayerNorm",
)
_DISTILBERT = (
    "transformer.layer.{0}.",
    "attention.q_lin",
    "attention.k_lin",
    "attention.v_lin",
    "attention.out_lin",
    "sa_layer_norm",
    "ffn.lin1",
    "ffn.activation",
    "ffn.lin2",
    "output_layer_norm",
)
NAMES_BY_TYPE: Mapping[str, tuple[str, ...]] = {
    "bert": _BERT,
    "roberta": _BERT,
    "electra": _BERT,
    "distilbert": _DISTILBERT,
}


def blocks_of(backend: Backend) -> tuple[Block, ...]:
    """The modules of each layer.

    Raises:
        UnsupportedModelError: the model has other modules, or is pre-norm.
    """
    if isinstance(backend, ScratchBackend) and backend.encoder.config.norm == "post":
        return tuple(_own_block(cast(EncoderLayer, layer)) for layer in backend.encoder.layers)
    pretrained = _pretrained(backend)
    kind = pretrained.model.config.model_type if pretrained else "pre-norm"
    if pretrained is None or kind not in NAMES_BY_TYPE:
        raise UnsupportedModelError(
            f"{backend.name} ({kind}) cannot be decomposed into vectors per token: that works for BERT, RoBERTa, "
            "ELECTRA, DistilBERT and our own post-norm encoder."
        )
    layer, *names = NAMES_BY_TYPE[kind]
    base = pretrained.model.base_model
    return tuple(
        Block(*(base.get_submodule(layer.format(number) + name) for name in names))
        for number in range(backend.num_layers)
    )


class EmbeddingBlock(NamedTuple):
    """The modules after the sum of word, position and token-type embeddings of width E."""

    norm: nn.LayerNorm
    projection: nn.Linear | None  # E to D, in models whose embeddings are narrower than their layers


def embedding_block_of(backend: Backend) -> EmbeddingBlock:
    """The modules after the embeddings.

    Raises:
        UnsupportedModelError: the model has other modules, or is pre-norm.
    """
    blocks_of(backend)
    if isinstance(backend, ScratchBackend):
        return EmbeddingBlock(backend.encoder.embeddings.norm, None)
    base = cast("PretrainedBackend", backend).model.base_model
    projection = getattr(base, "embeddings_project", None)
    return EmbeddingBlock(cast(nn.LayerNorm, base.get_submodule("embeddings.LayerNorm")), projection)


class ClassHead(NamedTuple):
    """A classification head on the first token: a linear layer, an activation, and a linear layer for the classes."""

    dense: nn.Linear  # D to D
    activation: Callable[[Tensor], Tensor]
    output: nn.Linear  # D to C


# By model type: the first layer's name, its activation, and the second layer's name.
_CLASS_HEADS: Mapping[str, tuple[str, Callable[[Tensor], Tensor], str]] = {
    "bert": ("bert.pooler.dense", torch.tanh, "classifier"),
    "roberta": ("classifier.dense", torch.tanh, "classifier.out_proj"),
    "electra": ("classifier.dense", F.gelu, "classifier.out_proj"),
    "distilbert": ("pre_classifier", F.relu, "classifier"),
}


_SAME_HEAD_FOR_CHOICES = ("bert", "distilbert")
_TOKEN_HEADS: Mapping[HeadKind, str] = {"tags": "classifier", "span": "qa_outputs"}


def class_head_of(backend: Backend) -> ClassHead | None:
    """The head of a model that classifies texts or choices; None where logits are linear in the hidden states.

    Raises:
        UnsupportedModelError: the head has other modules.
    """
    pretrained = _pretrained(backend)
    if pretrained is None or pretrained.head not in ("classes", "choices"):
        return None
    kind = pretrained.model.config.model_type
    if pretrained.head == "choices" and kind not in _SAME_HEAD_FOR_CHOICES:
        return None
    if kind not in _CLASS_HEADS:
        raise UnsupportedModelError(f"The classification head of {backend.name} ({kind}) cannot be decomposed.")
    dense, activation, output = _CLASS_HEADS[kind]
    get = pretrained.model.get_submodule
    return ClassHead(cast(nn.Linear, get(dense)), activation, cast(nn.Linear, get(output)))


def token_head_of(backend: Backend) -> nn.Linear | None:
    """The linear layer from last states to logits of tags, or of starts and ends; None for other heads.

    It is right for the models of `NAMES_BY_TYPE` alone: others have more layers in that head.
    """
    pretrained = _pretrained(backend)
    if pretrained is None or pretrained.head is None:
        return None
    module = getattr(pretrained.model, _TOKEN_HEADS.get(pretrained.head, ""), None)
    return module if isinstance(module, nn.Linear) else None


def _pretrained(backend: Backend) -> PretrainedBackend | None:
    """The same if it is a model of `transformers`."""
    if isinstance(backend, ScratchBackend):
        return None
    from encoder.models.pretrained import PretrainedBackend  # takes seconds, unless such a model was opened

    return backend if isinstance(backend, PretrainedBackend) else None


def _own_block(layer: EncoderLayer) -> Block:
    attention, feed_forward = layer.attention, layer.feed_forward
    return Block(
        query=attention.query,
        key=attention.key,
        value=attention.value,
        output=attention.output,
        attention_norm=layer.attention_norm,
        up=feed_forward.up,
        activation=feed_forward.activation,
        down=feed_forward.down,
        feed_forward_norm=layer.feed_forward_norm,
    )
