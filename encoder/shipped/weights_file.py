"""The files in `weights/`: tensors, and what is said of them in the file's own metadata."""

from __future__ import annotations

from pathlib import Path

from safetensors import SafetensorError, safe_open
from torch import Tensor

from encoder.errors import CheckpointError
from encoder.models.finite import check_weights


def read_weights(path: Path, prefix: str = "") -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors whose names start with the prefix, without it, and the metadata.

    Raises:
        CheckpointError: the file is missing or corrupt, or its weights are not finite.
    """
    try:
        with safe_open(path, framework="pt") as file:
            names = [name for name in file.keys() if name.startswith(prefix)]  # noqa: SIM118 - no dictionary
            tensors, metadata = {name: file.get_tensor(name) for name in names}, file.metadata() or {}
    except (SafetensorError, OSError) as error:
        raise CheckpointError(
            f"{path} is not a readable safetensors file ({error}): get it again, or train it with "
            "`python -m encoder.training.train`."
        ) from error
    check_weights(tensors.items(), str(path))
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items()}, metadata
