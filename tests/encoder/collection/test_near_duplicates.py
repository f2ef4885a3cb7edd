"""Pairs of texts that share nearly all of their words: those of a slow loop, and what is planted."""

from __future__ import annotations

from itertools import combinations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from encoder.collection.near_duplicates import LIKENESS, near_duplicates
from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.table import Collection

TEXTS = st.lists(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=9).map(" ".join), min_size=1, max_size=12)


def table(texts: list[str]) -> Collection:
    return Collection.of("table", pa.table({"text": texts}), text="text")


@given(TEXTS)
def test_pairs_are_those_of_a_slow_loop(texts: list[str]) -> None:
    sets = [set(text.split()) for text in texts]
    expected = {
        (first, second)
        for first, second in combinations(range(len(sets)), 2)
        if len(sets[first] & sets[second]) >= LIKENESS * len(sets[first] | sets[second])
    }
    found = near_duplicates(table(texts))
    assert {(int(first), int(second)) for first, second in found.pairs} == expected
    assert (found.likeness >= LIKENESS).all()


def test_planted_copies_are_found_and_nothing_else_is() -> None:
    texts = shipped_collection("reviews").column("text")
    copies = [f"{text.upper()} really" for text in texts[:20] if len(text.split()) > 8]
    found = near_duplicates(table([*texts, *copies]))
    assert len(found.pairs) == len(copies)
    assert (found.pairs[:, 1] >= len(texts)).all()
    assert found.by_chance == 0
    assert found.copies_found > 0.95


def test_texts_without_words_are_no_pair() -> None:
    assert not len(near_duplicates(table(["...", "!!!", "?"])).pairs)
