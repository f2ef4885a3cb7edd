"""Read the files in `weights/`: tensors, metadata and the configuration in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from torch import Tensor, nn

from encoder.errors import CheckpointError, ConfigError
from encoder.models.finite import check_weights
from encoder.models.weight_files import read_header, read_tensors
from encoder.transformer.config import EncoderConfig


def read_weights(path: Path, prefix: str = "") -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors whose names start with the prefix, without it, and the metadata.

    Raises:
        CheckpointError: the file is missing or corrupt, or its weights are not finite.
    """
    try:
        header = read_header(path)
        tensors = read_tensors({name: stored for name, stored in header.tensors.items() if name.startswith(prefix)})
    except CheckpointError as error:
        raise CheckpointError(f"{error} Install Headlight again.") from error
    check_weights(tensors.items(), str(path))
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items()}, header.metadata


def config_of(path: Path, metadata: Mapping[str, str]) -> EncoderConfig:
    """The configuration in a file's metadata. Raises CheckpointError if it is missing or inconsistent."""
    try:
        return EncoderConfig(**json.loads(metadata["config"]))
    except (KeyError, ValueError, TypeError, ConfigError) as error:
        raise CheckpointError(f"{path} does not describe an encoder: {error}") from error


def trained_weights(model: nn.Module) -> dict[str, Tensor]:
    """All trained parameters of a model by name, a shared one once; frozen ones and buffers are not stored."""
    return {name: value for name, value in model.named_parameters() if value.requires_grad}
