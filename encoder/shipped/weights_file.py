"""Read the files in `weights/`: tensors, metadata and the configuration in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import torch
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


def quantise(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Matrices as int8 with a float16 scale per row, vectors as float16; `dequantised` undoes it."""
    packed: dict[str, Tensor] = {}
    for name, value in tensors.items():
        if value.dim() < 2:
            packed[name] = value.half()
            continue
        # Rounded up to a positive float16, to avoid overflow and division by zero.
        scale = (value.abs().amax(1, keepdim=True) / 127 * 1.001).clamp(min=1e-6).half()
        packed[name] = (value / scale.float()).round().clamp(-127, 127).to(torch.int8)
        packed[f"{name}/scale"] = scale
    return packed


def dequantised(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of `quantise` in float32."""
    return {
        name: value.float() * tensors[f"{name}/scale"].float() if f"{name}/scale" in tensors else value.float()
        for name, value in tensors.items()
        if not name.endswith("/scale")
    }
