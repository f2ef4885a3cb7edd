"""What the view of a table says: findings with n and interval, filters, orders, slices, two models, and files."""

import io
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from encoder.collection.correctness import better_order
from encoder.collection.kinds import KINDS
from encoder.collection.kinds.base import Results, RowAnswers
from encoder.collection.kinds.classes import Labels, WithShares
from encoder.collection.near_duplicates import NearDuplicates
from encoder.collection.row_filters import cell_of
from encoder.collection.row_slices import find_slice
from encoder.collection.table import Collection
from tests.encoder.collection.made_results import results, rows_of, scores
from tests.viz.answers.parts import said as text
from viz.answers.answer import Sentence, Table
from viz.answers.collection.filters import chips, filter_of_cell, without_labels
from viz.answers.collection.row_titles import title_of_rows
from viz.html.answers import html_of_answer
from viz.state.codecs import LONGEST_ROWS
from viz.theme import THEMES
from viz.views.texts.answer.at_stop import of_rows
from viz.views.texts.answer.details import calibration_of, classes, conclusion, near_duplicates_of, slices_of
from viz.views.texts.answer.file import answers_of
from viz.views.texts.answer.rows import (
    columns_of,
    orders,
    saved_columns,
    shown_rows,
    texts_of,
)
from viz.views.texts.answer.second_model import disagreements
from viz.views.texts.answer.summary import confusions, confusions_table, rows_in_words, summary
from viz.wording.labels import spreadsheet_text

LABELS = ("bad", "good")


def collection(labels: list[str], **columns: list[str]) -> Collection:
    rows = {"text": [f"text {row}" for row in range(len(labels))], "label": labels} | columns
    return Collection.of("table", pa.table(rows), text="text", label="label")


def answered(kind: Any, said: list[str], exact: list[float], partly: list[float], counts: list[int]) -> Results:
    numbers = np.full(len(said), 0.5, np.float32)
    answers = RowAnswers(
        tuple(said),
        numbers,
        np.array(exact, np.float32),
        np.array(partly, np.float32),
        numbers,
        np.array(counts, np.int32),
    )
    return KINDS[kind](**rows_of(len(said)), labels=(), answers=answers)


FOUR = results([[0.9, 0.1], [0.45, 0.55], [0.2, 0.8], [0.7, 0.3]], [0, 0, 1, 1])
ROWS = collection(["bad", "bad", "good", "good"])


def test_finding_has_count_interval_and_what_guessing_reaches() -> None:
    said = text(summary(ROWS, FOUR))
    assert said == (
        "The model is right in **2 of 4** rows (50 %, 95 % interval 15 to 85 %). Always saying “bad”, the commonest "
        "label, would be right in 50 %."
    )


def test_labels_that_the_model_lacks_are_named_with_counts() -> None:
    unknown = {"**odd**": 2, "c": 1, "d": 1, "e": 1, "f": 1}
    found = replace(FOUR, gold=np.array([0, 0, 1, -1], np.int32), unknown_labels=unknown)
    said = text(summary(ROWS, found))
    assert "2 of 3" in said
    assert "6 rows have a label that does not fit the model and are not counted: “\\*\\*odd\\*\\*” (2)" in said
    assert "and 1 more. It knows bad, good." in said


def test_another_order_of_the_classes_is_named_where_it_is_right_far_more_often() -> None:
    names = ("contradiction", "neutral", "entailment")
    gold = [row % 3 for row in range(60)]
    shares = [[0.9 if place == 2 - own else 0.05 for place in range(3)] for own in gold]
    shares[0] = [0.9, 0.05, 0.05]
    found = results(shares, gold, names)
    order = better_order(found)
    assert (order.classes, order.right.value, order.now.value) == ((2, 1, 0), 59 / 60, 21 / 60)
    said = text(summary(collection([str(label) for label in gold]), found))
    assert "“contradiction” stands for “entailment”, “entailment” stands for “contradiction”" in said
    assert "35 % of the rows, and would be in 98 %" in said
    assert better_order(results(shares, [2 - own for own in gold], names)) is None
    assert better_order(results(shares[:12], gold[:12], names)) is None  # too few rows
    random = np.random.default_rng(0)
    by_chance = random.dirichlet(np.ones(3), size=200).tolist()
    assert better_order(results(by_chance, random.integers(3, size=200).tolist(), names)) is None


