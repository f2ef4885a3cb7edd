"""What is claimed of counts that are made up, worked out by hand."""

from collections import Counter

import numpy as np
import pytest

from encoder.atlas.build.claims import (
    all_relations,
    best_offset,
    habit_rows,
    head_relation_rows,
    head_rows,
    relation_rows,
)
from encoder.atlas.build.counts import Counts, RelationCounts
from encoder.atlas.names import HABITS, OFFSETS
from encoder.measures.inference import wilson_interval
from tests.rounding import Written


def relation(n: int, right: dict[tuple[int, int, int], int], offsets: dict[int, int]) -> RelationCounts:
    found = np.zeros((2, 1, 3), dtype=np.int64)
    for at, count in right.items():
        found[at] = count
    return RelationCounts(found, n, Counter(offsets))


def counts_with(relations: dict[str, RelationCounts]) -> Counts:
    counts = Counts.none(1, 3)
    counts.relations = relations
    return counts


def test_the_head_is_chosen_on_one_half_and_measured_on_the_other() -> None:
    choosing = counts_with({"obj": relation(10, {(0, 0, 1): 9, (0, 0, 2): 5, (1, 0, 0): 7}, {-2: 6, -1: 4})})
    measuring = counts_with({"obj": relation(200, {(0, 0, 1): 140, (0, 0, 2): 190, (1, 0, 0): 50}, {-2: 80, -1: 120})})
    forward, backward = (row for row in relation_rows(choosing, measuring) if row["relation"] == "obj")
    assert (forward["relation"], forward["direction"]) == ("obj", "dependent to head")
    assert (forward["layer"], forward["head"], forward["accuracy"]) == (0, 1, 0.7)
    assert (forward["offset"], forward["offset_accuracy"], forward["n"]) == (-2, 0.4, 200)
    assert (forward["low"], forward["high"]) == pytest.approx((0.6332, 0.7592), abs=Written(1e-4))
    assert (forward["chosen_accuracy"], forward["chosen_n"]) == (0.9, 10)
    assert forward["syntactic"]
    # Among 3 heads and 4 claims, the interval is that of 99.58 %.
    assert forward["corrected_low"] == pytest.approx(wilson_interval(140, 200, 1 - 0.05 / 12)[0])
    assert (backward["direction"], backward["head"], backward["accuracy"]) == ("head to dependent", 0, 0.25)
    assert (backward["offset"], backward["offset_accuracy"]) == (2, 0.4)
    assert not backward["syntactic"]


def test_a_relation_with_few_examples_or_none_to_choose_by_is_not_claimed() -> None:
    choosing = counts_with({"obj": relation(10, {}, {1: 10})})
    measuring = counts_with({"obj": relation(149, {}, {1: 149}), "iobj": relation(500, {}, {1: 500})})
    assert [row["relation"] for row in relation_rows(choosing, measuring)] == ["all", "all"]
    measuring.relations["obj"].n = 150
    assert [row["relation"] for row in relation_rows(choosing, measuring)] == ["all", "all", "obj", "obj"]


def test_subtypes_stand_alone_and_together() -> None:
    halves = [
        counts_with({"acl": relation(100, {(0, 0, 0): 90}, {-1: 100}), "acl:relcl": relation(60, {}, {-2: 60})})
        for _ in range(2)
    ]
    rows = {row["relation"]: row for row in relation_rows(*halves)}
    assert set(rows) == {"acl:*", "all"}
    assert rows["acl:*"]["n"] == 160


def test_all_relations_together_take_each_its_own_head_and_offset() -> None:
    choosing = counts_with({"obj": relation(10, {(0, 0, 1): 9}, {-2: 10}), "det": relation(5, {(0, 0, 2): 5}, {1: 5})})
    measuring = counts_with(
        {
            "obj": relation(10, {(0, 0, 1): 4}, {-2: 3, -1: 7}),
            "det": relation(20, {(0, 0, 2): 15}, {1: 12, 2: 8}),
            "new": relation(10, {(0, 0, 0): 10}, {1: 10}),
        }
    )
    assert all_relations(choosing, measuring) == {"n": 40, "accuracy": 19 / 40, "offset_accuracy": 15 / 40}
    assert all_relations(choosing, counts_with({})) is None


