"""How often each method is right: measured over many sentences, beside what was published of another model."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from encoder.attribution.explaining import PATH
from encoder.attribution.removals import PERMUTATIONS
from viz.panels.tables import folded

MEASURED = Path(__file__).with_name("measured.json")


@cache
def measured() -> dict[str, Any]:
    """What `python -m encoder.evaluation.faithfulness` prints of each method, and the published figures."""
    figures: dict[str, Any] = json.loads(MEASURED.read_text(encoding="utf-8"))
    return figures


def measured_of(method: str) -> dict[str, Any]:
    """The figures of one method. Raises StopIteration where it was not measured."""
    found: dict[str, Any] = next(each for each in measured()["methods"] if each["method"] == method)
    return found


def show_measured() -> None:
    """A table of all methods that were measured."""
    part = folded("How well each method does over many sentences", key="why_measured")
    if not part.open:
        return
    figures = measured()
    with part:
        if figures["methods"]:
            st.dataframe(pd.DataFrame(_rows(figures["methods"])), hide_index=True, key="why_measured")
            st.caption(
                f"Measured with {figures['model']} on {figures['data']}, with 95 % intervals. AOPC ↑: how far the "
                "probability of the model's answer falls as the top 10 to 90 % of pieces are masked. Accuracy ↓: how "
                "often the answer stays, in percent. Deletion ↑: the fall where the top 10 and 20 % are deleted. "
                "Integrated gradients "
                f"were measured with 2, 8 and 20 points; this page takes {PATH.points}, "
                "in the middle of as many equal parts of the way. DecompX gives words what "
                "the biases of the layers add, too; “decompx-biases-apart” does not. Shapley sampling takes "
                f"{PERMUTATIONS} random orders; “greedy” tries every word at every step. “guided” is a search of 44 "
                "runs among the words that integrated DecompX puts first: it gives an order and no values, and stands "
                "in the test."
            )
        published = figures["published"]
        named = ", ".join(f"{name} {value:.3f}" for name, value in published["aopc"].items())
        st.caption(
            f"**Another model's:** {published['model']}, AOPC as published: {named}. Not to be compared with the above."
        )


def _rows(methods: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "method": each["method"],
            "n": each["n"],
            "AOPC ↑": _with_interval(each, "aopc", ".3f"),
            "accuracy ↓": _with_interval(each, "accuracy", ".1f"),
            "deletion ↑": _with_interval(each, "deletion", ".3f"),
        }
        for each in sorted(methods, key=lambda each: each["aopc"])
    ]


def _with_interval(figures: dict[str, Any], name: str, number_format: str) -> str:
    """A figure with half of the width of its interval."""
    interval = figures.get(f"{name}_interval")
    half = f" ± {(interval[1] - interval[0]) / 2:{number_format}}" if interval else ""
    return f"{figures[name]:{number_format}}{half}"
