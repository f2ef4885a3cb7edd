"""A table of texts on the page: the finding, its filters, rows that open in other views, and whatever is opened."""

import gc
import io
import re
import weakref
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import streamlit
from streamlit.testing.v1 import AppTest

from encoder.collection.table import Collection
from tests.app.app_script import (
    Offered,
    alerts,
    captions,
    click,
    figure,
    go,
    open_page,
    run,
    titles_of_folds,
    unfold,
)
from tests.app.app_script import sentences_of as text
from tests.app.jobs import open_settled, settled
from tests.encoder.random_models import bert_folder
from viz import permitted
from viz.caches import collections
from viz.caches.collections import OWN_COLLECTION
from viz.caches.memo import JOBS
from viz.computing import watcher
from viz.widgets import jobs, rows

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once", "each_text_is_read_once", "forty_reviews")

VIEW = {"view": "texts", "model": "scratch"}
REVIEWS = "text\tlabel\nA fine film.\tpositive\nA dull film.\tnegative\nIt has two parts.\tneutral\n"


def paste(at: AppTest, pasted: str, *, confirms: bool = True) -> AppTest:
    at.text_area(key="own_table_pasted").set_value(pasted)
    click(at, "open_pasted")
    return confirmed(at) if confirms else settled(at)


def upload(at: AppTest, name: str, data: bytes, *, confirms: bool = True) -> AppTest:
    at.file_uploader(key="own_table_upload").upload(name, data)
    run(at)
    return confirmed(at) if confirms else settled(at)


def confirmed(at: AppTest) -> AppTest:
    """Run a model over the rows that were read, if the card asks for it."""
    asks = any(button.key == "confirm_table" and button.label.startswith("Run") for button in at.button)
    return settled(click(at, "confirm_table") if asks else at)


def rows_of(at: AppTest) -> pd.DataFrame:
    """The rows of the table on the page."""
    return next(table.value for table in at.dataframe if "prediction" in table.value)


def key_of_rows(at: AppTest) -> str:
    """The key of that table."""
    [found] = [table for table in at.dataframe if "prediction" in table.value]
    return str(found.proto.id).partition("texts_table")[2]


def test_the_card_asks_for_the_classes_of_labels_before_a_model_runs() -> None:
    at = paste(open_settled(**VIEW), "text\tlabel\nA fine film.\t1\nA dull film.\t0\nBoring.\t0\n", confirms=False)
    assert not [table for table in at.dataframe if "prediction" in table.value]
    assert "The labels 0, 1 are neither the names" in text(at)
    of_labels = {box.label: box for box in at.selectbox if box.label in ("1 (1)", "0 (2)")}
    assert {box.value for box in of_labels.values()} == {"no class"}
    of_labels["1 (1)"].set_value("positive")
    of_labels["0 (2)"].set_value("negative")
    settled(click(at, "confirm_table"))
    assert "of 3** rows" in text(at)


def test_the_card_offers_a_column_whose_values_are_classes_of_the_model() -> None:
    rows = "A fine film.\ta\tPositiv\nA dull film.\tb\tNegativ\nBoring.\ta\tNegativ\nIt shines.\tb\tPositiv\n"
    at = paste(open_settled(**VIEW), f"text\tkanal\turteil\n{rows}", confirms=False)
    assert "one of which may be it: “kanal”, “urteil”" in text(at)
    assert [button.label for button in at.button if "take_label" in str(button.key)] == ["Compare with “urteil”"]
    settled(click(at, "take_label_urteil"))
    assert at.selectbox(key="column_label").value == "urteil"
    assert "one of which may be it" not in text(at)
    settled(click(at, "confirm_table"))
    assert "right in **4 of 4** rows" in text(at)


def test_the_card_asks_for_classes_only_where_labels_are_compared() -> None:
    rows = "query\ttext\tlabel\nwhat flies\tTime flies.\tyes\nwhat flies\tA stone.\tno\n"
    at = paste(open_settled(**VIEW | {"view": "search"}), rows, confirms=False)
    assert "**2 rows** of CSV" in text(at)
    assert "neither the names" not in text(at)
    assert "Search for" not in [field.label for field in at.text_input]
    confirmed(at)
    assert "Search for" in [field.label for field in at.text_input]
    at.query_params["view"] = "texts"
    assert "The labels no, yes are neither the names" in text(settled(go(at, at.query_params)))


