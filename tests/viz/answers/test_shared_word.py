"""The sentence above the tokens: what a probe reads the shared word as."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from encoder.shipped.probes import word_classes
from viz.answers.shared_word import shared_word_sentence
from viz.state.fields import with_values
from viz.state.selection import DEFAULT

if TYPE_CHECKING:
    from encoder import Backend

A, B = DEFAULT.texts.a, DEFAULT.texts.b


def sentence(bundled: Backend, a: str, b: str, **fields: object) -> str:
    selection = with_values(DEFAULT, {"a": a, "b": b, **fields})
    traces = [bundled.trace(text) for text in (a, b) if text]
    return shared_word_sentence(traces, list(map(word_classes, traces)), selection)


def test_the_opening_page_says_that_flies_is_a_verb_and_a_noun(bundled: Backend) -> None:
    assert sentence(bundled, A, B) == "The model reads “flies” as a verb in A (93 %) and as a noun in B (96 %)."


def test_the_chosen_probe_is_read(bundled: Backend) -> None:
    assert "as a verb in A (80 %) and as a noun in B (91 %)" in sentence(bundled, A, B, tags="all")


def test_words_chosen_in_the_lens_take_the_place_of_the_shared_one(bundled: Backend) -> None:
    said = sentence(bundled, A, B, at_a=4, at_b=4)
    assert said == "The model reads “arrow” in A as a noun (96 %) and “banana” in B as a noun (72 %)."


@pytest.mark.parametrize(("a", "b"), [("time flies", "dogs bark loudly"), ("The old man the boats", "zebra " * 600)])
def test_without_a_shared_word_it_is_the_least_sure_word_of_each_sentence(bundled: Backend, a: str, b: str) -> None:
    single = [sentence(bundled, text, "") for text in (a, b)]
    words = [re.fullmatch(r"The model reads “(\w+)” (as .+)\.", each) for each in single]
    one, other = (found.groups() for found in words if found)
    assert sentence(bundled, a, b) == f"The model reads “{one[0]}” in A {one[1]} and “{other[0]}” in B {other[1]}."


def test_texts_without_words_have_no_sentence(bundled: Backend) -> None:
    assert sentence(bundled, "…", "🙂") == ""


def test_a_pair_is_read_as_one_text(bundled: Backend) -> None:
    pair = replace(DEFAULT, texts=replace(DEFAULT.texts, mode="pair"))
    said = {}
    for a, b in ((A, B), ("The old man the boats", "dogs bark")):
        trace = bundled.trace(a, b)
        said[b] = shared_word_sentence([trace], [word_classes(trace)], pair)
    assert re.fullmatch(r"The model reads “flies” as a noun in A \(\d+ %\) and as a noun in B \(\d+ %\)\.", said[B])
    assert re.fullmatch(r"The model reads “\w+” in A as an? \w+ \(.+\) and “\w+” in B as an? .+\.", said["dogs bark"])


def test_a_single_text_has_a_sentence_about_its_least_sure_word(bundled: Backend) -> None:
    assert sentence(bundled, "The old man the boats", "") == "The model reads “man” as a noun (91 %)."
