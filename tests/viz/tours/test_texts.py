"""The texts of a tour in places that wrap lines by themselves."""

import pytest

from viz.tours.texts import unwrapped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two\nsenses", "two senses"),
        ("two\n  senses,\nusually", "two senses, usually"),
        ("one paragraph\n\nanother\none", "one paragraph\n\nanother one"),
        ("a list:\n- one\n- two\n  lines\n1. three", "a list:\n- one\n- two lines\n1. three"),
        ("", ""),
    ],
)
def test_a_single_line_break_becomes_a_space(text: str, shown: str) -> None:
    assert unwrapped(text) == shown
