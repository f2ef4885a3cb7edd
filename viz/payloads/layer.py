"""The attention of layers, and their queries and keys, for all views that show layers and heads.

Weights travel as round(65535 · √w) in 16 bits: at 512 tokens most weights are far below 1/255, and the
numbers next to a token must be exact to the digits shown (`MAX_ERROR`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from encoder.errors import ShapeError
from encoder.measures.units import Units
from viz.payloads.message import Message, pack
from viz.wording.labels import make_visible

STEPS: Final = 65535
AT_ONCE = 2**15  # weights at a time, whose roots fit into a core's cache: ten times as fast as one large array
EVERYTHING_SHOWN: Final[Mapping[str, NDArray[np.float32]]] = {}
MIN_LARGEST: Final = (
    0.01  # difference at full strength, at least: a smaller one would make rounding look like a pattern
)
MAX_ERROR: Final = 1.6e-5  # of a weight, through quantisation: √w is off by 0.5 / STEPS at most


@dataclass(frozen=True, slots=True, eq=False)
class Excerpt:
    """Which tokens of a longer text are shown, for the neuron view.

    Attributes:
        first: position of the first one.
        of: the number of tokens of the text.
        within: (N, H, T) the share of each query's attention that the T tokens shown receive.
    """

    first: int
    of: int
    within: NDArray[np.float32]


def quantised(weights: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Attention weights in [0, 1] as round(65535 · √w), any shape; (q / 65535)² restores them up to `MAX_ERROR`."""
    result = np.empty(weights.shape, np.uint16)
    given, made = weights.reshape(-1), result.reshape(-1)
    for start in range(0, given.size, AT_ONCE):
        roots = np.sqrt(given[start : start + AT_ONCE])
        roots *= STEPS
        made[start : start + AT_ONCE] = np.rint(roots, out=roots)
    return result


def layers_message(
    attention: NDArray[np.float32],
    units: Units,
    *,
    run: str,
    layers: Sequence[int],
    letters: tuple[str, str] = ("A", "B"),
    numbers: Sequence[int] | None = None,
    removed: Mapping[str, NDArray[np.float32]] = EVERYTHING_SHOWN,
    quantity: Mapping[str, Any] | None = None,
) -> Message:
    """The attention of some layers between units, for the views.

    Args:
        attention: (N, H, U, U) weights of N layers, query by key, in [0, 1].
        run: the id of the run and its units, by which the browser identifies a layer.
        layers: the numbers of the N layers.
        letters: short names of the two parts that `sentence_b_start` separates.
        numbers: (U,) the displayed numbers of units, or None for their indices; views send back the position of a
            unit's first token in any case.
        removed: (N, H, Q) attention of each query to hidden tokens, by the names of tensors.
        quantity: the quantity that is sent instead of weights, from `viz.wording.quantities.describe`: then H is the
            number of its planes, and 1 represents its largest value.
    Returns:
        tensor "weights", (N, H, U, U) uint16, and those of `removed`; extras as `unit_extras` gives them, with
        `letters`, `numbers` and `layers`. The message's id is `run`.
    Raises:
        ShapeError: the weights or the numbers do not match the layers and units.
    """
    count = len(units)
    if attention.ndim != 4 or attention.shape[0] != len(layers) or attention.shape[2:] != (count, count):
        raise ShapeError(
            f"Attention is {attention.shape}; {len(layers)} layers of {count} units need "
            f"({len(layers)}, H, {count}, {count})."
        )
    extras = layer_extras(units, layers=layers, letters=letters, numbers=numbers) | quantity_extras(quantity)
    return pack({"weights": quantised(attention), **removed}, extras, identity=run)


def more_attention_message(
    differences: NDArray[np.float32], units: Units, *, run: str, layer: int, name: str
) -> Message:
    """The positive differences between two runs in a layer, scaled by its largest difference of either sign.

    Args:
        differences: (H, P, P) of the shown run minus the other one, in [-1, 1]. With all signs inverted, as for the
            other run, the scale is the same.
        units: P shared units, with their positions in the shown run.
        run: the message's id.
        name: of the quantity, as in "More in B".
    Returns:
        What `layers_message` returns, with a plane for each head and a last one for the difference of the mean.
    Raises:
        ShapeError: the differences do not match the units.
    """
    heads = len(differences)
    planes = np.concatenate([differences, differences.mean(0, keepdims=True)])  # (H + 1, P, P)
    largest = max(float(np.abs(differences).max(initial=0)), MIN_LARGEST)
    quantity = {"name": name, "symbol": "Δ", "unit": "difference", "from_input": False, "largest": largest}
    return layers_message(
        np.clip(planes / largest, 0, 1).astype(np.float32)[None],
        units,
        run=run,
        layers=(layer,),
        quantity=quantity | {"heads": heads, "model_heads": heads},
    )


def layer_extras(
    units: Units, *, layers: Sequence[int], letters: tuple[str, str] = ("A", "B"), numbers: Sequence[int] | None = None
) -> dict[str, Any]:
    """The extras of `layers_message`. Raises ShapeError unless there is one number for each unit."""
    shown_numbers = list(range(len(units)) if numbers is None else numbers)
    if len(shown_numbers) != len(units):
        raise ShapeError(f"There are {len(shown_numbers)} numbers for {len(units)} units; each needs one.")
    return unit_extras(units) | {"letters": list(letters), "numbers": shown_numbers, "layers": list(layers)}


def quantity_extras(quantity: Mapping[str, Any] | None) -> dict[str, Any]:
    """The extra with the quantity that is sent instead of weights; none for weights."""
    return {} if quantity is None else {"quantity": dict(quantity)}


def unit_extras(units: Units) -> dict[str, Any]:
    """The units for the views, as JSON-able data; control characters are visible."""
    return {
        "labels": [make_visible(label) for label in units.labels],
        "special": list(units.special),
        "positions": [list(members) for members in units.members],
        "b_start": units.sentence_b_start,
    }


def neurons_message(
    queries: NDArray[np.float32],
    keys: NDArray[np.float32],
    pieces: Units,
    *,
    run: str,
    layers: Sequence[int],
    scaling: Sequence[float],
    bias: NDArray[np.float32] | None = None,
    excerpt: Excerpt | None = None,
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
        excerpt: of a longer text, if these are not all of its tokens.
        removed: (N, H, Q) attention of each query to hidden tokens, by the names of tensors.
    Returns:
        tensors "query" and "key", (N, H, T, K) float32, "scaling", (N,) float32, "bias" if there is one, "within" of an
        excerpt, and those of `removed`; extras as `unit_extras` gives them, with `layers`, and `first` and `of` of an
        excerpt. The message's id is `run`.
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
    if excerpt is not None:
        tensors["within"] = excerpt.within
    arrays = {name: np.asarray(array, dtype=np.float32) for name, array in tensors.items()}
    return pack(arrays, neuron_extras(pieces, layers, excerpt), identity=run)


def neuron_extras(pieces: Units, layers: Sequence[int], excerpt: Excerpt | None) -> dict[str, Any]:
    """The extras of `neurons_message`."""
    of_excerpt = {} if excerpt is None else {"first": excerpt.first, "of": excerpt.of}
    return unit_extras(pieces) | {"layers": list(layers)} | of_excerpt
