"""Load weights into a model strictly: no missing, surplus or mismatched weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch
from torch import Tensor

from encoder.errors import CheckpointError


@torch.no_grad()
def restore_weights(weights: Mapping[str, Tensor], stored: Mapping[str, Tensor], *, where: str) -> None:
    """Copy stored values into a model's weights of the same names; all or nothing.

    Args:
        weights: the model's, changed in place.
        where: the source of the stored values, as the start of the message.
    Raises:
        CheckpointError: a value is missing, left over, or of the wrong shape; the message lists them.
    """
    missing, surplus = weights.keys() - stored.keys(), stored.keys() - weights.keys()
    if missing or surplus:
        raise CheckpointError(
            f"{where} does not fit the model."
            + (f" Missing: {_listed(missing)}." if missing else "")
            + (f" Left over: {_listed(surplus)}." if surplus else "")
        )
    wrong = [
        f"{name} is {tuple(stored[name].shape)} and should be {tuple(weight.shape)}"
        for name, weight in weights.items()
        if stored[name].shape != weight.shape
    ]
    if wrong:
        raise CheckpointError(f"{where} does not fit the model: {_listed(wrong)}.")
    for name, weight in weights.items():
        weight.copy_(stored[name])


def _listed(names: Iterable[str]) -> str:
    names = sorted(names)
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
