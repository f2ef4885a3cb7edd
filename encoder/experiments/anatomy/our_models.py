"""Which models can be taken apart: those whose modules are our own."""

from __future__ import annotations

import os

from encoder.errors import UnsupportedModelError
from encoder.models.base import Backend
from encoder.models.scratch import ScratchBackend
from encoder.shipped.names import SCRATCH_BERT


def is_ours(backend: Backend) -> bool:
    """Whether a model is our own encoder, whose modules can be recorded."""
    return isinstance(backend, ScratchBackend)


def ours(backend: Backend) -> ScratchBackend:
    """The model as our own encoder.

    Raises:
        UnsupportedModelError: it is another.
    """
    if not isinstance(backend, ScratchBackend):
        raise UnsupportedModelError(f"The anatomy opens our own encoder; {backend.name!r} has other modules.")
    return backend


def name_in_our_modules(backend: Backend, name: str) -> str | None:
    """The name under which a BERT folder's weights are loaded into our own encoder; None for any other model.

    Args:
        name: under which the model was loaded.
    """
    if is_ours(backend):
        return None
    from encoder.models.pretrained import PretrainedBackend  # takes seconds, unless such a model was opened

    if not isinstance(backend, PretrainedBackend) or backend.model.config.model_type != "bert":
        return None
    return f"{SCRATCH_BERT}:{name}" if os.path.isdir(os.path.expanduser(name)) else None
