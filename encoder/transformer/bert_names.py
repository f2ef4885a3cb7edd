"""Translate BERT's parameter names and settings to ours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from torch import Tensor

from encoder.errors import CheckpointError, ConfigError
from encoder.transformer.config import CHOICES, EncoderConfig
from encoder.transformer.encoder import Encoder
from encoder.transformer.restoring import restore_weights

# Regular expressions, applied in order to names without the "bert." prefix.
RENAMES = (
    (r"LayerNorm\.gamma$", "LayerNorm.weight"),  # early TensorFlow exports such as bert-base-uncased
    (r"LayerNorm\.beta$", "LayerNorm.bias"),
    (r"^embeddings\.(word|position|token_type)_embeddings\.", r"embeddings.\1."),
    (r"^embeddings\.LayerNorm\.", "embeddings.norm."),
    (r"^encoder\.layer\.", "layers."),
    (r"\.attention\.self\.", ".attention."),
    (r"\.attention\.output\.dense\.", ".attention.output."),
    (r"\.attention\.output\.LayerNorm\.", ".attention_norm."),
    (r"\.intermediate\.dense\.", ".feed_forward.up."),
    (r"\.output\.dense\.", ".feed_forward.down."),
    (r"\.output\.LayerNorm\.", ".feed_forward_norm."),
)

# Parts of BERT checkpoints that our encoder does not have: the pooler, heads, and a buffer of old versions.
NOT_IN_ENCODER = ("pooler.", "cls.", "classifier.", "qa_outputs.", "embeddings.position_ids")

CONFIG_FIELDS = tuple(
    name for name in EncoderConfig.__dataclass_fields__ if name not in ("position_embedding", "norm", "cls_token_id")
)


def our_name(bert_name: str) -> str:
    """A parameter's name in `encoder.transformer.encoder.Encoder`, from its name in `BertModel`."""
    name = bert_name.removeprefix("bert.")
    for pattern, replacement in RENAMES:
        name = re.sub(pattern, replacement, name)
    return name


def config_from_bert(settings: Mapping[str, Any], *, cls_token_id: int = 101) -> EncoderConfig:
    """Our configuration from BERT's `config.json`.

    Raises:
        CheckpointError: the model is not a BERT encoder, or uses unsupported features.
    """
    if settings.get("model_type") != "bert":
        raise CheckpointError(
            f"The from-scratch encoder takes BERT's weights; this checkpoint is of type {settings.get('model_type')!r}."
        )
    if settings.get("is_decoder") or settings.get("position_embedding_type", "absolute") != "absolute":
        raise CheckpointError(
            "The from-scratch encoder has absolute positions and no decoder; this BERT checkpoint needs "
            f"is_decoder={settings.get('is_decoder', False)}, "
            f"position_embedding_type={settings.get('position_embedding_type', 'absolute')!r}."
        )
    if settings.get("hidden_act", "gelu") not in CHOICES["hidden_act"]:
        raise CheckpointError(f"The from-scratch encoder has GELU and ReLU, not {settings['hidden_act']!r}.")
    known = {name: settings[name] for name in CONFIG_FIELDS if settings.get(name) is not None}
    try:
        return EncoderConfig(**known, cls_token_id=cls_token_id)
    except (ConfigError, TypeError) as error:
        raise CheckpointError(f"config.json does not describe an encoder: {error}") from error


def load_bert_weights(encoder: Encoder, tensors: Mapping[str, Tensor]) -> None:
    """Load a `BertModel` state dict into our encoder, strictly.

    Args:
        encoder: changed in place.
        tensors: parameters by BERT's names, with or without the "bert." prefix; the pooler and heads are ignored.
    Raises:
        CheckpointError: a parameter is missing, left over, or of the wrong shape; the message lists them.
    """
    bare = {name: name.removeprefix("bert.") for name in tensors}
    ours = {our_name(name): tensors[name] for name, short in bare.items() if not short.startswith(NOT_IN_ENCODER)}
    restore_weights(encoder.state_dict(), ours, where="The checkpoint")
