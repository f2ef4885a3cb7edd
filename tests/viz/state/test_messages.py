"""What a view may change, and what becomes of anything else that it sends."""

from typing import Any

import pytest

from encoder.measures.unit_attention import MEAN
from viz.state.messages import read_change


@pytest.mark.parametrize(
    ("message", "change"),
    [
        ({"layer": 3, "head": 7}, {"layer": 3, "head": 7}),
        ({"head": -1, "heads": "1.2"}, {"head": MEAN, "heads": (1, 2)}),
        ({"heads": ""}, {"heads": "selected"}),
        ({"query": 5, "key": -1, "pinned_in": "B"}, {"query": 5, "key": None, "pinned_in": "B"}),
        ({"at_a": 2, "at_b": -1}, {"at_a": 2, "at_b": None}),
        ({"row": 5, "column": 300}, {"row": 5, "column": 300}),
        ({"view": "norms"}, {"view": "norms"}),
        ({}, {}),
    ],
)
def test_a_message_becomes_typed_values(message: dict[str, Any], change: dict[str, Any]) -> None:
    assert read_change(message) == change


@pytest.mark.parametrize(
    "message",
    [
        {"a": "another text"},
        {"row": -1},
        {"column": 10_000},
        {"layer": -3},
        {"layer": 1.5},
        {"layer": True},
        {"head": None},
        {"heads": [1, 2]},
        {"heads": "<script>"},
        {"query": "x"},
        {"view": "nothing"},
        {"model": "/etc"},
        {"no such name": 1},
    ],
)
def test_what_stands_for_nothing_is_logged_and_left(message: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    assert read_change(message | {"level": "words"}) == {}
    assert "stands for nothing" in caplog.text


def test_the_rest_of_a_message_counts(caplog: pytest.LogCaptureFixture) -> None:
    assert read_change({"layer": "x", "head": 3}) == {"head": 3}
    assert len(caplog.records) == 1
