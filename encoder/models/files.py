"""What the files of a model folder say before any of its weights are read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from encoder.errors import CheckpointError


def quoted(name: str) -> str:
    """A name that someone typed, as a message may show it: control characters escaped, and cut where it is long."""
    return repr(name if len(name) <= 80 else f"{name[:80]}…")


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