def test_labels_that_fit_nothing_are_refused_in_a_sentence() -> None:
    found = results([[0.9, 0.1]] * 3, [-1] * 3, ("1", "2"), label_rule="refused", unknown_labels={"0": 2, "7": 1})
    said = text(summary(collection(["0", "0", "7"]), found))
    assert (
        "The labels 0, 7 are neither the names of the model's classes nor all of their numbers (0 = “1”, 1 = “2”)"
        in said
    )


def test_table_without_labels_says_what_the_model_says() -> None:
    found = replace(FOUR, gold=np.full(4, -1, np.int32))
    no_labels = Collection.of("t", ROWS.table, text="text")
    assert "“bad” in 2, “good” in 2 of 4 rows. No column holds labels" in text(summary(no_labels, found))
    assert "No row has a label that fits this model" in text(summary(ROWS, found))
    assert confusions(found, "all") is None
    assert classes(found) is None
    assert calibration_of(found) is None
    assert slices_of(ROWS, found) is None
    assert set(chips("errors", ROWS, found)) == {"unsure"}
    assert set(orders(found)) == {"unsure", "table"}


def test_cut_off_blank_and_untrained_get_remarks() -> None:
    found = replace(FOUR, truncated=np.array([True, False, False, False]), trained=False)
    said = text(summary(replace(ROWS, num_blank=2), found))
    assert "1 row is longer than the model reads, and cut off." in said
    assert "2 rows without a text are left out." in said
    unread = replace(found, unread=np.array([True, False, True, False]))
    assert "The model knows no word of 2 rows" in text(summary(ROWS, unread))
    assert "no known word" in columns_of(ROWS, unread, np.arange(4))
    assert "**Untrained.**" in said
    assert "cut off" in columns_of(ROWS, found, np.arange(4))
    assert "cut off" not in columns_of(ROWS, FOUR, np.arange(4))


@pytest.mark.parametrize(
    ("found", "label", "sentence"),
    [
        (scores([2, 0, 1, -1], [1, 0, 1, 0]), "x", "higher score than one whose label is no in **100 %** of the pairs"),
        (
            scores([1, 2, 3, 4], [1, 2, 3, 5]),
            "x",
            "off by **0.25** on average (four rows: too few for an interval",
        ),
        (scores([1, 2, 3, 4], [np.nan] * 4), "x", "The scores of 4 rows have a median of 2.5"),
        (answered("tags", ["A B"] * 4, [1, 0, 1, 1], [1, 0.5, 1, 1], [2] * 4), "A A", "tags **7 of 8** words right"),
        (answered("span", ["a"] * 4, [1, 0, 0, 1], [1, 0.5, 0, 1], [0] * 4), "x", "exactly right in **2 of 4** rows"),
        (answered("mask", ["a"] * 4, [1, 0, 0, 1], [1, 1, 0, 1], [0] * 4), "x", "among the five likeliest in 75 %"),
        (answered("choices", ["a"] * 4, [1, 0, 0, 1], [1, 0, 0, 1], [4, 4, 2, 2]), "x", "be right in 38 %"),
    ],
)
def test_every_kind_of_head_has_its_finding(found: Results, label: str, sentence: str) -> None:
    assert sentence in text(summary(collection([label] * 4), found))
    assert columns_of(collection([label] * 4), found, shown_rows(ROWS, found, "all", "errors"))


def test_several_labels_are_right_together() -> None:
    shares = [[0.9, 0.8], [0.1, 0.2], [0.9, 0.2], [0.55, 0.9]]
    found = results(shares, [[1, 1], [0, 0], [0, 1], [1, 1]], kind=Labels)
    said = text(summary(ROWS, found))
    assert "All labels are right in **3 of 4** rows" in said
    assert "Always saying “bad, good”, the commonest label, would be right in 50 %" in said
    assert found.unsure.tolist() == [False, False, False, True]
    of_classes = classes(found)
    [table] = [part for part in of_classes.parts if isinstance(part, Table)]
    assert table.columns()["F1"] == pytest.approx([2 * 2 / (2 * 2 + 1), 2 * 2 / (2 * 2 + 1)])


