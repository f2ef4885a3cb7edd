"""The atlas of a model: a shipped one, or one in the folder named by the environment variable HEADLIGHT_ATLAS."""

from __future__ import annotations

import os
from pathlib import Path

from encoder.atlas.reader import Atlas, atlas_of_weights, shipped_atlas
from viz import permitted
from viz.caches import run_cache
from viz.caches.memo import VALUES

VARIABLE = "HEADLIGHT_ATLAS"


def atlas_of(model_name: str) -> Atlas | None:
    """The atlas of a model's weights, or None. A model without a shipped atlas is loaded to compute their checksum.

    Raises:
        AtlasError: an atlas is damaged, or the folder is missing.
        ModelError: the model's weights cannot be read.
    """
    return VALUES.get(_find_atlas, model_name, os.environ.get(VARIABLE))


def _find_atlas(model_name: str, folder: str | None) -> Atlas | None:
    shipped = shipped_atlas(model_name)
    if shipped is not None or not folder:
        return shipped
    from encoder.atlas.plan import model_checksum  # imports torch

    weights, path = model_checksum(run_cache.model(model_name)), Path(folder).expanduser()
    with permitted.hiding_paths(path, "atlases"):
        return atlas_of_weights(weights, path)
