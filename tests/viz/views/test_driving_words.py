"""Driving words as an answer: the first word in a sentence, charts and tables, and what the tests found."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pyarrow as pa
import pytest

from encoder.collection.driving_heads import SilencedHeads
from encoder.collection.driving_words import DrivingWords, RowWords, WordRemoval, words_of_rows
from encoder.collection.kinds.base import Results
from encoder.collection.kinds.classes import Labels
from encoder.collection.order_quality import OrderQuality
from encoder.collection.row_labels import NO_LABEL
from encoder.collection.table import Collection
from encoder.measures.inference import Interval
from tests.encoder.collection.made_results import results as results_of
from tests.viz.answers.parts import said
from viz.answers.answer import Chart
from viz.answers.collection.filters import filter_choices, filter_of_mistakes, filter_of_typed
from viz.state.selection import Table as Selected
from viz.theme import THEMES
from viz.views.driving_words import answer as answers

ROWS, WORDS = 24, 5
GOLD = np.arange(ROWS) % 2
PREDICTED = np.where(np.arange(ROWS) < 8, 1 - GOLD, GOLD)  # eight errors
TABLE = Collection.of(
    "t", pa.table({"text": [f"t{row}" for row in range(ROWS)], "own": ["x"] * ROWS}), text="text", label="own"
)


SHARES = np.where(np.stack([1 - PREDICTED, PREDICTED], axis=1), 0.73, 0.27)
LENGTHS = np.full(ROWS, 7, np.int32)


@pytest.fixture(scope="module")
def results() -> Results:
    return results_of(SHARES, GOLD, lengths=LENGTHS)


@pytest.fixture(scope="module")
def found() -> DrivingWords:
    return words_of_rows(row_words(1.0))


def row_words(push: float) -> RowWords:
    """Words of `*not*`, "b" to "e": the first adds `push` in every row, the others noise."""
    values = np.random.default_rng(0).normal(0, 0.2, size=(ROWS, WORDS)).astype(np.float32)
    values[:, 0] += push
    return RowWords(
        rows=np.arange(ROWS),
        targets=PREDICTED,
        forms=("*not*", "b", "c", "d", "e"),
        row=np.repeat(np.arange(ROWS), WORDS),
        form=np.tile(np.arange(WORDS), ROWS),
        values=values.ravel(),
    )


def test_the_first_word_is_named_with_its_rows_and_its_interval(found: DrivingWords, results: Results) -> None:
    answer = answers.words(found, TABLE, results, rows="all", driven="", model_name="m")
    mean, low, high = found.means[0], found.low[0], found.high[0]
    assert said(answer).startswith(
        "**“\\*not\\*” pushes 24 of 24 rows to the predicted class**, by "
        f"{mean:.1f} log odds on average (95 % interval {low:.1f} to {high:.1f}). Corrected "
        "for 5 words, p < 0.001."
    )
    [chart] = [part for part in answer.parts if isinstance(part, Chart)]
    shuffled, dots, others = chart.figure(THEMES["light"]).data
    np.testing.assert_allclose([*dots.x, *others.x], found.means)
    np.testing.assert_allclose([*dots.error_x.array, *others.error_x.array], found.high - found.means, atol=1e-6)
    np.testing.assert_allclose(shuffled.base, found.control_low)
    np.testing.assert_allclose(np.add(shuffled.base, shuffled.x), found.control_high, atol=1e-6)


@pytest.mark.parametrize(
    ("rows", "driven", "pushed"),
    [
        ("errors", "", "errors to the wrong class"),
        ("all", "good", "rows to good"),
        ("errors", "bad", "errors to bad"),
        ("own=x & errors & ~t", "", "errors (own: x, text with “t”) to the wrong class"),
        ("false positives of good", "", "false positives to good"),
        ("false negatives of good", "", "false negatives of good to the wrong class"),
        ("bad>good", "", "rows (bad, predicted good) to good"),
        ("own=x", "good", "rows (own: x) to good"),
        ("~t1", "", "rows (text with “t1”) to the predicted class"),
        ("rows 1-3", "bad", "rows (chosen in the table) to bad"),
    ],
)
def test_the_class_is_named(found: DrivingWords, results: Results, rows: str, driven: str, pushed: str) -> None:
    answer = answers.words(found, TABLE, results, rows=rows, driven=driven, model_name="m")
    assert f"pushes 24 of 24 {pushed}**" in said(answer)


def test_words_that_add_as_much_as_chance_are_not_accused(results: Results) -> None:
    answer = answers.words(words_of_rows(row_words(0.0)), TABLE, results, rows="errors", driven="", model_name="m")
    assert "**No word pushes these 24 errors to the wrong class beyond chance**" in said(answer)
    assert "beyond chance**: of 5 words of at least 3 rows, the smallest p = 0." in said(answer)
    rare = RowWords(
        rows=np.array([2]),
        targets=PREDICTED[2:3],
        forms=("b",),
        row=np.zeros(1, np.intp),
        form=np.zeros(1, np.intp),
        values=np.ones(1, np.float32),
    )
    few = said(answers.words(words_of_rows(rare), TABLE, results, rows="rows 2", driven="", model_name="m"))
    assert few.startswith("**No word pushes this row to the predicted class beyond chance**")
    assert few.endswith(
        "beyond chance**: none is in at least 3 of them. “b” leads, in 1 of them, by 1.0 log odds on "
        "average (one row: too few for an interval)."
    )


def test_rows_to_choose_from_are_mistakes_cells_and_slices(results: Results) -> None:
    assert filter_choices(TABLE, results) == {
        "false positives of bad": "False positives of bad (4)",
        "false positives of good": "False positives of good (4)",
        "false negatives of bad": "False negatives of bad (4)",
        "false negatives of good": "False negatives of good (4)",
        "bad>bad": "bad, predicted bad (8)",
        "good>good": "good, predicted good (8)",
        "tokens=7-7": "7 to 7 tokens (24)",
    }


@pytest.mark.parametrize(
    ("typed", "rows"),
    [("T1", "~T1"), ("own=x", "own=x"), ("rows 3", "rows 3"), ("rows 99", "~rows 99"), ("a\tb", "~ab"), ("2", "~2")],
)
def test_what_is_typed_is_a_filter_or_searched_in_the_texts(results: Results, typed: str, rows: str) -> None:
    assert filter_of_typed(typed, TABLE, results) == rows


def test_classes_whose_names_fit_no_address_are_named_by_number(results: Results) -> None:
    long = replace(results, labels=("bad", "x" * 2_000))
    assert filter_of_mistakes("false positives of ", 1, long) == "false positives of 1"
    assert filter_of_mistakes("false positives of ", 0, long) == "false positives of bad"


def test_filters_of_other_tables_are_all_rows(results: Results) -> None:
    for rows, shown in (("topic=hotel", "all"), ("rows 24", "all"), ("rows 23", "rows 23"), ("~none", "~none")):
        assert answers.chosen_rows(Selected(rows=rows, driven="x"), TABLE, results) == (shown, "")


def removal(*words: str) -> WordRemoval:
    return WordRemoval(
        words=words,
        count=24,
        change=Interval(-0.3, -0.4, -0.2, 24),
        control=-0.001,
        flips=9,
        control_flips=1,
        repaired=3,
        broken=6,
    )


def test_removals_stand_next_to_random_words(found: DrivingWords, results: Results) -> None:
    removals = [removal("*not*"), removal("b", "*not*")]
    sentence = said(answers.removals_in_words(removals, results, driven="", model_name="m"))
    assert sentence == (
        "**Without “\\*not\\*”**, the probability of the predicted class changes by −0.30 in the 24 rows of the whole "
        "table that have it; 9 of them change class (1 without another, random word): 3 become right and 6 "
        "wrong. **Without the first 2 words together**, it changes by −0.30 in 24 "
        "rows; 9 of them change class (1 without as many random words): "
        "3 become right and 6 wrong."
    )
    unchanged = replace(removal("b"), count=1, flips=0, repaired=0, broken=0)
    assert said(answers.removals_in_words([unchanged], results, driven="good", model_name="m")) == (
        "**Without “b”**, the probability of good changes by −0.30 in the 1 row of the whole table that has it; none "
        "of them changes class (1 without another, random word)."
    )
    columns = answers.table(found, removals, results)
    assert list(columns["flips"]) == [9, None, None, None, None]
    assert str(columns["random word"][0]) == "0.0"
    assert answers.removals_in_words(removals, results, driven="", model_name="scratch-untrained").parts == ()
    unlabelled = replace(results, gold=np.full(ROWS, NO_LABEL))
    assert list(answers.table(found, removals, unlabelled)) == list(columns)[:-2]
    labels = results_of(SHARES, np.stack([1 - GOLD, GOLD], axis=1), kind=Labels, lengths=LENGTHS)
    assert labels.correct is not None
    assert list(answers.table(found, removals, labels)) == list(columns)[:-2]
    assert "9 of them change label" in said(answers.removals_in_words(removals, labels, driven="", model_name="m"))


def test_a_word_lists_its_rows_where_it_adds_most_first(found: DrivingWords, results: Results) -> None:
    columns = answers.rows_of_word(found, "*not*", TABLE, results)
    rows, adds = np.array(columns["row"], np.intp), np.array(columns["adds"], np.float32)
    assert list(columns["text"]) == [f"t{row - 1}" for row in rows]
    assert (np.diff(adds) <= 0).all()
    assert list(columns) == ["row", "adds", "text", "prediction", "own label"]


def test_the_order_is_compared_with_random_orders_and_with_the_best(results: Results) -> None:
    found = OrderQuality(
        rows=np.arange(9),
        areas=np.linspace(0.28, 0.32, 9, dtype=np.float32),
        random=np.full(9, 0.1, np.float32),
        places=np.where(np.arange(9) < 4, 0.84, np.nan).astype(np.float32),
        random_places=np.where(np.arange(9) < 4, 0.4, np.nan).astype(np.float32),
    )
    sentence = said(answers.order_quality(found, results))
    assert "better than random orders" in sentence
    assert "The difference is +0.20 (95 % interval +0.19 to +0.21; 9 rows)." in sentence
    assert "this order is at 84 % on average, and a random one at 40 %" in sentence
    few = OrderQuality(**{name: column[:1] for name, column in asdict(found).items()})
    assert "too few words" in said(answers.order_quality(few, results))


def test_heads_are_compared_with_all_others_with_the_errors_they_make(results: Results) -> None:
    flipped = np.zeros((2, 3, ROWS), np.bool_)
    flipped[1, 2, :10] = True
    flipped[0, 0, 3] = True
    wrong = (results.gold != results.predicted)[None, None]
    found = SilencedHeads(
        rows=np.arange(ROWS),
        shifts=np.ones((2, 3, ROWS), np.float32),
        flipped=flipped,
        repaired=flipped & wrong,
        broken=flipped & ~wrong,
        num_wrong=8,
    )
    answer = answers.heads(found, (1, 2), results)
    assert said(answer).startswith(
        "**Without layer 1, head 2, 10 of 24 rows change class**, more than without any other head; the median of "
        "the 6 heads that can change a row is 0. Chosen on every second row, layer 1, head 2 changes 5 of the other 12."
    )
    assert "**Without layer 1, head 2, 8 of 8 errors become right** and 2 right rows wrong" in said(answer)
    [chart] = answer.charts
    assert chart.heads[-1] == (1, 2)
    assert "these errors become right" in said(answers.errors_of_head(found, (1, 2), TABLE, results))
    assert "no error becomes right" in said(answers.errors_of_head(found, (1, 0), TABLE, results))
