"""Save and load training state and results atomically: an interruption leaves the old file or the new one."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from encoder.errors import CheckpointError


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` create a temporary file next to `path`, sync it to disk, and move it into place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def save_text(path: Path, text: str) -> None:
    """Write a text file, atomically."""
    write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def save_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> None:
    """Write a safetensors file, atomically."""
    whole = {name: tensor.detach().contiguous().clone() for name, tensor in tensors.items()}
    write_atomically(path, lambda temporary: save_file(whole, temporary, metadata=dict(metadata or {})))


def save_state(path: Path, **state: Any) -> None:
    """Write a training state, with that of torch's random generator, atomically."""
    state["random"] = torch.get_rng_state()
    write_atomically(path, lambda temporary: torch.save(state, temporary))


def load_state(path: Path) -> dict[str, Any]:
    """Load what `save_state` wrote, on the CPU, and restore torch's random generator.

    Raises:
        CheckpointError: the file is missing or unreadable.
    """
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError as error:
        raise CheckpointError(f"There is nothing to resume at {path}: start without --resume.") from error
    except Exception as error:  # a damaged file raises RuntimeError, UnpicklingError, EOFError, ...
        raise CheckpointError(f"{path} cannot be resumed: {error}") from error
    torch.set_rng_state(state.pop("random"))
    return state


def check_settings(path: Path, saved: str, settings: Any) -> None:
    """Refuse to resume a training with other settings.

    Args:
        path: of the state, for the message.
        saved: the saved settings, as JSON.
        settings: the current settings, a dataclass.
    Raises:
        CheckpointError: they differ; the message has both values.
    """
    theirs, ours = json.loads(saved), json.loads(json.dumps(asdict(settings)))
    other = [f"{name}: {theirs.get(name)} there, {ours[name]} here" for name in ours if theirs.get(name) != ours[name]]
    if other:
        raise CheckpointError(f"{path} is of a training with other settings ({', '.join(other)}).")
