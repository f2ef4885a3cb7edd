"""The word lens in AppTest."""

from typing import Any

from streamlit.testing.v1 import AppTest

from encoder.runs.arrays import FloatArray
from tests.app.app_script import numbers, open_page, unfold
from tests.app.jobs import settled

A, B = "time flies like an arrow", "fruit flies like a banana"


FOLDS = ("divergence", "profiles", "parts_of_speech", "parts_of_model", "senses")


def lens(**link: str) -> AppTest:
    """The word lens with all folds open, and what they compute."""
    return settled(unfolded(open_page(view="word lens", **link)))


def unfolded(at: AppTest) -> AppTest:
    """Open the folds of the word lens."""
    return unfold(at, *(f"lens_{name}" for name in FOLDS))


def line(spec: dict[str, Any], name: str) -> FloatArray:
    """The heights of a line of a figure."""
    return numbers(next(trace["y"] for trace in spec["data"] if trace.get("name") == name))
