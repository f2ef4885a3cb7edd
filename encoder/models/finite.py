"""Weights that nothing can be computed from are refused when they are loaded, by the name of their tensor."""

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
        tensors: by name, of any type; integers are always finite and are not looked at.
        where: what holds them, as the beginning of a sentence: "The checkpoint of bert-base-uncased".
    Raises:
        CheckpointError: a tensor is unusable; the message names it.
    """
    check_arrays(
        ((name, tensor.detach().float().numpy()) for name, tensor in tensors if tensor.is_floating_point()), where
    )


def check_arrays(arrays: Iterable[NamedArray], where: str) -> None:
    """The same for weights that are numpy arrays already."""
    found = name_unusable(arrays)
    if found:
        raise CheckpointError(f"{where} is damaged: there are {found}, so get the file again or load another model.")
