"""Where one run attends more than another, for the head view: the positive part of signed differences."""

from __future__ import annotations

import numpy as np

from encoder.measures.units import Units
from encoder.runs.arrays import FloatArray
from viz.payloads.layer import layers_message
from viz.payloads.message import Message

LEAST = 0.01  # that the strongest line stands for: below it, rounding would look like a pattern


def more_attention_message(differences: FloatArray, units: Units, *, run: str, layer: int, name: str) -> Message:
    """The positive differences of a layer as lines; the strongest stands for its largest difference of either sign.

    Args:
        differences: (H, P, P) of the run that is drawn minus the other one, in [-1, 1]. With all signs turned, as for
            the other run, the scale is the same.
        units: P shared units, with their positions in the run that is drawn.
        run: the message's id.
        name: of the picture, as in "More in B".
    Returns:
        What `layers_message` does, with a plane for each head and a last one for the mean's difference.
    Raises:
        ShapeError: the differences are not those of the units.
    """
    heads = len(differences)
    planes = np.concatenate([differences, differences.mean(0, keepdims=True)])  # (H + 1, P, P)
    largest = max(float(np.abs(differences).max(initial=0)), LEAST)
    quantity = {"name": name, "symbol": "Δ", "unit": "difference", "from_input": False, "largest": largest}
    return layers_message(
        np.clip(planes / largest, 0, 1).astype(np.float32)[None],
        units,
        run=run,
        layers=(layer,),
        quantity=quantity | {"heads": heads, "model_heads": heads},
    )
