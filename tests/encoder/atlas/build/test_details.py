"""Examples: small cases worked out by hand."""

import numpy as np
import pytest

from encoder import Backend
from encoder.atlas.build.claims import Chosen, choose
from encoder.atlas.build.counts import arcs_of
from encoder.atlas.build.examples import PER_KIND, ArcWeights, HabitPlaces, habit_examples, keep_best, relation_examples
from encoder.atlas.build.habits import features_of
from encoder.atlas.build.layout import Encoded, lay_out
from encoder.atlas.build.reduction import reduce_batch
from encoder.atlas.names import SHARES
from tests.encoder.atlas.build.test_claims import counts_with, relation
from tests.encoder.atlas.small_corpus import word_attention


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
