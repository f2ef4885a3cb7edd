"""The atlas of a model: a shipped one, or one in the folder named by the environment variable HEADLIGHT_ATLAS."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from encoder.atlas.reader import Atlas, atlas_of_weights, shipped_atlas
from viz.caches import run_cache

if TYPE_CHECKING:
    from encoder import Backend

VARIABLE = "HEADLIGHT_ATLAS"

_checksums: WeakKeyDictionary[Backend, str] = WeakKeyDictionary()


def atlas_of(model_name: str) -> Atlas | None:
    """The atlas of a model's weights, or None. A model without a shipped atlas is loaded to compute their checksum.

    Raises:
        AtlasError: an atlas is damaged, or the folder is missing.
        ModelError: the model's weights cannot be read.
    """
    shipped = shipped_atlas(model_name)
    folder = os.environ.get(VARIABLE)
    if shipped is not None or not folder:
        return shipped
    return atlas_of_weights(_checksum(run_cache.model(model_name)), Path(folder).expanduser())


def _checksum(backend: Backend) -> str:
    """A checksum of a loaded model's weights, computed once."""
    from encoder.atlas.plan import model_checksum  # imports torch

    if backend not in _checksums:
        _checksums[backend] = model_checksum(backend)
    return _checksums[backend]
