"""Refuse weights that are not finite when they are loaded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from encoder.errors import CheckpointError
from encoder.runs.arrays import NamedArray, name_unusable

if TYPE_CHECKING:
    from torch import Tensor


def check_weights(tensors: Iterable[tuple[str, Tensor]], where: str) -> None:
    """Refuse weights that are NaN, infinite, or too large to be squared in float32.

    Args:
        tensors: by name, of any dtype; integers are skipped.
        where: the start of the message, such as "The checkpoint of bert-base-uncased".
    Raises:
        CheckpointError: a tensor is unusable; the message names it.
    """
    check_arrays(
        ((name, tensor.detach().float().numpy()) for name, tensor in tensors if tensor.is_floating_point()), where
    )


def check_arrays(arrays: Iterable[NamedArray], where: str) -> None:
    """The same for numpy arrays."""
    found = name_unusable(arrays)
    if found:
        raise CheckpointError(f"{where} is damaged: there are {found}, so get the file again or load another model.")
