"""Bytes as text: they come back, and no character of the text would have to be escaped anywhere."""

from __future__ import annotations

import html
import json
import zlib

from hypothesis import given
from hypothesis import strategies as st

from tests.viz.html.reading import inflated
from viz.html.text_bytes import ALPHABET, text_of_bytes


@given(st.binary(max_size=40))
def test_bytes_come_back_from_their_text(data: bytes) -> None:
    assert inflated(text_of_bytes(zlib.compress(data))) == data


@given(st.binary(max_size=40))
def test_a_text_has_five_characters_for_four_bytes(data: bytes) -> None:
    whole, rest = divmod(len(data), 4)
    assert len(text_of_bytes(data)) == 5 * whole + (rest + 1 if rest else 0)


def test_no_character_is_escaped() -> None:
    assert len(set(ALPHABET)) == 85
    assert ALPHABET.isascii()
    assert ALPHABET.isprintable()
    assert html.escape(ALPHABET, quote=True) == ALPHABET
    assert json.dumps(ALPHABET) == f'"{ALPHABET}"'
    assert not set(" `$") & set(ALPHABET)
