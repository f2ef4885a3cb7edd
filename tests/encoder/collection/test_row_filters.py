"""Filters of rows: what the model predicts for them, their cells, their numbers, and what does not apply."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.collection.kinds.base import Results
from encoder.collection.kinds.classes import Labels, WithShares
from encoder.collection.row_filters import (
    FALSE_NEGATIVES,
    FALSE_POSITIVES,
    add_filter,
    filtered,
    find_mistakes,
    name_of_rows,
    parts_of,
    select_rows,
)
from encoder.collection.row_labels import NO_LABEL
from encoder.collection.table import Collection
from encoder.errors import SelectionError
from tests.encoder.collection.made_results import results as results_of

LABELS = ("bad", "good", "so-so")
ROWS = 30
OWN = np.random.default_rng(0).integers(NO_LABEL, 3, ROWS)
LOGITS = np.random.default_rng(1).normal(size=(ROWS, 3)).astype(np.float32)
TABLE = Collection.of(
    "table",
    pa.table(
        {
            "text": [f"Row {row} is {'WORSE' if row % 3 else 'better'}" for row in range(ROWS)],
            "second": [None if row % 2 else f"more {row}" for row in range(ROWS)],
            "topic": [("hotel", "hot~dog", None)[row % 3] for row in range(ROWS)],
        }
    ),
    text="text",
    text_b="second",
)
CLASSES = results_of(np.exp(LOGITS) / np.exp(LOGITS).sum(1, keepdims=True), OWN, LABELS, logits=LOGITS)
SEVERAL = results_of(
    1 / (1 + np.exp(-LOGITS)),
    np.where(OWN[:, None] == NO_LABEL, NO_LABEL, np.eye(3, dtype=int)[OWN]),
    LABELS,
    kind=Labels,
    logits=LOGITS,
)


def test_filters_combine() -> None:
    errors, longer = set(rows_of("errors")), set(rows_of("tokens=4-9"))
    assert errors & longer
    assert set(rows_of("errors & tokens=4-9")) == errors & longer
    assert set(rows_of("~is better & errors & tokens=4-9")) == errors & longer & set(rows_of("~is better"))
    assert parts_of("~a & b", TABLE, CLASSES) == ["~a & b"]
    with pytest.raises(SelectionError, match="several with ' & '"):
        rows_of("errors & none of these")


@pytest.mark.parametrize(
    ("rows", "added", "combined"),
    [
        ("all", "errors", "errors"),
        ("errors & topic=hotel", "bad>good", "topic=hotel & bad>good"),
        ("bad>good & topic=hotel", "topic=", "bad>good & topic="),
        ("topic=hotel & tokens=4-9", "tokens=5-6", "topic=hotel & tokens=5-6"),
        ("~worse", "~row", "~worse & ~row"),
    ],
)
def test_a_filter_is_added_in_place_of_one_that_cannot_hold_with_it(rows: str, added: str, combined: str) -> None:
    assert add_filter(rows, added, TABLE, CLASSES) == combined


def rows_of(rows: str | list[int], results: Results = CLASSES) -> list[int]:
    found: list[int] = select_rows(TABLE, results, rows).tolist()
    return found


def test_cells_of_the_confusions_split_the_labelled_rows() -> None:
    cells = [(own, said, filtered(TABLE, CLASSES, f"{own}>{said}")) for own in LABELS for said in LABELS]
    kept = [np.flatnonzero(found) for _, _, found in cells if found is not None]
    assert sorted(np.concatenate(kept)) == np.flatnonzero(OWN != NO_LABEL).tolist()
    wrong = [found for own, said, found in cells if own != said and found is not None]
    assert rows_of("errors") == np.flatnonzero(np.any(wrong, axis=0)).tolist()
    assert rows_of("all") == list(range(ROWS))


@pytest.mark.parametrize("results", [CLASSES, SEVERAL], ids=lambda results: results.kind)
def test_mistakes_of_a_class_are_those_of_a_slow_loop(results: WithShares) -> None:
    for index, label in enumerate(LABELS):
        given = (results.holds if isinstance(results, Labels) else np.eye(3, dtype=bool)[results.predicted])[:, index]
        false_positives, false_negatives = [], []
        for row in range(ROWS):
            if OWN[row] != NO_LABEL and given[row] != (OWN[row] == index):
                (false_positives if given[row] else false_negatives).append(row)
        for kind, wanted in ((FALSE_POSITIVES, false_positives), (FALSE_NEGATIVES, false_negatives)):
            assert rows_of(f"{kind}{label}", results) == rows_of(f"{kind}{index}", results) == wanted
            assert np.flatnonzero(find_mistakes(results, kind)[:, index]).tolist() == wanted


def test_values_ranges_and_searches_choose_rows_by_their_cells() -> None:
    assert rows_of("topic=hotel") == list(range(0, ROWS, 3))
    assert rows_of("topic=") == list(range(2, ROWS, 3))
    assert rows_of("tokens=4-6") == [1, 2, 3]
    assert rows_of("~worse") == [row for row in range(ROWS) if row % 3]
    assert rows_of("~MORE 4") == [4]  # of the second texts
    assert rows_of("topic~HOT~") == list(range(1, ROWS, 3))
    nowhere = filtered(TABLE, CLASSES, "~nowhere")
    assert not nowhere.any()


@given(st.lists(st.integers(0, ROWS - 1), min_size=1))
def test_rows_by_their_numbers_are_named_and_found_again(numbers: list[int]) -> None:
    wanted = sorted(set(numbers))
    assert rows_of(name_of_rows(numbers)) == rows_of(numbers) == wanted
    assert name_of_rows([7, 5, 6, 5, 1]) == "rows 1,5-7"


@pytest.mark.parametrize(
    "rows",
    [
        "",
        "bad>better",
        "false positives of ",
        "false positives of none",
        "topic=none",
        "~",
        "nothing~x",
        "rows ",
        "rows 30",
        "rows 3-1",
        "rows 1,,2",
        "rows -1",
        "rows 0-99999999999",
    ],
)
def test_a_filter_that_does_not_apply_names_those_that_do(rows: str) -> None:
    assert filtered(TABLE, CLASSES, rows) is None
    with pytest.raises(SelectionError, match="a cell such as 'bad>so-so'"):
        rows_of(rows)


def test_a_filter_without_rows_and_rows_without_labels_are_refused() -> None:
    with pytest.raises(SelectionError, match="No text of the table has “nowhere”"):
        rows_of("~nowhere")
    with pytest.raises(SelectionError, match="There are no rows 'rows '"):
        rows_of([])
    with pytest.raises(SelectionError, match=r"take numpy\.flatnonzero"):
        name_of_rows([False, True])
    unlabelled = replace(CLASSES, gold=np.full(ROWS, NO_LABEL))
    with pytest.raises(SelectionError, match="No row has a label"):
        rows_of("errors", unlabelled)
    assert filtered(TABLE, unlabelled, "false positives of bad") is None
