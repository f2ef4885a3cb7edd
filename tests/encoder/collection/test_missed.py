"""Why a text was not found: planted causes are named, and edits and places are those of a new search."""

from itertools import islice

import numpy as np
import pytest

from encoder import Backend
from encoder.collection.lexical import WordIndex, words_of
from encoder.collection.missed import Missed, why_not
from encoder.collection.missed_case import FOUND
from encoder.collection.missed_causes import Cause
from encoder.collection.search import GrowingVectors, embed_rows, search
from encoder.collection.shipped_sets import shipped_collection
from encoder.errors import SelectionError
from encoder.lab.evaluation.missed import planted
from encoder.lab.evaluation.plants import KINDS, Plants, passages_among

QUERY, ROW = "how do I know when a cake is done", 145


@pytest.fixture(scope="module")
def vectors(bundled: Backend) -> GrowingVectors:
    into = GrowingVectors(shipped_collection("passages"))
    embed_rows(bundled, into)
    return into


@pytest.fixture(scope="module")
def skewer(bundled: Backend, vectors: GrowingVectors) -> Missed:
    return why_not(bundled, vectors.collection, QUERY, ROW, vectors)


@pytest.fixture(scope="module")
def plants(bundled: Backend) -> Plants:
    return passages_among(bundled, shipped_collection("reviews").column("text", range(40)))


@pytest.mark.parametrize("cause", KINDS)
def test_a_planted_cause_is_named(bundled: Backend, plants: Plants, cause: Cause | None) -> None:
    [(_, found)] = islice(planted(bundled, plants, each=1, seed=1, causes=[cause]), 1)
    assert found.cause == cause
    assert found.place > FOUND


def test_an_edit_finds_the_text_in_a_new_search(bundled: Backend, vectors: GrowingVectors, skewer: Missed) -> None:
    assert (skewer.place, skewer.cause) == (12, None)
    edit = skewer.edit
    assert edit is not None
    assert edit.words == ("skewer",)
    again = search(bundled, vectors.collection, f"{QUERY} skewer", vectors).ranking
    assert edit.place == again.place_of(ROW) <= FOUND
    assert edit.random_found <= 2
    assert edit.runs <= 50


def test_a_text_that_is_found_has_no_cause(bundled: Backend, vectors: GrowingVectors) -> None:
    found = why_not(bundled, vectors.collection, "how much sleep do adults need", 1, vectors)
    ranking = search(bundled, vectors.collection, "how much sleep do adults need", vectors).ranking
    assert (found.place, found.cause, found.edit, found.winner) == (1, None, None, int(ranking.rows[1]))


def test_the_only_text_of_a_table_is_found(bundled: Backend) -> None:
    assert why_not(bundled, shipped_collection("passages").select([0]), "film", 0).winner == 0


def test_columns_have_a_row_for_each_cause(skewer: Missed) -> None:
    assert skewer.columns["cause"] == [check.cause for check in skewer.checks]
    assert {*filter(None, KINDS), "missing prompt", "near to everything"} == set(skewer.columns["cause"])
    assert skewer.rest["edit"] == {"words": ("skewer",), "place": 1}


def test_a_row_that_is_not_there_is_refused(bundled: Backend, vectors: GrowingVectors) -> None:
    with pytest.raises(SelectionError, match="Row 150 was asked for; the table has rows 0 to 149"):
        why_not(bundled, vectors.collection, QUERY, 150, vectors)


def test_bm25_is_that_of_a_slow_loop() -> None:
    texts = ["The cat sat on the mat.", "A dog sat.", "Cats and dogs: the cat, the cat!", ""]
    query, k, b = "the cat", 1.5, 0.75
    words = [words_of(text) or [""] for text in texts]
    mean = np.mean([len(each) for each in words])
    expected = np.zeros(len(texts))
    for word in words_of(query):
        having = sum(word in each for each in words)
        idf = np.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
        for row, each in enumerate(words):
            count = each.count(word)
            expected[row] += idf * count / (count + k * (1 - b + b * len(each) / mean))
    np.testing.assert_allclose(WordIndex(texts).scores(query), expected, rtol=1e-5)
    assert WordIndex(texts).scores("zebra").tolist() == [0, 0, 0, 0]
