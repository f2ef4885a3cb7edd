"""A message to the browser: arrays and JSON in the safetensors format."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save


@dataclass(frozen=True, slots=True)
class Message:
    """Bytes for the browser, and their id, by which views find them."""

    id: str
    data: bytes


def pack(tensors: Mapping[str, NDArray[Any]], extras: Mapping[str, Any], *, identity: str | None = None) -> Message:
    """Arrays and JSON-able extras as a message; its id, by default a digest of both, is among the extras."""
    contiguous = {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}
    identity = identity or _digest(contiguous, extras)
    # One entry: safetensors does not define the order of several, and equal content must have equal bytes.
    return Message(identity, save(contiguous, metadata={"extras": json.dumps({**extras, "id": identity})}))


def _digest(tensors: Mapping[str, NDArray[Any]], extras: Mapping[str, Any]) -> str:
    digest = hashlib.blake2b(json.dumps(extras, sort_keys=True).encode(), digest_size=12)
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name} {tensor.dtype} {tensor.shape}".encode())
        digest.update(tensor.data)
    return digest.hexdigest()
