"""Search: rankings equal sentence-transformers', and MaxSim a slow loop."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder import Backend
from encoder.collection.search import (
    GrowingVectors,
    embed_rows,
    found_among,
    is_reranker,
    max_sim,
    max_sim_of_pair,
    most_moved,
    pairs_of_rows,
    rank,
    rerank,
    search,
)
from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.table import Collection
from encoder.comparison.text_vectors import text_vectors
from encoder.errors import ArgumentError, DataError, InputError, UnsupportedModelError

QUERY = "how much sleep do adults need"
ROWS = range(12)


@pytest.fixture(scope="module")
def passages() -> Collection:
    return shipped_collection("passages").select(ROWS)


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.25, 1.0]), min_size=1, max_size=20))
def test_equal_scores_keep_the_order_of_the_table(scores: list[float]) -> None:
    ranking = rank(np.array(scores, np.float32))
    assert ranking.rows.tolist() == sorted(range(len(scores)), key=lambda row: (-scores[row], row))
    assert [ranking.place_of(int(row)) for row in ranking.rows] == list(range(1, len(scores) + 1))


def test_reading_continues_after_the_rows_that_are_there(bundled: Backend, passages: Collection) -> None:
    whole, growing = GrowingVectors(passages), GrowingVectors(passages)
    embed_rows(bundled, whole)
    growing.append(whole.vectors[:5])
    seen: list[tuple[int, int]] = []
    embed_rows(bundled, growing, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(5, 12), (12, 12)]
    np.testing.assert_allclose(growing.vectors, whole.vectors, atol=2e-6)


def test_a_blank_text_is_named_by_its_row(bundled: Backend) -> None:
    table = pa.table({"query": ["a", "b"], "text": ["a text", " "]})
    blank = Collection.of("mine.csv", table, text="query", text_b="text")
    with pytest.raises(DataError, match="Row 2 has no text in column 'text'"):
        embed_rows(bundled, GrowingVectors(blank))
    with pytest.raises(InputError, match="A query is one text, and not a tuple"):
        search(bundled, blank, ("a", "b"))  # type: ignore[arg-type]


def test_max_sim_equals_a_loop_over_words(bundled: Backend) -> None:
    query, text = bundled.trace("unbelievable sleep"), bundled.trace("sleep is needed by adults")
    found = max_sim(query, text, level="words")
    last = query.hidden_states[-1]
    own = [last[1:-2].mean(0), last[-2]]  # the pieces of the first word, and the second word
    for row, state in enumerate(own):
        for column, other in enumerate(text.hidden_states[-1][1:-1]):
            cosine = state @ other / np.linalg.norm(state) / np.linalg.norm(other)
            assert found.cosines[row, column] == pytest.approx(cosine, abs=1e-5)
    assert found.score == pytest.approx(found.cosines.max(axis=1).sum())
    assert found.b[found.best[1]] == "sleep"


def test_max_sim_of_a_pair_splits_the_states_of_one_run(bundled: Backend) -> None:
    pair = bundled.trace("sleep well", "adults need sleep")
    found = max_sim_of_pair(pair, level="words")
    assert (found.a, found.b) == (("sleep", "well"), ("adults", "need", "sleep"))
    states = pair.hidden_states[-1] / np.linalg.norm(pair.hidden_states[-1], axis=-1, keepdims=True)
    np.testing.assert_allclose(found.cosines, states[1:3] @ states[4:7].T, atol=1e-5)


@given(st.permutations(range(30)))
def test_rows_among_the_first_of_either_are_sorted_by_how_far_they_move(order: list[int]) -> None:
    one, other = rank(-np.arange(30, dtype=np.float32)), rank(-np.argsort(order).astype(np.float32))
    rows = most_moved(one, other)
    apart = [abs(one.place_of(row) - other.place_of(row)) for row in rows]
    assert set(rows) == {*range(10), *order[:10]}
    assert apart == sorted(apart, reverse=True)
    assert other.places[order].tolist() == list(range(1, 31))


def test_only_a_head_with_one_score_reranks(bundled: Backend, passages: Collection) -> None:
    assert not is_reranker(bundled)
    with pytest.raises(UnsupportedModelError, match="no head that gives a pair of texts one score"):
        rerank(bundled, passages, QUERY)


def test_texts_of_a_row_are_compared_with_those_of_others(bundled: Backend) -> None:
    negations = shipped_collection("negations").select([*range(19), 0])  # the last row is the first again
    found = pairs_of_rows(bundled, negations)
    first, second = (
        text_vectors(bundled, [bundled.tokenize(text) for text in negations.column(name)])
        for name in ("text", "text_b")
    )
    np.testing.assert_allclose(found.cosines, (first * second).sum(axis=1), atol=2e-5)
    for row in range(20):
        rivals = [first[row] @ second[other] for other in range(20) if other % 19 != row % 19]
        assert found.nearest[row] == (found.cosines[row] >= max(rivals))
    assert np.median(found.others) < np.median(found.cosines)
    with pytest.raises(DataError, match="Two columns of texts"):
        pairs_of_rows(bundled, shipped_collection("reviews"))


def test_a_relevant_row_counts_if_it_is_among_the_first() -> None:
    rankings = [rank(np.array(scores, np.float32)) for scores in ([0.9, 0.1, 0.5], [0.1, 0.2, 0.3])]
    assert [found_among(rankings, [[2], [2]], k) for k in (1, 2, 3)] == [0.5, 1.0, 1.0]
    with pytest.raises(ArgumentError, match="at least 1 is needed"):
        found_among(rankings, [[2], [2]], -1)
