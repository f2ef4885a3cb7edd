"""Every head of a model as a thumbnail with its measures, for the map of all heads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from encoder.errors import ShapeError
from encoder.measures.head_profiles import HeadProfiles
from encoder.runs.arrays import FloatArray
from viz.payloads.layer import quantity_extras
from viz.payloads.message import Message, pack

THUMBNAIL: Final = 48  # cells along a side at most; longer texts are pooled
STEPS: Final = 255


def usual_measures(profiles: HeadProfiles, separator: str | None) -> dict[str, FloatArray]:
    """The measures of heads that a map shows, by name.

    Args:
        profiles: (L, H) each.
        separator: the text's last special token after the first token, such as "[SEP]"; None without one.
    """
    shares = {f"to {separator}": profiles.to_separators} if separator else {}
    shares |= {
        "to itself": profiles.to_itself,
        "to the previous token": profiles.to_previous,
        "to the next token": profiles.to_next,
    }
    return {"entropy in bits": profiles.entropy_bits, **shares}


def map_message(
    thumbnails: NDArray[np.float32],
    measures: Mapping[str, NDArray[np.float32]],
    *,
    quantity: Mapping[str, Any] | None = None,
) -> Message:
    """Every head's thumbnail and any measures, for the map.

    Args:
        thumbnails: (L, H, R, C) weights in [0, 1], query by key, pooled to at most `THUMBNAIL` cells along a side.
        measures: (L, H) each, by name; a name with "bits" means bits, a name with "‖" a norm, any other a share.
        quantity: as in `viz.payloads.layer.layers_message`.
    Returns:
        tensors "thumbnails", round(255 · √w) as uint8, and "profiles", (L, H, M) float32 in the order of the extra
        `measures`.
    Raises:
        ShapeError: thumbnails and measures are of different heads.
    """
    for name, measured in measures.items():
        if thumbnails.ndim != 4 or thumbnails.shape[:2] != measured.shape:
            raise ShapeError(f"Pictures are {thumbnails.shape}; {name!r} is of {measured.shape} heads.")
    pictures = np.rint(np.sqrt(thumbnails) * STEPS).astype(np.uint8)
    profiles = np.stack([*measures.values()], axis=-1).astype(np.float32)  # (L, H, M)
    extras = {"measures": [*measures]} | quantity_extras(quantity)
    return pack({"thumbnails": pictures, "profiles": profiles}, extras)