def test_the_card_reads_a_file_again_in_another_encoding() -> None:
    at = upload(
        open_settled(**VIEW),
        "t.csv",
        "text,label\nZażółć film.,positive\nA dull film.,negative\n".encode("cp1250"),
        confirms=False,
    )
    assert "read as Windows-1252: line 2 is “Za¿ó³æ film.,positive”" in text(at)
    assert rows_read(at)["text"].iloc[0] == "Za¿ó³æ film."
    assert "is not UTF-8" in at.selectbox(key="read_encoding").set_value("utf-8").run().toast[0].value
    settled(at.selectbox(key="read_encoding").set_value("cp1250").run())
    assert rows_read(at)["text"].iloc[0] == "Zażółć film."
    assert not [table for table in at.dataframe if "prediction" in table.value]
    assert "prediction" in rows_of(confirmed(at))


def rows_read(at: AppTest) -> pd.DataFrame:
    """The first rows on the card."""
    return next(table.value for table in at.dataframe if {"row", "class"} <= set(table.value))


def test_finding_matrix_and_rows_are_shown() -> None:
    at = open_settled(**VIEW)
    assert "of 40** rows" in text(at)
    assert sum(int(count or 0) for count in figure(at, "confusions")["data"][2]["text"]) == 40
    found = rows_of(at)
    assert len(found) == 40
    wrong = (found["label"] != found["prediction"]).tolist()
    assert wrong == sorted(wrong, reverse=True)
    assert at.query_params.get("rows") is None
    settled(unfold(at, "texts_classes", "texts_calibration", "texts_slices", "texts_duplicates"))
    for part in ("F1 is 0.", "expected calibration error", "slices", "0 pairs of texts"):
        assert part in text(at)


def test_tags_of_an_own_model_have_their_scores(tmp_path: Path) -> None:
    model = bert_folder(tmp_path, "BertForTokenClassification", id2label={0: "O", 1: "B-PER"})
    at = settled(click(open_page(view="texts", model=str(model)), "load_model"))
    upload(at, "tagged.csv", b"text,label\ntime flies,B-PER O\na banana,O O\n")
    assert "**F1 of whole entities is" in text(settled(unfold(at, "texts_tags")))


def test_filters_and_order_are_in_the_address() -> None:
    at = open_settled(**VIEW)
    at.button_group(key="rows").set_value(["errors"])
    run(at)
    found = rows_of(at)
    assert (found["label"] != found["prediction"]).all()
    assert at.query_params["rows"] == "errors"
    at.selectbox(key="texts_order").set_value("As in the table")
    run(at)
    assert at.query_params["order"] == "table"
    assert rows_of(at)["row"].is_monotonic_increasing
    again = open_settled(**at.query_params)
    assert rows_of(again)["row"].tolist() == rows_of(at)["row"].tolist()


def test_filter_keeps_the_table_and_forgets_the_chosen_row() -> None:
    at = open_settled(**VIEW, order="table")
    key = key_of_rows(at)
    at.session_state[f"texts_table{key}"] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    assert "**Row 1** · " in text(run(at))
    at.button_group(key="rows").set_value(["unsure"])
    assert "**Row " not in text(run(at))
    assert key_of_rows(at) == key


def test_a_filter_that_does_not_fit_the_table_is_named() -> None:
    def script() -> None:
        from viz.widgets.rows import say_dropped

        for chosen, shown in (("topic=none", "all"), ("all", "errors"), ("errors", "errors")):
            say_dropped(chosen, shown)

    [said] = AppTest.from_function(script).run().info
    assert said.value == "The filter “topic=none” does not fit this table, and is left out."


def test_row_of_a_link_is_offered_and_opens_elsewhere_and_comes_back() -> None:
    at = open_settled(**VIEW, from_row="3", rows="errors")
    assert "**Row 4**" in text(at)
    click(at, "texts_open_predictions")
    assert at.query_params["view"] == "predictions"
    assert at.query_params["from_row"] == "3"
    back = next(button for button in at.button if button.label.startswith("Back to the table"))
    assert "(row 4)" in back.label
    back.click()
    settled(run(at))
    assert at.query_params["view"] == "texts"
    assert at.query_params["rows"] == "errors"
    assert "**Row 4**" in text(at)


def test_row_is_searched_for_in_its_table(forty_reviews: Collection) -> None:
    at = open_settled(**VIEW, from_row="3")
    settled(click(at, "texts_search"))
    assert at.query_params["view"] == "search"
    assert at.query_params["find"] == forty_reviews.column("text")[3]
    assert "comes first of 40, with a cosine of 1.00" in text(at)


def test_second_model_is_in_the_address_and_compared() -> None:
    at = open_settled(**VIEW, other_model="bundled")
    assert "The two models disagree in **" in text(at)
    assert "McNemar's test" in text(at)
    own = open_settled(**VIEW, other_model="scratch")
    assert "disagree" not in text(own)


