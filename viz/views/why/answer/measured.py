"""Faithfulness of each method, measured over many sentences, with published figures of another model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from encoder.attribution.explaining import LONGER_PATH, PATH, TOLERANCE
from encoder.attribution.removals import PERMUTATIONS
from encoder.offers import ModelName
from viz.answers.answer import Answer, Columns, Table
from viz.wording.numbers import percent

MEASURED: Final = Path(__file__).with_name("measured.json")


def measured() -> dict[str, Any]:
    """The output of `python -m encoder.evaluation.faithfulness`, and the published figures."""
    figures: dict[str, Any] = json.loads(MEASURED.read_text(encoding="utf-8"))
    return figures


def measured_of(method: str) -> dict[str, Any]:
    """The figures of one method. Raises KeyError if it was not measured."""
    by_method: dict[str, dict[str, Any]] = {each["method"]: each for each in measured()["methods"]}
    return by_method[method]


def is_comparable(model_name: str) -> bool:
    """Whether the figures say something of a model: it was trained here, on the sentences of the same corpus."""
    return ModelName(model_name).ships


def measured_methods(model_name: str) -> Answer:
    """A table of all measured methods; nothing beside a model that they say nothing of."""
    if not is_comparable(model_name):
        return Answer(())
    figures = measured()
    published = figures["published"]
    named = ", ".join(f"{name} {value:.3f}" for name, value in published["aopc"].items())
    note = (
        f"Measured with {figures['model']} on {figures['data']}, with 95 % intervals. AOPC ↑: how far the "
        "probability of the model's answer falls as the top 10 to 90 % of pieces are masked. Accuracy ↓: how "
        "often the answer stays, in percent. Deletion ↑: the fall where the top 10 and 20 % are deleted. "
        f"Integrated gradients were measured with 2, 8 and 20 points; this page takes {PATH.points}, in the middle of "
        f"as many equal parts of the path, or {LONGER_PATH.points} where the parts would miss the total by more than "
        f"{percent(TOLERANCE)}. DecompX gives words what "
        "the biases of the layers add, too; “decompx-biases-apart” does not. Shapley sampling takes "
        f"{PERMUTATIONS} random orders; “greedy” tries every word at every step. “guided” is a search of 44 "
        "runs among the words that integrated DecompX puts first: it gives an order but no values, and the "
        f"test shows its curve.\n\n**Another model's:** {published['model']}, AOPC as published: {named}. Not to be "
        "compared with the above."
    )
    return Answer(
        (
            Table(
                name="methods",
                title="How well each method does over many sentences",
                columns=lambda: _columns(figures["methods"]),
                note=note,
            ),
        )
    )


def _columns(methods: Sequence[Mapping[str, Any]]) -> Columns:
    methods = sorted(methods, key=lambda each: each["aopc"])
    return {
        "method": [each["method"] for each in methods],
        "n": [each["n"] for each in methods],
        "AOPC ↑": [_with_interval(each, "aopc", ".3f") for each in methods],
        "accuracy ↓": [_with_interval(each, "accuracy", ".1f") for each in methods],
        "deletion ↑": [_with_interval(each, "deletion", ".3f") for each in methods],
    }


def _with_interval(figures: Mapping[str, Any], name: str, number_format: str) -> str:
    """A figure ± half the width of its interval."""
    interval = figures.get(f"{name}_interval")
    half = f" ± {(interval[1] - interval[0]) / 2:{number_format}}" if interval else ""
    return f"{figures[name]:{number_format}}{half}"
