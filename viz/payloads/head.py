"""One head's queries and keys as they are, from which the browser computes everything that follows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from encoder.errors import ShapeError
from encoder.measures.units import Units
from viz.payloads.layer import unit_extras
from viz.payloads.message import Message, pack


def head_message(
    query: NDArray[np.float32],
    key: NDArray[np.float32],
    pieces: Units,
    *,
    layer: int,
    head: int,
    scaling: float,
    bias: NDArray[np.float32] | None = None,
) -> Message:
    """What the weights of one head follow from: softmax(query · keyᵀ · scaling + bias).

    Every token is in it, because every key has its share in the softmax; the view leaves out what is hidden.

    Args:
        query: (T, K) of one head.
        key: (T, K) of the same head.
        pieces: the T wordpieces, special tokens included.
        bias: (T, T) that is added to the scores, query by key; -inf where a key may not be attended.
    Returns:
        tensors "query" and "key", (T, K) float32, and "bias" where there is one, (T, T) float32; extras as
        `unit_extras` gives them, with `layer`, `head` and `scaling`.
    Raises:
        ShapeError: the arrays do not belong to these tokens.
    """
    length = len(pieces)
    if query.ndim != 2 or query.shape != key.shape or len(query) != length:
        raise ShapeError(f"Queries are {query.shape} and keys {key.shape}; {length} tokens need ({length}, K) of both.")
    tensors = {"query": query, "key": key}
    if bias is not None:
        if bias.shape != (length, length):
            raise ShapeError(f"The bias is {bias.shape}; {length} tokens need ({length}, {length}).")
        tensors["bias"] = bias
    extras = unit_extras(pieces) | {"layer": layer, "head": head, "scaling": scaling}
    return pack({name: np.asarray(array, dtype=np.float32) for name, array in tensors.items()}, extras)
