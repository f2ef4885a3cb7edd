"""Names of the models that ship, and of the training steps that can be loaded."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from safetensors import SafetensorError, safe_open

from encoder.errors import CheckpointError, UnknownModelError
from encoder.models.files import usual_name

BUNDLED = "bundled"
TUNED = "bundled-sentiment"
SCRATCH_BERT = "scratch-bert"  # the bundled model's weights without its head
SCRATCH, SEQ2SEQ = "scratch", "seq2seq"
CHECKPOINT = re.compile(r"checkpoint-(\d{1,9})", re.ASCII)  # a folder of a training step, as transformers names it
STEP_PREFIX = f"{SCRATCH}:step="
UNTRAINED = "scratch-untrained"
WEIGHTS = Path(__file__).parent / "weights"


@cache  # each run of the page asks for them
def steps(folder: Path = WEIGHTS) -> tuple[int, ...]:
    """Training steps that can be loaded, from 0 (untrained) to the last (the trained model).

    Raises:
        CheckpointError: a file is missing or corrupt.
    """
    last = _metadata(folder / f"{SCRATCH}.safetensors")
    before = _metadata(folder / f"{SCRATCH}-steps.safetensors")
    return (*json.loads(before["steps"]), int(last["step"]))


def step_name(step: int) -> str:
    """The name of the model at a training step, for `encoder.load`."""
    return f"{STEP_PREFIX}{step}"


def is_untrained(name: str) -> bool:
    """Whether the model's weights are random: the untrained model, or step 0."""
    return usual_name(name) in (UNTRAINED, step_name(0))


def parse_step(name: str) -> int:
    """The step in a name such as "scratch:step=400".

    Raises:
        UnknownModelError: it is not a number.
    """
    digits = name.removeprefix(STEP_PREFIX)
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise UnknownModelError(f"{name[:60]!r} is not a training step: write {step_name(400)!r}, for example.")
    return int(digits)


def _metadata(path: Path) -> dict[str, str]:
    try:
        with safe_open(path, framework="np") as file:
            return file.metadata() or {}
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"{path} is not a readable safetensors file: {error}") from error
