"""Read the files in `weights/`: tensors and metadata."""

from __future__ import annotations

from pathlib import Path

from torch import Tensor

from encoder.errors import CheckpointError
from encoder.models.finite import check_weights
from encoder.models.weight_files import read_header, read_tensors


def read_weights(path: Path, prefix: str = "") -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors whose names start with the prefix, without it, and the metadata.

    Raises:
        CheckpointError: the file is missing or corrupt, or its weights are not finite.
    """
    try:
        header = read_header(path)
        tensors = read_tensors({name: stored for name, stored in header.tensors.items() if name.startswith(prefix)})
    except CheckpointError as error:
        raise CheckpointError(
            f"{error} Get the file again, or train it with `python -m encoder.training.train`."
        ) from error
    check_weights(tensors.items(), str(path))
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items()}, header.metadata
