"""What tells the weights of the models that ship, and therefore their attention, from all others, without torch."""

from __future__ import annotations

import hashlib
from functools import cache

from encoder.errors import CheckpointError
from encoder.shipped.bundled import BUNDLED_SHA256
from encoder.shipped.names import BUNDLED, SCRATCH, SCRATCH_BERT, TUNED, WEIGHTS


@cache
def attention_fingerprint(name: str) -> str | None:
    """A checksum of the files that a model's attention follows from; None for a model whose files are not known.

    Raises:
        CheckpointError: such a file cannot be read.
    """
    if name in (BUNDLED, SCRATCH_BERT):
        return BUNDLED_SHA256
    if name not in (TUNED, SCRATCH):
        return None
    try:
        weights = (WEIGHTS / f"{name}.safetensors").read_bytes()
    except OSError as error:
        raise CheckpointError(f"The weights of {name} cannot be read: {error}") from error
    base = BUNDLED_SHA256 if name == TUNED else ""  # the fine-tuned model is an adapter on it
    return hashlib.sha256(base.encode() + weights).hexdigest()