def test_files_have_all_rows_and_what_the_page_shows(offered: Offered) -> None:
    unfold(open_settled(**VIEW, rows="errors"), "export")
    table = pd.read_csv(io.BytesIO(offered["texts.csv"]()))
    assert len(table) == 40
    assert {"text", "label", "topic", "prediction", "p(positive)", "right", "loss"} <= set(table.columns)
    rows = pd.read_csv(io.BytesIO(offered["rows.csv"]()))
    assert len(rows) < 40
    assert rows["link"].str.contains("rows=errors", regex=False).all()
    html = offered["texts.html"]().decode()
    assert "The model is right in" in html
    assert "expected calibration error" in html
    assert "Content-Security-Policy" in html
    report = offered["report.html"]().decode()
    assert "The model is right in" in report
    assert "rows=errors" in report


def test_presentation_keeps_the_finding_and_the_rows() -> None:
    at = open_settled(**VIEW, stage="1")
    assert "The model is right in" in text(at)
    assert len(rows_of(at)) == 40
    assert not [part for part in at.expander if part.label.startswith("Calibration")]


def test_model_without_a_head_says_so_and_a_way_on(tmp_path: Path) -> None:
    at = click(open_page(view="texts", model=str(bert_folder(tmp_path, "BertModel"))), "load_model")
    settled(at)
    assert any("predicts nothing for these texts" in alert for alert in alerts(at))
    assert "For predictions, choose" in captions(at)


def test_pasted_rows_of_a_spreadsheet_are_read_and_stay_in_the_session() -> None:
    at = paste(open_settled(**VIEW), REVIEWS)
    assert len(rows_of(at)) == 3
    assert at.query_params["collection"] == "own"
    assert REVIEWS not in str(at.query_params)
    other = open_page(**at.query_params)
    assert any("A link carries no table" in alert for alert in alerts(other))


def test_list_of_tables_names_the_file_that_was_opened_last() -> None:
    """The browser shows another name only if the field is sent another value."""
    at = upload(open_settled(**VIEW), "first.csv", b"text,label\nA fine film.,positive\n")
    at.file_uploader(key="own_table_upload").upload("second.csv", b"text,label\nA dull film.,negative\n")
    shown = run(at).selectbox(key="collection").proto
    assert shown.set_value
    assert shown.raw_value == shown.options[-1] == "second.csv"
    confirmed(at).selectbox(key="collection").select_index(0)
    assert "collection" not in settled(run(at)).query_params
    at.selectbox(key="collection").select("second.csv")
    assert settled(run(at)).query_params["collection"] == "own"


def test_a_table_is_compared_with_the_one_that_was_open_before() -> None:
    at = upload(open_settled(**VIEW), "old.csv", b"text,label\nA fine film.,positive\nA dull film.,negative\n")
    at = upload(at, "new.csv", b"text,label\nA fine film.,positive\nA splendid film.,negative\n")
    assert "Before and after: old.csv and new.csv" in titles_of_folds(at)
    assert "The two tables disagree in **1 of 2** rows" in text(unfold(at, "texts_before"))
    at = upload(at, "longer.csv", b"text,label\n" + 3 * b"A fine film.,positive\n")
    assert not any(title.startswith("Before and after") for title in titles_of_folds(at))


def test_a_path_opens_a_table_only_where_nothing_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text(REVIEWS)
    at = open_settled(**VIEW)
    at.text_input(key="own_table_path").set_value(str(tmp_path))
    assert any("is not a file: name a table" in alert for alert in alerts(run(at)))
    at.text_input(key="own_table_path").set_value(str(path))
    assert len(rows_of(confirmed(run(at)))) == 3
    monkeypatch.setenv(permitted.VARIABLE, "")
    assert not [field for field in run(at).text_input if field.key == "own_table_path"]


def test_labels_are_read_in_another_order_after_one_click_and_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "A lovely film.\tNegative\nA dull film.\tpositive\n" * 12
    at = paste(open_settled(**VIEW), f"text\tlabel\n{rows}")
    assert "right in **0 of 24** rows" in text(at)
    monkeypatch.setattr(collections, "read_first", None)
    settled(click(at, "texts_read_in_order"))
    assert "right in **24 of 24** rows" in text(at)
    assert "read as chosen: “negative” stands for “positive”, “positive” stands for “negative”" in captions(at)
    settled(click(at, "texts_read_in_order"))
    assert "right in **0 of 24** rows" in text(at)
    assert "read as chosen" not in captions(at)


def test_columns_can_be_chosen_anew() -> None:
    at = paste(open_settled(**VIEW), "label\tnote\tkind\nA fine film.\tpositive\tx\nA dull film.\tnegative\ty")
    at.selectbox(key="column_label").set_value("note")
    at.selectbox(key="column_text").set_value("label")
    settled(run(at))
    assert "of 2** rows" in text(at)
    assert sorted(rows_of(at)["label"]) == ["A dull film.", "A fine film."]


