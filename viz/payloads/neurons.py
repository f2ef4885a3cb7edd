"""The queries and keys of layers, from which the browser computes scores and weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from encoder.errors import ShapeError
from encoder.measures.units import Units
from viz.payloads.layer import EVERYTHING_SHOWN, unit_extras
from viz.payloads.message import Message, pack


def neurons_message(
    queries: NDArray[np.float32],
    keys: NDArray[np.float32],
    pieces: Units,
    *,
    run: str,
    layers: Sequence[int],
    scaling: Sequence[float],
    bias: NDArray[np.float32] | None = None,
    removed: Mapping[str, NDArray[np.float32]] = EVERYTHING_SHOWN,
) -> Message:
    """The inputs of the weights of all heads: softmax(query · keyᵀ · scaling + bias).

    It contains all tokens, because the softmax runs over all keys; the view omits hidden ones.

    Args:
        queries, keys: (N, H, T, K) of N layers.
        pieces: the T wordpieces, special tokens included.
        run: the id of the run, by which the browser identifies a layer.
        layers: the numbers of the N layers.
        scaling: (N,) of each layer.
        bias: (N, H, T, T) added to the scores, query by key; -inf for masked keys.
        removed: (N, H, Q) attention of each query to hidden tokens, by the names of tensors.
    Returns:
        tensors "query" and "key", (N, H, T, K) float32, "scaling", (N,) float32, "bias" if there is one, and those
        of `removed`; extras as `unit_extras` gives them, with `layers`. The message's id is `run`.
    Raises:
        ShapeError: the arrays do not match the layers and tokens.
    """
    count, length = len(layers), len(pieces)
    if queries.ndim != 4 or queries.shape != keys.shape or (len(queries), queries.shape[2]) != (count, length):
        raise ShapeError(
            f"Queries are {queries.shape} and keys {keys.shape}; {count} layers of {length} tokens need "
            f"({count}, H, {length}, K) of both."
        )
    tensors = {"query": queries, "key": keys, "scaling": np.array(scaling), **removed}
    if bias is not None:
        if bias.shape != (*queries.shape[:3], length):
            raise ShapeError(f"The bias is {bias.shape}; queries of {queries.shape} need one of {length} keys.")
        tensors["bias"] = bias
    arrays = {name: np.asarray(array, dtype=np.float32) for name, array in tensors.items()}
    return pack(arrays, unit_extras(pieces) | {"layers": list(layers)}, identity=run)
