"""Driving words on the page: the words of chosen rows, the rows of a word, and both folds."""

import pytest

from encoder.catalogue import load
from encoder.collection.driving_words import row_words, words_of_rows
from encoder.collection.results import results_of_all
from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.table import Collection
from tests.app.app_script import alerts, click, figure, go, numbers, run, unfold
from tests.app.app_script import sentences_of as text
from tests.app.jobs import open_settled, settled
from viz.caches import collections

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once", "each_text_is_read_once")

VIEW = {"view": "driving words", "model": "scratch"}
ROWS = 12


@pytest.fixture(autouse=True)
def short_table(monkeypatch: pytest.MonkeyPatch) -> Collection:
    """The shortest reviews of those that ship."""
    reviews = shipped_collection("reviews")
    lengths = [len(text) for text in reviews.column("text")]
    short = reviews.select(sorted(range(len(lengths)), key=lengths.__getitem__)[:ROWS])
    monkeypatch.setattr(collections, "shipped_collection", lambda name: short)
    return short


def test_words_of_the_errors_are_those_of_python_and_open_their_rows(short_table: Collection) -> None:
    model = load("scratch")
    results = results_of_all(model, short_table)
    found = words_of_rows(row_words(model, short_table, results, "errors"))
    at = open_settled(**VIEW, rows="errors", driving_word=found.words[2])
    assert f"of {found.num_rows} errors to the wrong class" in text(at) or f"these {found.num_rows} errors" in text(at)
    dots = numbers(figure(at, "driving-words")["data"][1]["x"])
    assert dots == pytest.approx(found.means[: len(dots)].tolist(), abs=1e-4)
    words = next(table.value for table in at.dataframe if "word" in table.value.columns)
    assert list(words["word"]) == list(found.words[:12])
    assert words["flips"][:10].notna().all()
    rows = next(table.value for table in at.dataframe if "row" in table.value.columns)
    assert [row - 1 for row in rows["row"]] == found.rows[2].tolist()
    keys = {table.key for table in at.dataframe}
    go(at, at.query_params | {"rows": "all"})
    assert not keys & {table.key for table in settled(at).dataframe}, "a tick would be at another word"


def test_another_class_can_be_chosen_and_rows_of_other_labels_are_all_rows() -> None:
    at = open_settled(**VIEW, rows="bad>good", driven="great")
    assert at.button_group(key="rows").value == []
    assert "to the predicted class" in text(at)
    at.selectbox(key="driven").set_value("negative")
    settled(run(at))
    assert "to negative" in text(at)


def test_what_is_typed_as_rows_is_searched_in_the_texts(short_table: Collection) -> None:
    at = open_settled(**VIEW)
    settled(at.text_input(key="filter_typed").set_value("The").run())
    assert at.query_params["rows"] == "~The"
    count = sum("the" in str(each).lower() for each in short_table.texts())
    assert at.button_group(key="rows").value == ["~The"]
    assert not at.text_input(key="filter_typed").value
    assert f"{count} rows (text with “The”) to" in text(at)
    settled(at.text_input(key="filter_typed").set_value("no such words").run())
    assert "has all of '~The & ~no such words'" in alerts(at)[0].replace("\\", "")
    assert at.query_params["rows"] == "~The & ~no such words"


def test_rows_that_are_ticked_in_the_table_drive_the_words_together() -> None:
    at = open_settled(view="texts", model="scratch", order="table")
    [table] = [each for each in at.dataframe if "prediction" in each.value]
    key = "texts_table" + str(table.proto.id).partition("texts_table")[2]
    at.session_state[key] = {"selection": {"rows": [2, 3, 4, 9], "columns": [], "cells": []}}
    assert "**4 rows**" in text(run(at))
    at.session_state[key] = {"selection": {"rows": [2, 3, 4, 7, 9], "columns": [], "cells": []}}
    assert "**Row 8** · " in text(run(at))
    at.session_state[key] = {"selection": {"rows": [2, 3, 4, 9], "columns": [], "cells": []}}
    assert "**Row 10** · " in text(run(at))
    settled(click(at, "texts_rows_driving words"))
    assert (at.query_params["view"], at.query_params["rows"]) == ("driving words", "rows 2-4,9")
    assert at.button_group(key="rows").value == ["rows 2-4,9"]
    assert "4 rows (chosen in the table) to the predicted class" in text(at)


def test_folds_test_the_order_and_show_the_heads() -> None:
    at = open_settled(**VIEW, rows="errors")
    unfold(at, "driving_order", "driving_heads")
    for name in ("driving_order", "driving_heads"):
        if any(button.key == f"{name}_begin" for button in at.button):
            click(at, f"{name}_begin")
    settled(at)
    assert "random orders." in text(at)
    assert "rows change class**" in text(at)
    assert "errors become right" in text(at)
    assert numbers(figure(at, "driving-heads")["data"][1]["z"]).shape == (4, 4)
