"""Folders of checkpoints: their settings and their tensors, read strictly and without running anything."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from encoder.errors import CheckpointError
from encoder.transformer.bert_names import config_from_bert, load_bert_weights
from encoder.transformer.encoder import Encoder


def load_bert_folder(folder: Path, *, cls_token_id: int | None = None) -> Encoder:
    """Our encoder, in evaluation mode, with the weights of a BERT folder (config.json, *.safetensors).

    Args:
        cls_token_id: the id of `[CLS]` in the folder's vocabulary; None = 101, as in BERT's own.
    Raises:
        CheckpointError: a file is missing or corrupt, or does not fit.
    """
    encoder = Encoder(config_from_bert(read_config(folder), cls_token_id=101 if cls_token_id is None else cls_token_id))
    load_bert_weights(encoder, read_safetensors(folder))
    return encoder.eval()


def read_config(folder: Path) -> dict[str, Any]:
    """`config.json` of a model folder, as a dictionary."""
    path = folder / "config.json"
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise CheckpointError(f"{folder} holds no config.json, so it is not a model folder.") from error
    except (ValueError, OSError) as error:
        raise CheckpointError(f"{path} cannot be read: {error}") from error
    if not isinstance(settings, dict):
        raise CheckpointError(f"{path} holds {type(settings).__name__}, not an object of settings.")
    return settings


def check_weight_files(names: Iterable[str], where: str) -> list[str]:
    """The safetensors files among a model's file names.

    Raises:
        CheckpointError: there are none; the message tells a pickle-only checkpoint from one without weights.
    """
    names = list(names)
    safe = sorted(name for name in names if name.endswith(".safetensors"))
    if safe:
        return safe
    pickles = sorted(name for name in names if name.endswith((".bin", ".pt", ".pth", ".ckpt", ".pkl")))
    if pickles:
        raise CheckpointError(
            f"{where} has its weights as a pickle only ({pickles[0]}), which can run code when it is opened: "
            "convert it to safetensors and load that."
        )
    raise CheckpointError(f"{where} holds no weights: a .safetensors file is needed.")


def read_safetensors(folder: Path) -> dict[str, Tensor]:
    """All tensors of a folder's safetensors files, by name.

    Raises:
        CheckpointError: there is no such file, or one is corrupt.
    """
    tensors: dict[str, Tensor] = {}
    for name in check_weight_files((path.name for path in folder.iterdir()), str(folder)):
        try:
            tensors |= load_file(folder / name)
        except (SafetensorError, OSError) as error:
            raise CheckpointError(f"{folder / name} is not a readable safetensors file: {error}") from error
    return tensors