def test_mean_f1_counts_the_labels_that_it_is_over() -> None:
    shares, names = [[0.9, 0.1, 0.1, 0.1]] * 4, ("a", "b", "c", "d")
    found = results(shares, [0] * 4, names)
    several = results(shares, [[1, 1, 0, 0], *[[1, 0, 0, 0]] * 3], names, kind=Labels)
    nothing = replace(several, probabilities=np.full((4, 4), 0.1, np.float32), gold=np.zeros((4, 4), np.int32))
    for shown, sentence in (
        (found, "F1 is 1.00 on average over the 1 of 4 classes that rows have or get ("),
        (
            results([[0.9, 0.1, 0.1], [0.1, 0.9, 0.1], [0.1, 0.1, 0.9]], [0, 1, 0], ("a", "b", "c")),
            "No row has the label “c”: without it, F1 is 0.83. F1",
        ),
        (several, "F1 is 0.50 on average over the 2 of 4 labels that rows have or get ("),
        (nothing, "No row has or gets any of the 4 labels, so there is no F1. F1 is the"),
    ):
        answer = classes(shown)
        assert answer is not None
        assert sentence in text(answer)


def test_filters_and_orders_choose_the_rows() -> None:
    assert shown_rows(ROWS, FOUR, "all", "table").tolist() == [0, 1, 2, 3]
    assert shown_rows(ROWS, FOUR, "errors", "table").tolist() == [1, 3]
    assert shown_rows(ROWS, FOUR, "unsure", "table").tolist() == [1]
    assert shown_rows(ROWS, FOUR, "good>bad", "table").tolist() == [3]
    assert shown_rows(ROWS, FOUR, "all", "errors").tolist() == [3, 1, 2, 0]
    assert shown_rows(ROWS, FOUR, "all", "unsure").tolist() == [1, 3, 2, 0]
    assert shown_rows(ROWS, FOUR, "nonsense", "table").tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "labels", [("a>b", "b"), ("a", "b>c"), ("x" * LONGEST_ROWS, "y"), ("1", "0"), ("\n", "b"), (">", "")]
)
def test_every_cell_has_a_name_that_is_found_again(labels: tuple[str, str]) -> None:
    found = results([[0.5, 0.5]], [0], labels)
    for cell in ((0, 0), (0, 1), (1, 0), (1, 1)):
        name = filter_of_cell(*cell, found)
        assert cell_of(name, found) == cell
        assert len(name) <= LONGEST_ROWS
        assert name.isprintable()


def test_click_on_a_cell_filters_by_it() -> None:
    answer = confusions(FOUR, "good>bad")
    [chart] = answer.charts
    assert chart.changes == [{"rows": f"{own}>{said}"} for own in LABELS for said in LABELS]
    figure = chart.figure(THEMES["light"])
    assert np.array(figure.data[1].z).tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert len(figure.data[0].x) == 4
    assert len(figure.layout.shapes) == 1


def test_filters_add_up_and_the_matrix_is_of_the_rows_of_the_slices() -> None:
    rows = collection(["bad", "good", "bad", "good"], topic=["a", "a", "b", "b"])
    chosen = "topic=a & good>bad & ~text"
    assert list(chips(chosen, rows, FOUR)) == ["errors", "unsure", "topic=a", "good>bad", "~text"]
    within = without_labels(chosen, rows, FOUR)
    assert within.confusions.tolist() == FOUR.select(np.arange(2)).confusions.tolist()
    answer = confusions(within, chosen)
    assert answer is not None
    assert len(answer.charts[0].figure(THEMES["light"]).layout.shapes) == 1
    assert rows_in_words(FOUR, np.arange(2)).startswith("2 of 4 rows")


def test_calibration_says_how_many_classes_to_name_for_nine_of_ten() -> None:
    shares = np.random.default_rng(0).dirichlet([1, 1, 1], 200)
    gold = [int(np.random.default_rng(row).choice(3, p=share)) for row, share in enumerate(shares)]
    said = text(calibration_of(results(shares.tolist(), gold, ("a", "b", "c"))))
    assert re.search(r"right in 90 % of the rows, the model has to name \*\*[12]\.\d of 3 classes\*\* on average", said)
    assert "has to name" not in text(calibration_of(FOUR))


def test_near_duplicates_say_how_many_labels_differ() -> None:
    rows = collection(["bad", "good", "bad"])
    found = NearDuplicates(np.array([[0, 1], [0, 2]]), np.array([1.0, 0.9], np.float32), 0.97, 1, is_cut=False)
    answer = near_duplicates_of(found, rows)
    assert text(answer).startswith(
        "**2 pairs of texts** share 80 % of their words or more; **in 1 of them the labels differ**. Of copies without "
        "one word, 97 % are found. With the words shuffled among the rows there is 1 such pair."
    )
    [table] = [part for part in answer.parts if isinstance(part, Table)]
    assert [change["rows"] for change in table.changes] == ["rows 0-1", "rows 0,2"]
    assert table.columns()["other row"].tolist() == [2, 3]


