"""Messages for HTML in one file: those of `viz/payloads`, quantised, deflated and as text.

`browser/quantised.mjs` reads them. Weights have the four decimals that the views show. Queries and keys are shares of
the largest number of their dimension, in 16 bits, or in 12 for a long text.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from encoder.measures.units import Units
from encoder.runs.arrays import FloatArray
from viz.html.text_bytes import text_of_bytes
from viz.payloads.layer import layer_extras, neuron_extras, quantity_extras
from viz.payloads.message import Message, pack
from viz.payloads.runs import LayersAttention, LayersNeurons

WEIGHT_STEPS: Final = 10_000  # from 0 to 1
NUMBER_STEPS: Final = 32_767  # from 0 to the largest number of a dimension
LONG, STEPS_OF_LONG = 128, 2_047  # beyond so many tokens queries and keys have fewer steps
# Searching the numbers for repetitions takes 15 times as long and leaves more bytes.
STRATEGIES: Final = (zlib.Z_FILTERED, zlib.Z_HUFFMAN_ONLY)
MOST_CELLS: Final = 1_000_000  # weights of one block, so that the first view waits for few


@dataclass(frozen=True, slots=True)
class Block:
    """One message of a page.

    Attributes:
        message: its id.
        layers: those that it contains; none if it belongs to no layer.
        text: its deflated bytes, encoded by `text_bytes`.
    """

    message: str
    layers: tuple[int, ...]
    text: str


def attention_block(
    found: LayersAttention,
    units: Units,
    *,
    message: str,
    layers: Sequence[int],
    letters: tuple[str, str] = ("A", "B"),
    numbers: Sequence[int] | None = None,
    quantity: Mapping[str, Any] | None = None,
) -> Block:
    """The attention of some layers or another quantity; arguments as in `viz.payloads.layer.layers_message`."""
    planes = _planes(np.rint(found.attention * np.float32(WEIGHT_STEPS)))
    extras = layer_extras(units, layers=layers, letters=letters, numbers=numbers) | quantity_extras(quantity)
    packed = {"weights": {"steps": WEIGHT_STEPS}}
    return _block({"weights": planes, **found.removed}, extras | {"packed": packed}, message, layers)


def neurons_block(found: LayersNeurons, pieces: Units, *, message: str, layers: Sequence[int]) -> Block:
    """Queries and keys of some layers; arguments as in `viz.payloads.layer.neurons_message`."""
    tensors: dict[str, NDArray[Any]] = {"scaling": np.array(found.scaling, dtype=np.float32), **found.removed}
    if found.bias is not None:
        tensors["bias"] = np.asarray(found.bias, dtype=np.float32)
    if found.excerpt is not None:
        tensors["within"] = found.excerpt.within
    packed = {}
    steps = number_steps(len(pieces))
    for name, array in (("query", found.queries), ("key", found.keys)):
        largest = np.abs(array).max(axis=2)  # (N, H, K)
        shares = np.divide(array, largest[:, :, None], out=np.zeros_like(array), where=largest[:, :, None] > 0)
        tensors[name] = _planes(np.rint(shares * steps) + steps)
        tensors[f"{name}.largest"] = largest
        packed[name] = {"largest": f"{name}.largest", "steps": steps}
    extras = neuron_extras(pieces, layers, found.excerpt)
    return _block(tensors, extras | {"packed": packed}, message, layers)


def number_steps(tokens: int) -> int:
    """The number of steps of queries and keys from 0 to the largest number of their dimension."""
    return NUMBER_STEPS if tokens <= LONG else STEPS_OF_LONG


def measures_block(
    measures: Mapping[str, FloatArray],
    layers: Sequence[int],
    *,
    message: str,
    quantity: Mapping[str, Any] | None = None,
) -> Block:
    """The measures of all heads of some layers; the page makes the thumbnails."""
    profiles = np.stack([array[list(layers)] for array in measures.values()], axis=-1)  # (N, H, M)
    return _block(
        {"profiles": profiles.astype(np.float32)}, {"measures": list(measures)} | quantity_extras(quantity), message, ()
    )


def _planes(numbers: NDArray[np.floating[Any]]) -> NDArray[np.uint8]:
    """(2, ...) high and low bytes of whole numbers below 65536; separated, they deflate better by a fifth."""
    whole = numbers.astype(np.uint16)
    return np.stack([(whole >> 8).astype(np.uint8), (whole & 255).astype(np.uint8)])


def whole_block(message: Message) -> Block:
    """A message that belongs to no layer, as the app sends it."""
    return _block_of(message, ())


def _block(
    tensors: Mapping[str, NDArray[Any]], extras: Mapping[str, Any], message: str, layers: Sequence[int]
) -> Block:
    return _block_of(pack(tensors, extras, identity=message), layers)


def _block_of(message: Message, layers: Sequence[int]) -> Block:
    smallest = min((_deflated(message.data, strategy) for strategy in STRATEGIES), key=len)
    return Block(message.id, tuple(layers), text_of_bytes(smallest))


def _deflated(data: bytes, strategy: int) -> bytes:
    compressor = zlib.compressobj(strategy=strategy)
    return compressor.compress(data) + compressor.flush()


def in_blocks(layers: Sequence[int], cells: int) -> list[tuple[int, ...]]:
    """Layers in groups, one for each block; `cells` is the size of a layer."""
    size = max(1, MOST_CELLS // cells)
    return [tuple(layers[start : start + size]) for start in range(0, len(layers), size)]
