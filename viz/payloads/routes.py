"""The strongest links of an output, for the view of routes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from encoder.measures.ranks import order_of_links
from encoder.measures.units import Units
from encoder.runs.arrays import FloatArray
from viz.payloads.layer import quantised, unit_extras
from viz.payloads.message import Message, pack

MOST_LINKS: Final = 1_024  # that are sent: more lines hide one another


def routes_message(
    values: FloatArray,
    weights: FloatArray,
    units: Units,
    *,
    counts: Sequence[int],
    kept: FloatArray,
    opens: int,
    name: str,
    unit: str,
    adds: str,
    identity: str | None = None,
) -> Message:
    """The links that raise an output most, with their contributions and weights.

    Args:
        values, weights: (L, H, T, T) contributions, and attention.
        units: all tokens of the text, as pieces or words.
        counts: C numbers of links.
        kept: (C,) the output with so many of the strongest alone.
        opens: one of the counts, with which the view opens.
        name: of the output, as in “positive”.
        unit: of the output, as people read it.
        adds: the unit of contributions.
        identity: the message's id; None for a digest.
    Returns:
        tensors "links", (M,) flat indices of (L, H, T, T), the strongest first, "values", (M,), and "weights", (M,) as
        `viz.payloads.layer.quantised`; extras as `viz.payloads.layer.unit_extras` gives them, with the arguments, the
        `shape` (L, H, T), the `total` of all absolute contributions, and the units that the output is `read` at, after
        `state` layers.
    """
    flat = values.ravel()
    strongest = order_of_links(values)[:MOST_LINKS]
    read, state = _read_at(values, units)
    extras = unit_extras(units) | {
        "shape": list(values.shape[:3]),
        "counts": list(counts),
        "kept": [round(float(value), 6) for value in kept],
        "opens": opens,
        "total": float(np.abs(flat).sum()) or 1.0,
        "name": name,
        "unit": unit,
        "adds": adds,
        "read": read,
        "state": state,
    }
    tensors: dict[str, NDArray[Any]] = {
        "links": strongest.astype(np.int32),
        "values": flat[strongest],
        "weights": quantised(weights.ravel()[strongest]),
    }
    return pack(tensors, extras, identity=identity)


def cut_message(found: Message, cut: FloatArray) -> Message:
    """The output without the strongest links, as the extra `cut`, at the counts of another message.

    Args:
        found: from `routes_message`; its id begins that of the result.
        cut: (C,).
    """
    return pack({}, {"cut": [round(float(value), 6) for value in cut]}, identity=f"{found.id}-cut")


def _read_at(values: FloatArray, units: Units) -> tuple[list[int], int]:
    """The units whose states the output is read from, and after how many layers.

    No other query contributes in the last layer, and no link above it.
    """
    sizes = np.abs(values).sum((1, 3))  # (L, T)
    layers = np.flatnonzero(sizes.any(1))
    if not len(layers):
        return [], 0
    last = int(layers[-1])
    return [index for index, own in enumerate(units.members) if sizes[last, list(own)].any()], last + 1