def test_markup_in_labels_is_escaped() -> None:
    labels = ("<img src=x onerror=alert(1)>", "**b**")
    found = results([[0.9, 0.1], [0.2, 0.8]], [0, 0], labels)
    answers = answers_of(collection([labels[0]] * 2), found, rows="all", order="errors")
    html = "".join(html_of_answer(answer) for _, answer in answers)
    assert "<img" not in html
    assert "<b>b</b>" not in html
    answer = confusions(found, "all")
    assert "<img" not in answer.charts[0].figure(THEMES["dark"]).to_json().replace("\\u003c", "<")


def test_many_classes_have_a_list_of_errors_instead_of_a_matrix() -> None:
    shares = np.full((4, 150), 0.001)
    shares[:, 7] = 0.85
    found = results(shares.tolist(), [7, 8, 8, 9], tuple(f"class {index}" for index in range(150)))
    assert confusions(found, "all") is None
    errors = confusions_table(found)
    assert errors.columns()["own label"] == ["class 8", "class 9"]
    assert errors.columns()["rows"] == [2, 1]
    assert errors.changes == [{"rows": "class 8>class 7"}, {"rows": "class 9>class 7"}]
    said = classes(found)
    assert said is not None
    assert "over the 3 of 150 classes that rows have or get" in text(said)


def test_planted_slice_is_found_and_named() -> None:
    right = np.array([False] * 10 + [True] * 30)
    shares = np.where(right[:, None], [[0.9, 0.1]], [[0.1, 0.9]]).tolist()
    topics = ["hotel"] * 10 + ["film", "book", ""] * 10
    rows, outputs = collection(["bad"] * 40, topic=topics), results(shares, [0] * 40)
    found = slices_of(rows, outputs)
    said = text(found)
    assert "**2 of 8 slices** differ" in said
    assert text(conclusion(rows, outputs)) == (
        "The model is **worst in “topic: hotel”**: 0 of 10 rows right, 100 % of the others. By chance alone, one of 8 "
        "groups of rows differs as much in fewer than 1 of 1,000 tables."
    )
    [table] = [part for part in found.parts if isinstance(part, Table)]
    names = list(table.columns()["slice"])
    assert "topic: empty" in names
    assert sum(name.endswith("tokens") for name in names) == 4


def test_a_slice_is_a_filter_of_the_rows() -> None:
    topics = ["hotel"] * 10 + ["a=b", "film", ""] * 10
    rows = collection(["bad"] * 40, topic=topics, tokens=["many"] * 40)
    found = results([[0.9, 0.1]] * 20 + [[0.2, 0.8]] * 20, [0] * 40)
    answer = slices_of(rows, found)
    [table] = [part for part in answer.parts if isinstance(part, Table)]
    for title, count, change in zip(table.columns()["slice"], table.columns()["rows"], table.changes, strict=True):
        kept = shown_rows(rows, found, str(change["rows"]), "table")
        assert (title_of_rows(str(change["rows"]), rows, found), len(kept)) == (title, count)
    assert shown_rows(rows, found, "topic=a=b", "table").tolist() == list(range(10, 40, 3))
    assert shown_rows(rows, found, "topic=", "table").tolist() == list(range(12, 40, 3))
    assert shown_rows(rows, found, "tokens (model)=3-5", "table").tolist() == [0, 1, 2]
    assert shown_rows(ROWS, FOUR, "tokens=3-5", "table").tolist() == [0, 1, 2]
    assert len(shown_rows(rows, found, "topic=none such", "table")) == 40
    said = of_rows(rows, found, rows="topic=hotel", order="table").parts[0]
    assert said == Sentence("**10 of 40** rows are in the slice “topic: hotel”.")


