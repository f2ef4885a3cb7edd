"""Examples and the likeness of heads: small cases worked out by hand."""

import math

import numpy as np
import pyarrow as pa
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from encoder import Backend
from encoder.atlas.claims import Chosen, choose
from encoder.atlas.counts import arcs_of
from encoder.atlas.examples import PER_KIND, ArcWeights, HabitPlaces, habit_examples, keep_best, relation_examples
from encoder.atlas.habits import features_of
from encoder.atlas.layout import Encoded, lay_out
from encoder.atlas.likeness import combine, divergences, head_places
from encoder.atlas.names import SHARES
from encoder.atlas.reduction import reduce_batch
from encoder.atlas.tables import LIKENESS
from tests.encoder.atlas.small_corpus import ROWS, sentence_of, word_attention
from tests.encoder.atlas.test_claims import counts_with, relation


@pytest.fixture(scope="module")
def texts(bundled: Backend) -> list[Encoded]:
    sentences = [sentence_of(row, number) for number, row in enumerate(ROWS)]
    return [Encoded(sentence, bundled.tokenize(sentence.words)) for sentence in sentences]


def test_heads_that_share_nothing_are_one_bit_apart_and_equal_ones_none() -> None:
    rows = torch.tensor([[[1.0, 0.0]], [[0.0, 1.0]], [[0.5, 0.5]]])
    found = divergences(rows)[..., 0].numpy()
    # Between (1, 0) and (1/2, 1/2): the entropy of (3/4, 1/4), less half a bit.
    between = -(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25)) - 0.5
    np.testing.assert_allclose(found, [[0, 1, between], [1, 0, between], [between, between, 0]], atol=1e-6)


@given(st.lists(st.lists(st.floats(0.01, 1), min_size=4, max_size=4), min_size=2, max_size=5))
def test_divergence_is_symmetric_and_within_0_and_1_bit(given_rows: list[list[float]]) -> None:
    rows = torch.tensor(given_rows)[:, None]
    found = divergences(rows / rows.sum(-1, keepdim=True))[..., 0].numpy()
    np.testing.assert_allclose(found, found.T, atol=1e-6)
    assert (found >= 0).all()
    assert (found <= 1 + 1e-6).all()


def test_samples_are_weighted_by_words_and_heads_placed_by_distance() -> None:
    at = {"layer": 0, "head": 0, "other_layer": 0, "other_head": 1}
    tables = [
        pa.Table.from_pylist([{**at, "n": n, "divergence": value}], schema=LIKENESS)
        for n, value in ((1, 1.0), (3, 0.2))
    ]
    (row,) = combine(tables)
    assert (row["n"], row["divergence"]) == (4, pytest.approx(0.4))
    places = head_places([row], 1, 2)
    assert np.linalg.norm(places[0, 0] - places[0, 1]) == pytest.approx(0.4**0.5)


def test_the_map_of_a_single_head_is_a_point() -> None:
    assert head_places([], 1, 1).tolist() == [[[0.0, 0.0]]]


def test_examples_name_the_words_that_are_looked_at(bundled: Backend, texts: list[Encoded]) -> None:
    previous = SHARES.index("offset -1")
    chosen = Chosen([[previous] * 12 for _ in range(6)], {(2, 8): ("det", 0)})
    layout = lay_out(bundled, texts)
    features, arcs = features_of(layout), arcs_of(texts, layout)
    places, weights = HabitPlaces(chosen, features), ArcWeights(arcs)
    reduced = reduce_batch(bundled, layout, features, places, weights)
    attention, _ = word_attention(bundled.trace(list(texts[0].sentence.words)))
    shares = np.diagonal(attention[1, 5, 1:7, 1:7], offset=-1)
    rows = [
        row
        for row in habit_examples(texts, reduced, places)
        if (row["layer"], row["head"], row["where"], row["kind"]) == (1, 5, "small:0", "hardest")
    ]
    (row,) = rows
    assert (row["query"], row["key"]) == (shares.argmax() + 1, shares.argmax())
    assert row["value"] == pytest.approx(shares.mean(), abs=1e-5)
    for row in relation_examples(texts, reduced, weights, chosen):
        assert (row["layer"], row["head"], row["about"], row["direction"]) == (2, 8, "det", "dependent to head")
        is_right = (row["where"], row["query"], row["key"]) in {("small:0", 3, 4), ("small:1", 0, 1), ("small:1", 3, 4)}
        assert (
            (row["kind"] == "failing" and not is_right)
            or (row["kind"] == "hardest" and is_right)
            or (row["kind"] == "random")
        )


def test_as_many_examples_are_kept_as_the_readme_says_each_sentence_once() -> None:
    at = {"layer": 0, "head": 0, "about": "det", "direction": "dependent to head", "query": 0, "key": 1}
    rows = [
        {**at, "kind": kind, "where": f"file:{number // 2}", "value": 0.0, "order": float(number)}
        for kind in PER_KIND
        for number in range(90)
    ]
    kept = keep_best(rows)
    assert {kind: sum(row["kind"] == kind for row in kept) for kind in PER_KIND} == {
        "hardest": 20,
        "random": 20,
        "failing": 10,
    }
    hardest = [row for row in kept if row["kind"] == "hardest"]
    assert [row["order"] for row in hardest[:3]] == [89.0, 87.0, 85.0]


def test_a_head_shows_the_relation_in_which_it_leads_the_offset_by_most() -> None:
    counts = counts_with(
        {
            "obj": relation(100, {(0, 0, 1): 60, (0, 0, 2): 90}, {-1: 50}),
            "det": relation(100, {(0, 0, 1): 70, (1, 0, 1): 95}, {1: 60}),
            "rare": relation(9, {(0, 0, 0): 9}, {1: 1}),
        }
    )
    assert choose(counts, fewest=50).relations == {(0, 1): ("det", 1), (0, 2): ("obj", 0)}
