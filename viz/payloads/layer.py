"""A layer's attention for the views, whichever head they show.

Weights travel as round(65535 · √w) in 16 bits: at 512 tokens most weights are far below 1/255, and the
numbers beside a token must be exact to the digits shown (`MAX_ERROR`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from encoder.errors import ShapeError
from encoder.measures.units import Units
from viz.labels import make_visible
from viz.payloads.message import Message, pack

STEPS: Final = 65535
MAX_ERROR: Final = 1.6e-5  # of a weight, through quantisation: √w is off by 0.5 / STEPS at most


def quantised(weights: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Attention weights in [0, 1] as round(65535 · √w), any shape; (q / 65535)² gives them back to `MAX_ERROR`."""
    roots = np.sqrt(weights)
    roots *= STEPS
    return np.rint(roots, out=roots).astype(np.uint16)


def layer_message(
    attention: NDArray[np.float32],
    units: Units,
    *,
    letters: tuple[str, str] = ("A", "B"),
    numbers: Sequence[int] | None = None,
) -> Message:
    """A layer's attention between units, for the views.

    Args:
        attention: (H, U, U) weights, query by key, in [0, 1].
        letters: names of the two parts that `sentence_b_start` divides, short enough for a strip beside the tokens.
        numbers: (U,) by which people are told units apart, or None for each unit's own index; what views send back
            stays the position of a unit's first token.
    Returns:
        tensor "weights", (H, U, U) uint16; extras `labels`, `special`, `positions` (of each unit's tokens),
        `b_start` (index of sentence B's first unit, or null), `letters` and `numbers`. Equal content has an equal id.
    Raises:
        ShapeError: the weights or the numbers are not those of the units.
    """
    count = len(units)
    if attention.ndim != 3 or attention.shape[1:] != (count, count):
        raise ShapeError(f"Attention is {attention.shape}; {count} units need (H, {count}, {count}).")
    shown_numbers = list(range(count) if numbers is None else numbers)
    if len(shown_numbers) != count:
        raise ShapeError(f"There are {len(shown_numbers)} numbers for {count} units; each needs one.")
    extras = unit_extras(units) | {"letters": list(letters), "numbers": shown_numbers}
    return pack({"weights": quantised(attention)}, extras)


def unit_extras(units: Units) -> dict[str, Any]:
    """What views need to know of the units, as JSON-able data; control characters are visible."""
    return {
        "labels": [make_visible(label) for label in units.labels],
        "special": list(units.special),
        "positions": [list(members) for members in units.members],
        "b_start": units.sentence_b_start,
    }
