"""The word lens in AppTest."""

from typing import Any

from streamlit.testing.v1 import AppTest

from encoder.runs.arrays import FloatArray
from tests.app.app_script import numbers
from tests.app.jobs import open_settled

A, B = "time flies like an arrow", "fruit flies like a banana"


def lens(**link: str) -> AppTest:
    return open_settled(view="word lens", **link)


def line(spec: dict[str, Any], name: str) -> FloatArray:
    """The heights of a line of a figure."""
    return numbers(next(trace["y"] for trace in spec["data"] if trace.get("name") == name))
