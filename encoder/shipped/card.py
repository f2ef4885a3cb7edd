"""The figures of model cards, read from their JSON files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from encoder.errors import CheckpointError


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured figure: its name, test set, number of examples, and baseline."""

    name: str  # a key such as "sst2_accuracy"
    title: str  # for people: "Two-class sentiment, accuracy"
    test_set: str  # "SST dev, neutral left out"
    value: float
    n: int
    baseline: float | None = None
    baseline_name: str = ""  # "always positive"


def figure_of(card: Mapping[str, Any], name: str) -> Figure:
    """One figure of a card read with `read_card`.

    Raises:
        CheckpointError: the card has no such figure.
    """
    for row in card.get("figures", ()):
        if row.get("name") == name:
            return Figure(**row)
    raise CheckpointError(f"The model card of {card.get('name')!r} has no figure {name!r}.")


def read_card(path: Path) -> dict[str, Any]:
    """Read a card's JSON file.

    Raises:
        CheckpointError: it is missing or unreadable.
    """
    try:
        card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"The model card {path} cannot be read: {error}") from error
    return card


def accuracy_sentence(figures: Mapping[str, Mapping[str, Any]]) -> str:
    """The sentiment accuracy on a model card as a sentence. Raises KeyError if a figure is missing.

    Args:
        figures: by name, rows with `value` and `n`.
    """
    two, three = (figures[name] for name in ("sst2_accuracy", "three_class_accuracy"))
    return (
        f"Measured on SST dev: {100 * two['value']:.1f} % right on negative or positive (n = {two['n']:,}), "
        f"{100 * three['value']:.1f} % on three classes (n = {three['n']:,})."
    )
