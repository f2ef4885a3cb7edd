"""What is read of a message of the text fields, which anybody could have sent."""

import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.state.typed import Typed, read_typed

NAMES = ("a", "b")
TEXTS = st.fixed_dictionaries(dict.fromkeys(NAMES, st.text(st.characters())))


@given(st.integers(), TEXTS, st.booleans())
def test_texts_arrive_as_they_were_typed(number: int, texts: dict[str, str], held: bool) -> None:
    message = {"number": number, "texts": texts, "held": held}
    assert read_typed(message, NAMES) == Typed(number, texts, held)


def test_half_a_surrogate_pair_becomes_the_character_for_what_is_none() -> None:
    typed = read_typed({"number": 1, "texts": {"a": "x\ud83d", "b": "🙂"}, "held": True}, NAMES)
    assert typed == Typed(1, {"a": "x\ufffd", "b": "🙂"}, held=True)


@pytest.mark.parametrize(
    "message",
    [
        None,
        "text",
        {},
        {"number": 1, "texts": {"a": "x", "b": "y"}},
        {"number": "1", "texts": {"a": "x", "b": "y"}, "held": True},
        {"number": 1, "texts": {"a": "x", "b": "y"}, "held": 1},
        {"number": 1, "texts": {"a": "x"}, "held": True},
        {"number": 1, "texts": {"a": "x", "b": "y", "layer": "3"}, "held": True},
        {"number": 1, "texts": {"a": "x", "b": 3}, "held": True},
        {"number": 1, "texts": [["a", "x"]], "held": True},
    ],
)
def test_what_is_no_message_is_logged_and_left(message: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert read_typed(message, NAMES) is None
    assert "no message of a, b" in caplog.text