def test_of_equal_offsets_the_nearest_is_best() -> None:
    assert best_offset(relation(8, {}, {2: 4, 1: 4}), 0) == 1
    assert best_offset(relation(8, {}, {2: 4, 1: 4}), 1) == -1
    assert best_offset(relation(8, {}, {-1: 4, 1: 4}), 0) == 1


def test_habits_are_means_over_the_sentences_that_have_them() -> None:
    counts = counts_with({})
    index = HABITS.index("offset -1")
    counts.habit_sentences[index] = 6
    counts.habit_sums[0, 0, index], counts.habit_squares[0, 0, index] = 3.0, 2.0  # such as 0, 0.5, 0.5, 0.5, 0.5, 1
    counts.chance_sums[index] = 1.5
    row = next(habit_rows(counts))
    assert (row["habit"], row["mean"], row["chance"], row["n"]) == ("offset -1", 0.5, 0.25, 6)
    assert row["high"] - 0.5 == pytest.approx(2.570582 * (0.5 / 5 / 6) ** 0.5)  # Student's t


def test_a_head_shows_the_relation_in_which_it_led_by_most() -> None:
    offsets = {-1: 100}
    choosing = counts_with(
        {
            "obj": relation(200, {(0, 0, 0): 130, (0, 0, 1): 190, (0, 0, 2): 160}, offsets),
            "det": relation(200, {(0, 0, 0): 180, (1, 0, 1): 150}, offsets),
        }
    )
    measuring = counts_with(
        {
            "obj": relation(200, {(0, 0, 0): 200, (0, 0, 1): 180, (0, 0, 2): 115}, offsets),
            "det": relation(200, {(0, 0, 0): 150}, offsets),
            "new": relation(900, {(0, 0, 2): 900}, offsets),
        }
    )
    rows = head_relation_rows(choosing, measuring)
    assert len(rows) == 2 * 2 * 3  # of a relation that the choosing half lacks nothing is claimed
    (row,) = (
        row for row in rows if (row["relation"], row["direction"], row["head"]) == ("obj", "dependent to head", 1)
    )
    assert (row["accuracy"], row["offset"], row["offset_accuracy"], row["n"]) == (0.9, -1, 0.5, 200)
    assert (row["chosen_accuracy"], row["chosen_offset_accuracy"], row["syntactic"]) == (0.95, 0.5, True)
    heads = head_rows(choosing, measuring)
    # Head 0 led by more in det, whatever it finds of obj here; head 2 is no better than the offset by 10 points.
    assert [row["relation"] for row in heads] == ["det", "obj", None]


def test_habits_need_to_exceed_other_heads_and_one_offset_is_positional() -> None:
    choosing, measuring = counts_with({}), counts_with({})
    for counts in (choosing, measuring):
        index = HABITS.index("[CLS]")
        counts.habit_sentences[index], counts.chance_sums[index] = 10, 2.0
        counts.habit_sums[0, :, index] = 9.0, 2.0, 1.0
        counts.habit_squares[0, :, index] = 8.2, 0.4, 0.1
        counts.looks = 100
        counts.looks_at[0, 2, OFFSETS.index(-1)] = 91
        counts.looks_at[0, 1, OFFSETS.index(1)] = 89
    first, even, positional = head_rows(choosing, measuring)
    # The median of the three heads is .2, as even attention is.
    assert (first["habit"], first["baseline"], first["special"]) == ("[CLS]", pytest.approx(0.2), "habit")
    assert (even["habit"], even["special"]) == (None, None)
    assert (positional["peak_offset"], positional["peak_share"], positional["positional"]) == (-1, 0.91, True)
    assert (even["peak_offset"], even["positional"]) == (1, False)
