"""What a training step of the from-scratch model is, from its model card."""

from __future__ import annotations

from functools import lru_cache

from encoder.shipped.card import read_card
from encoder.shipped.names import SCRATCH, WEIGHTS


@lru_cache(maxsize=1)
def training_step_label() -> str:
    """The label of a slider of training steps. Raises CheckpointError if the card is missing."""
    tokens = read_card(WEIGHTS / f"{SCRATCH}.json")["settings"]["batch_tokens"]
    return f"Training step: a batch of up to {tokens:,} word pieces"