def test_numbers_are_sliced_in_quarters_and_texts_by_their_frequent_values() -> None:
    rng = np.random.default_rng(3)
    prices = rng.normal(size=600).round(3).tolist()
    cities = [f"city {min(int(each), 499)}" for each in rng.exponential(20, 600)]
    rows = collection(
        ["bad"] * 600,
        price=["" if price > 2 else f" {price}" for price in prices],
        city=cities,
        id=[f"r{row}" for row in range(600)],
    )
    shares = [[0.9, 0.1] if price < 0 else [0.2, 0.8] for price in prices]
    found = results(shares, [0] * 600, lengths=np.full(600, 9, np.int32))
    answer = slices_of(rows, found)
    said = text(answer)
    left_out = len(set(cities)) - 20
    assert f"Of “city”, the 20 most frequent values are compared; {left_out} others are left out." in said
    assert "No value of “id” is in at least 5 rows." in said
    [table] = [part for part in answer.parts if isinstance(part, Table)]
    names = [str(change["rows"]) for change in table.changes]
    ranges = [name for name in names if name.startswith("price=")]
    assert len(ranges) == 4
    assert len([name for name in names if name.startswith("city=")]) == 20
    members = [shown_rows(rows, found, name, "table") for name in ranges]
    assert sorted(np.concatenate(members).tolist()) == [row for row in range(600) if prices[row] <= 2]
    assert all(130 < len(each) < 160 for each in members)
    assert all(
        p == 1 or p >= each for each, p in zip(table.columns()["p"], table.columns()["corrected p"], strict=True)
    )
    lowest = f"price={min(prices)}-"
    [first] = [name for name in ranges if name.startswith(lowest)]
    assert title_of_rows(first, rows, found) == f"price: {min(prices)} to {first.removeprefix(lowest)}"


def test_column_with_other_cells_than_numbers_has_no_ranges() -> None:
    rows = collection(["bad"] * 4, price=["1", "2", "", "cheap"], size=["1", " 2.5", "", "-3"])
    assert find_slice("price=1-2", rows, FOUR) is None
    found = find_slice("size=-3-1", rows, FOUR)
    assert found.members.tolist() == [True, False, False, True]


def test_calibration_says_which_side_and_whether_chance_explains_it() -> None:
    shares = [[0.95, 0.05]] * 60
    found = calibration_of(results(shares, [0] * 30 + [1] * 30))
    assert "off by **45 %**" in text(found)
    assert "more than chance explains" in text(found)
    assert "too sure by 45 %" in text(found)
    assert found.charts[0].figure(THEMES["light"]).data[1].y == (0.5,)


def several_labels(n: int) -> WithShares:
    rng = np.random.default_rng(2)
    shares = rng.uniform(0, 1, (n, 3))
    gold = (rng.random((n, 3)) < shares).astype(np.int32)
    return results(shares.tolist(), gold, ("a", "b", "c"), kind=Labels)


TWENTY = np.linspace(0.1, 2, 40).tolist()


@pytest.mark.parametrize(
    ("found", "sentences", "title"),
    [
        (
            several_labels(60),
            ["The probabilities of the labels are off by **", "over 3 labels of each row", "which chance explains"],
            "labels",
        ),
        (
            answered("tags", ["A B"] * 40, [0] * 40, [0.5] * 40, [2] * 40),
            ["are off by **0 %** on average (expected calibration error over the words", "40 rows), which chance"],
            "words",
        ),
        (
            scores(TWENTY, [each + 1 for each in TWENTY]),
            ["The scores are off by **1** on average", "more than chance explains", "they are too low by 1 (95 %"],
            "rows",
        ),
        (scores([3.0, 3.0], [2.5, 3.5]), ["The scores are off by **0** on average", "2 rows)"], "rows"),
        (scores([3.0] * 20 + [-3.0] * 20, [1.0] * 20 + [0.0] * 20), ["log odds of yes", "off by **5 %**"], "rows"),
    ],
)
def test_every_kind_of_head_has_its_calibration(found: Results, sentences: list[str], title: str) -> None:
    answer = calibration_of(found)
    assert all(sentence in text(answer) for sentence in sentences), text(answer)
    [table] = [part for part in answer.parts if isinstance(part, Table)]
    counts = np.array(table.columns()[title], int)
    assert counts.sum() >= len(found)
    figure = answer.charts[0].figure(THEMES["light"])
    assert len(figure.data[1].x) == np.count_nonzero(counts)
    assert title in figure.data[1].hovertext[0]


def test_cells_precision_and_labels_have_intervals() -> None:
    chart = confusions(FOUR, "all")
    assert chart.charts[0].figure(THEMES["light"]).data[0].hovertext[1] == (
        "own label <b>bad</b><br>predicted <b>good</b><br>1 of 2 rows with the label: 50 %, 95 % interval 9 to 91 %"
    )
    for found, interval in ((FOUR, "four rows: too few for an interval"), (several_labels(60), "95 % interval")):
        answer = classes(found)
        assert interval in text(answer)
        [table] = [part for part in answer.parts if isinstance(part, Table)]
        columns = dict[str, Any](table.columns())
        for name in ("F1", "precision", "recall"):
            assert (columns[f"{name} from"] <= columns[name]).all()
            assert (columns[name] <= columns[f"{name} to"]).all()
        assert len(columns["rows"]) == len(columns["predicted"]) == len(found.labels)


