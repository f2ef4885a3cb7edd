"""Models with a head for masked words that was trained here, and how often its words are right. Needs no torch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from encoder.models.files import usual_name
from encoder.runs.arrays import FloatArray
from encoder.shipped.card import figure_of, read_card
from encoder.shipped.names import BUNDLED, WEIGHTS

MASK_HEADS = {BUNDLED: "bundled-mask-head"}  # file names by model
TOPS = (1, 5, 10)  # numbers of words among which the masked one is to be
MEASURED = "masked_top"  # begins the names of figures


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskAccuracy:
    """How often the masked word is among the head's first words.

    Attributes:
        shares: (L + 1, 3) of held-out words, by the last hidden state that is read, among the first 1, 5 and 10.
        commonest: share of the word that is masked most often.
        n, test_set: number and source of these words, which are masked one at a time.
    """

    shares: FloatArray
    commonest: float
    n: int
    test_set: str


def has_mask_head(model_name: str) -> bool:
    """Whether a head for masked words was trained here for a model."""
    name = MASK_HEADS.get(usual_name(model_name))
    return name is not None and (WEIGHTS / f"{name}.safetensors").is_file()


def mask_accuracy(model_name: str) -> MaskAccuracy:
    """The accuracy of a model's head, from its card. Raises CheckpointError if that cannot be read."""
    card = read_card(WEIGHTS / f"{MASK_HEADS[usual_name(model_name)]}.json")
    states = sum(row["name"].startswith(f"{MEASURED}1_after_") for row in card["figures"])
    shares = [[figure_of(card, f"{MEASURED}{top}_after_{index}").value for top in TOPS] for index in range(states)]
    figure = figure_of(card, f"{MEASURED}1_after_{states - 1}")
    return MaskAccuracy(
        shares=np.array(shares, np.float32),
        commonest=figure.baseline or 0.0,
        n=figure.n,
        test_set=figure.test_set.partition(",")[0],
    )
