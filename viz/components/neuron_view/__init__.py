"""One head from the inside: a query, every key, their product dimension by dimension, the score and the weight.

Python sends the head's queries and keys as they are; the browser computes what follows from them, so that choosing
another token sends nothing. `maths.mjs` computes, `scene.mjs` says what follows from a choice, `picture.mjs` draws,
`view.mjs` follows what people do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from encoder.errors import ShapeError
from encoder.measures.units import Special, Units
from viz.components.source import script, style
from viz.components.store import Message, pack, unit_extras

_HERE: Final = Path(__file__).parent
_VIEW: Final = st.components.v2.component(
    "headlight_neuron_view",
    html='<div class="view neuron"></div>',
    css=style(_HERE / "view.css"),
    js=script(_HERE / "view.mjs"),
)


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


def neuron_view(
    data: Mapping[str, Any], *, message: Message, special: Special, key: str, on_selection: Callable[[], None]
) -> None:
    """Mount the view, whose `message` is in the store.

    Args:
        data: from `viz.panels.common.view_data`.
        special: whether special tokens are shown, and whether the other weights are scaled to sum to 1 without them.
        key: Streamlit's key; the same key keeps the scroll position through a change of head.
    """
    _VIEW(key=key, data={**data, "id": message.id, "special": special}, on_selection_change=on_selection)