def test_file_that_cannot_be_read_is_one_sentence_and_loses_nothing() -> None:
    at = paste(open_settled(**VIEW), REVIEWS)
    upload(at, "t.csv", b"text,label\na,b\nc,d,e\n")
    [alert] = alerts(at)
    assert "line 3: 3 cells, and the table has 2 columns" in alert.replace("\\", "")
    assert len(rows_of(at)) == 3
    assert at.text_area(key="own_table_pasted").value == REVIEWS
    upload(at, "good.csv", b"text,label\nA fine film.,positive\n")
    assert not alerts(at)
    assert len(rows_of(at)) == 1


def test_rows_that_were_chosen_in_one_table_are_none_of_the_next() -> None:
    at = paste(open_settled(**VIEW), REVIEWS)
    go(at, at.query_params | {"hit": "1", "from_row": "2", "map_state": "1"})
    assert at.query_params["hit"] == "1"
    paste(at, REVIEWS.replace("film", "book"))
    assert not {"hit", "from_row", "map_state"} & set(at.query_params)


def test_long_reading_starts_after_a_click_and_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    JOBS.clear()
    monkeypatch.setattr(jobs, "MAX_TOKENS_UNASKED", 10)
    widths, dataframe = dict[str, str](), streamlit.dataframe

    def noted(data: Any, **options: Any) -> Any:
        widths[options["key"]] = options.get("width", "stretch")
        return dataframe(data, **options)

    monkeypatch.setattr(streamlit, "dataframe", noted)
    at = open_page(**VIEW)
    assert widths == {"texts_growing": "content"}
    assert "texts_begin" in [button.key for button in at.button]
    texts = at.dataframe[0].value
    assert list(texts) == ["row", "text", "label"]
    assert len(texts) == 40
    click(at, "texts_begin")
    settled(at)
    assert len(rows_of(at)) == 40


def test_a_reading_that_ends_early_shows_the_view_of_the_first_rows_and_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jobs, "MAX_TOKENS_UNASKED", 10)
    monkeypatch.setattr(rows, "FIRST_ROWS", 2)
    at = paste(open_settled(**VIEW), REVIEWS)
    labels = {str(button.key): button.label for button in at.button}
    assert re.fullmatch(r"Run over all 3 rows \(about \d+ s\)", labels["texts_begin"])
    settled(click(at, "texts_first"))
    assert "**The first 2 of 3 rows**" in text(at)
    assert len(rows_of(at)) == 2
    at.button_group(key="rows").set_value(["errors"])
    unfold(run(at), "texts_classes")
    assert "of 2** rows" in text(at)
    settled(click(at, "texts_begin"))
    assert "of 3** rows" in text(at)


def test_a_reloaded_page_finds_its_table_and_no_other_page_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collections, "browser_secret", lambda: "secret")
    at = paste(open_settled(**VIEW), REVIEWS)
    second = open_page(**at.query_params)
    assert OWN_COLLECTION not in second.session_state
    at.session_state[watcher._WATCHER]._is_connected = lambda: False
    monkeypatch.setattr(collections, "browser_secret", lambda: "another")
    assert OWN_COLLECTION not in run(second).session_state
    monkeypatch.setattr(collections, "browser_secret", lambda: "secret")
    assert len(rows_of(settled(run(second)))) == 3


def test_a_reloaded_page_asks_which_of_two_tables_was_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collections, "browser_secret", lambda: "secret")
    longer = REVIEWS + "A long film.\tneutral\n"
    tabs = [paste(open_settled(**VIEW), table) for table in (REVIEWS, longer)]
    for at in tabs:
        at.session_state[watcher._WATCHER]._is_connected = lambda: False
    second, first = (open_page(**at.query_params) for at in tabs)
    assert "choose the one that was here" in text(second)
    assert OWN_COLLECTION not in second.session_state
    labels = {button.label: str(button.key) for button in second.button}
    assert len(rows_of(settled(click(second, labels["pasted texts (4 rows)"])))) == 4
    assert len(rows_of(settled(run(first)))) == 3  # the only one that is left


def test_table_of_one_session_is_never_in_anothers() -> None:
    first, second = paste(open_settled(**VIEW), REVIEWS), open_settled(**VIEW)
    own = first.session_state[OWN_COLLECTION]
    assert OWN_COLLECTION not in second.session_state
    assert not any(own is part for key in JOBS._entries for part in (key if isinstance(key, tuple) else ()))
    paste(second, REVIEWS)
    assert second.session_state[OWN_COLLECTION] is not own


def test_table_is_gone_with_its_session() -> None:
    at = paste(open_settled(**VIEW), REVIEWS)
    unfold(at, "texts_classes", "texts_slices")
    table = weakref.ref(at.session_state[OWN_COLLECTION].table)
    del at
    gc.collect()
    assert table() is None
