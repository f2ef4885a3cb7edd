"""What the page says of the parts of speech that encoding a pair changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from encoder.shipped.probes import word_classes
from viz.state.selection import DEFAULT
from viz.wording.tags import pairing_sentence

if TYPE_CHECKING:
    from encoder import Backend

A, B = DEFAULT.texts.a, DEFAULT.texts.b


def sentence(bundled: Backend, a: str, b: str) -> str:
    alone = [bundled.trace(text) for text in (a, b)]
    words = [trace.tokens.words for trace in alone]
    return pairing_sentence(word_classes(bundled.trace(a, b)), list(map(word_classes, alone)), words, None)


def test_a_word_that_the_pair_changes_is_named_with_both_parts_of_speech(bundled: Backend) -> None:
    said = sentence(bundled, A, B)
    assert said == "Read alone, “flies” in A is a verb (80 %); as a pair it is read as a noun (88 %)."


def test_there_is_no_remark_where_no_word_changes(bundled: Backend) -> None:
    assert sentence(bundled, "we watch the stars every night", "her watch stopped at midnight") == ""


def test_words_that_were_cut_off_change_nothing(bundled: Backend) -> None:
    long = "word " * 600
    assert bundled.trace(long, long).tokens.truncated[0] > bundled.trace(long).tokens.truncated[0]
    said = sentence(bundled, long, long)
    assert said.count("“word”") <= 3


@pytest.mark.parametrize("count", [2, 5])
def test_of_many_words_few_are_named(bundled: Backend, count: int) -> None:
    alone = [word_classes(bundled.trace("a " * count)), word_classes(bundled.trace("b"))]
    noun, verb = (np.eye(len(alone[0].tags), dtype=np.float32)[alone[0].tags.index(tag)] for tag in ("NOUN", "VERB"))
    alone = [replace(each, combined=np.tile(verb, (len(each.combined), 1))) for each in alone]
    pair = replace(alone[0], combined=np.tile(noun, (count + 1, 1)))
    said = pairing_sentence(pair, alone, [["a"] * count, ["b"]], None)
    assert said.startswith(f"Read alone, {count + 1} words have another part of speech: “a” in A is a verb (100 %), as")
    assert said.endswith("; and 3 more." if count == 5 else "“b” in B is a verb (100 %), as a pair a noun (100 %).")