def test_two_models_are_compared_row_by_row() -> None:
    other = results([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8], [0.1, 0.9]], [0, 0, 1, 1])
    answer, rows = disagreements(ROWS, FOUR, other, names=("one", "*two*"))
    assert rows.tolist() == [3, 1]
    said = text(answer)
    assert "disagree in **2 of 4** rows (50 %)" in said
    assert "“one” alone is right in 0 of them, “\\*two\\*” alone in 2, which chance explains" in said
    assert "the difference is +50 points" in said
    swapped = results(np.array(other.probabilities)[:, ::-1].tolist(), [1, 1, 0, 0], LABELS[::-1])
    assert disagreements(ROWS, FOUR, swapped, names=("one", "two"))[1].tolist() == [3, 1]
    same, none = disagreements(ROWS, FOUR, FOUR, names=("one", "two"))
    assert not len(none)
    assert len(same.parts) == 1


def test_models_with_several_labels_in_another_order_agree() -> None:
    one = several_labels(30)
    shares = np.array(one.probabilities)[:, ::-1].tolist()
    other = results(shares, one.gold[:, ::-1], one.labels[::-1], kind=Labels)
    rows = collection(["a"] * 30)
    assert not len(disagreements(rows, one, other, names=("one", "two"))[1])
    without = [replace(each, gold=np.full((30, 3), -1, np.int32)) for each in (one, other)]
    assert not len(disagreements(rows, *without, names=("one", "two"))[1])


def test_scores_of_two_models_are_compared_by_their_errors() -> None:
    assert orders(scores([1], [1])) == {"errors": "Largest loss first", "table": "As in the table"}
    one, other = scores([1, 2, 3, 4], [1, 2, 3, 4]), scores([2, 3, 4, 6], [1, 2, 3, 4])
    answer, rows = disagreements(ROWS, one, other, names=("one", "two"))
    assert rows.tolist() == [3, 0, 1, 2]
    assert "“one” is better by 1.25 in absolute error on average" in text(answer)
    unlike, _ = disagreements(ROWS, FOUR, other, names=("one", "two"))
    assert "heads of different kinds" in text(unlike)


def test_cells_that_a_spreadsheet_would_run_are_quoted() -> None:
    rows = collection(["=cmd|' /C calc'!A0", "+1", "-2", "@x"], **{"=evil": ["\t=1", "a", "1", ""]})
    found = results([[0.9, 0.1]] * 4, [0] * 4, ("=bad", "good"))
    table = pd.DataFrame(dict(saved_columns(rows, found)))
    read = pd.read_csv(io.StringIO(table.to_csv(index=False)), dtype=str)
    assert read["label"].tolist() == ["'=cmd|' /C calc'!A0", "'+1", "'-2", "'@x"]
    assert read["'=evil"].tolist()[0] == "'\t=1"
    assert read["prediction"].tolist() == ["'=bad"] * 4
    assert not [name for name in read.columns if name.startswith(("=", "+", "-", "@"))]
    assert float(read["loss"][0]) == pytest.approx(-np.log(0.9), rel=1e-4)
    assert spreadsheet_text("a=b") == "a=b"


def test_texts_and_labels_need_no_model() -> None:
    shown = texts_of(ROWS, np.arange(2))
    assert list(shown) == ["row", *filter(None, (ROWS.text, ROWS.text_b, ROWS.label))]
    assert shown[ROWS.text] == ROWS.column(ROWS.text, [0, 1])


def test_columns_of_the_table_and_of_the_model_keep_apart() -> None:
    rows = collection(["bad"] * 4, prediction=["p"] * 4, tokens=["t"] * 4)
    shown = columns_of(rows, FOUR, np.arange(4))
    assert shown["prediction"] == ["bad", "good", "good", "bad"]
    assert shown["prediction (table)"] == ["p"] * 4
    saved = saved_columns(rows, FOUR)
    assert list(saved["prediction"]) == ["p"] * 4
    assert list(saved["prediction (model)"]) == ["bad", "good", "good", "bad"]
