"""Results of `headlight texts run`, opened by their path: shown without the model, and by what the page can add."""

from functools import partial
from pathlib import Path
from unittest.mock import Mock

import pytest
from streamlit.testing.v1 import AppTest

from encoder.catalogue import load
from encoder.collection.driving_heads import silence_heads
from encoder.collection.driving_words import row_words, words_of_rows
from encoder.collection.engine import RowWorker, prepare, run_texts
from encoder.collection.files import open_collection
from encoder.collection.names import What
from encoder.collection.results import results_of_all
from encoder.engines.local import this_process
from tests.app.app_script import alerts, captions, click, figure, numbers, open_page, run, unfold
from tests.app.app_script import sentences_of as text
from tests.app.jobs import settled, started_jobs
from viz.caches import collections
from viz.page import collection_inputs
from viz.views.driving_words import steps as driving_words
from viz.wording.labels import head_in_words
from viz.wording.models import title_of_model

pytestmark = pytest.mark.usefixtures("jobs_begin_at_once", "each_text_is_read_once")

REVIEWS = (
    "text\tlabel\nA fine film.\tpositive\nA dull film.\tnegative\nIt has two parts.\tneutral\n"
    "A dull, dull day.\tnegative\nThe plot is a mess.\tpositive\nWe saw a dull film.\tnegative\n"
)


def written(folder: Path, *what: What, model: str = "scratch") -> Path:
    """The folder with the results of a model."""
    path = folder / "reviews.tsv"
    path.write_text(REVIEWS)
    started = prepare(path, model, what, device="cpu")
    run_texts(started, folder / "results", this_process(partial(RowWorker, started.job)))
    return folder / "results"


@pytest.fixture(scope="module")
def every_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("run"), "predictions", "words", "heads")


def opened(path: Path, **link: str) -> AppTest:
    at = open_page(**{"view": "texts", "model": "scratch", "collection": "own"} | link)
    at.text_input(key="own_table_path").set_value(str(path))
    started_jobs.clear()
    return run(at)


def rows_in(at: AppTest) -> int:
    [found] = [table.value for table in at.dataframe if "prediction" in table.value]
    return len(found)


def test_errors_are_shown_at_once_and_named_after_their_model(every_table: Path) -> None:
    at = opened(every_table)
    assert "The model is right in **" in text(at)
    assert rows_in(at) == 6
    assert not started_jobs
    [about] = [caption for caption in at.caption if caption.value.startswith("Saved results of")]
    assert about.value.endswith(title_of_model("scratch"))
    assert about.help == "Predictions, words, heads of 6 rows."
    assert not [button for button in at.button if button.key == "run_over_rows"]
    assert at.query_params["collection"] == "own"
    assert str(every_table) not in str(at.query_params)


def test_results_of_more_rows_say_which_have_words(every_table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collection_inputs, "MOST_ROWS", 4)
    at = opened(every_table)
    assert "*Errors* counts all 6 rows. Words and heads are of the first 4." in captions(at)
    assert rows_in(at) == 6


def test_driving_words_and_heads_are_those_of_the_run(every_table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("find_driving_words", "silence_heads"):
        monkeypatch.setattr(driving_words, name, Mock(side_effect=AssertionError("the model runs")))
    at = settled(opened(every_table / "words.parquet", view="driving words"))
    at.button_group(key="rows").set_value(["errors"])
    settled(run(at))
    model, collection = load("scratch"), open_collection(every_table.parent / "reviews.tsv")
    results = results_of_all(model, collection)
    own = words_of_rows(row_words(model, collection, results, "errors"))
    dots = numbers(figure(at, "driving-words")["data"][1]["x"])
    assert dots == pytest.approx(own.means[: len(dots)].tolist(), abs=1e-4)
    assert "**Without “" in text(at)
    settled(unfold(at, "driving_heads"))
    heads = silence_heads(model, collection, results, "errors")
    first = heads.largest(heads.flips)
    changed = f"{heads.flips[first]} of {len(heads.rows)} rows change class"
    assert f"**Without {head_in_words(*first)}, {changed}**" in text(at)


def test_another_model_of_the_page_is_named_and_runs_after_a_click(every_table: Path) -> None:
    saved, own = title_of_model("scratch"), title_of_model("scratch-untrained")
    at = opened(every_table, model="scratch-untrained")
    assert f"These are saved results of **{saved}**. The page has another model." in text(at)
    said = text(at)
    settled(click(at, "run_over_rows"))
    assert f"These are results of **{own}**, not the saved ones." in text(at)
    assert any("this head has never seen an example" in alert for alert in alerts(at))
    assert text(click(at, "run_over_rows")) == said
    click(at, "open_model_of_run")
    assert at.query_params["model"] == "scratch"


def test_what_needs_the_model_of_the_run_says_so_with_another_one(every_table: Path) -> None:
    at = settled(opened(every_table, model="bundled", view="driving words"))
    assert len(figure(at, "driving-words")["data"][1]["x"])  # of the words that push more than chance
    [alert] = alerts(at)
    assert f"This needs {title_of_model('scratch')}, which gave the saved results" in alert
    settled(unfold(at, "driving_heads"))
    assert figure(at, "driving-heads")


def test_a_second_model_is_run_next_to_the_saved_results(every_table: Path) -> None:
    saved, second = title_of_model("scratch"), title_of_model("scratch-untrained")
    at = settled(opened(every_table, model="bundled", other_model="scratch-untrained"))
    assert "The model is right in **" in text(at)
    assert f"“{saved}” alone is right" in text(at)
    assert f"“{second}” alone in" in text(at)
    at = settled(opened(every_table, model="bundled", other_model="scratch"))
    assert "The two models disagree" not in text(at)


def test_search_takes_saved_vectors_of_the_model_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written(tmp_path, "vectors", model="bundled")
    at = settled(opened(folder, model="scratch-untrained", view="search", find="a boring film"))
    assert "comes first of 6" in text(at)
    monkeypatch.setattr(collections, "embed_rows", Mock(side_effect=AssertionError("the model runs")))
    at = settled(opened(folder, model="bundled", view="search", find="a boring film"))
    assert "comes first of 6" in text(at)
    assert at.dataframe[0].value["text"][1] == "A dull film."
    at = opened(folder, model="scratch")
    assert "Saved results of" in captions(at)


def test_results_that_cannot_be_opened_leave_the_table(every_table: Path, tmp_path: Path) -> None:
    at = opened(every_table)
    (tmp_path / "plan.json").write_text("{}")
    at.text_input(key="own_table_path").set_value(str(tmp_path))
    run(at)
    [alert] = alerts(at)
    assert "this version reads 6" in alert
    assert rows_in(at) == 6
