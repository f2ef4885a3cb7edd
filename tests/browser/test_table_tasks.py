"""An analyst's tasks with a table of texts, each at most three clicks from the first screen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from encoder.collection import row_tables
from encoder.collection.engine import RowWorker, prepare, run_texts
from tests.browser.pages.app_page import Open
from tests.browser.test_first_minute import MOST_CLICKS, Person
from tests.encoder.random_models import bert_folder

REVIEWS = "text,label\nA fine film.,positive\nA dull film.,negative\nIt has two parts.,neutral\n"


def view(person: Person, name: str) -> None:
    person.click(person.at.views)
    person.click(person.at.page.get_by_role("menuitem", name=re.compile(f"^{name} ")))


def says(person: Person, sentence: str) -> None:
    expect(person.at.page.get_by_test_id("stMain").get_by_text(re.compile(sentence)).first).to_be_visible()


def errors_of_a_classifier(person: Person) -> None:
    view(person, "Texts")
    says(person, "The model is right in")
    person.button("Errors")
    says(person, "93 of 240 rows")


def errors_in_a_slice(person: Person) -> None:
    person.at.go(view="texts", model="bundled-sentiment", rows="errors")
    person.at.select("More filters").fill("irony")
    person.click(person.at.page.get_by_role("option", name="hard: irony (14)", exact=True))
    says(person, "8 of 240 rows")
    person.at.selected(rows="errors & hard=irony")


def where_they_are(person: Person) -> None:
    view(person, "Texts")
    says(person, "No group of rows stands out")
    person.click(person.at.page.get_by_text("How do we know?"))
    says(person, "by Fisher's exact test")


def texts_that_occur_twice(person: Person) -> None:
    view(person, "Texts")
    person.click(person.at.page.get_by_text("Texts that occur twice, or nearly"))
    says(person, "0 pairs of texts")


def queries_that_fail(person: Person) -> None:
    view(person, "Search")
    says(person, "comes first of")
    person.click(person.at.page.get_by_text("How often is a relevant text found?"))
    says(person, "comes first for 60 % of its 50 queries")


def a_bias_test(person: Person) -> None:
    view(person, "Swaps")
    says(person, "“is” → “is not” moves the probability of “positive” by")


def the_meanings_of_a_word(person: Person) -> None:
    view(person, "One word")
    says(person, "the states of “.+” tell one sense from another")


TASKS = [
    errors_of_a_classifier,
    errors_in_a_slice,
    where_they_are,
    texts_that_occur_twice,
    queries_that_fail,
    a_bias_test,
    the_meanings_of_a_word,
]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.__name__)
def test_a_task_is_at_most_three_clicks_away(visit_app: Open, task: Callable[[Person], None]) -> None:
    person = Person(visit_app())
    task(person)
    assert person.clicks <= MOST_CLICKS
    person.at.assert_sound()


def test_an_own_file_survives_a_reload(open_app: Open, tmp_path: Path) -> None:
    """The eighth: it is chosen in the menu, which closes, and run."""
    person = Person(open_app(view="texts", model="bundled-sentiment"))
    person.button("Open a table")
    file = tmp_path / "mine.csv"
    file.write_text(REVIEWS, encoding="utf-8")
    person.at.page.locator("input[type=file]").set_input_files(file)
    person.button("Run over these rows")
    says(person, "of 3 rows")
    person.at.page.reload()
    says(person, "of 3 rows")


def test_tags_of_an_own_model_have_their_scores(open_app: Open, tmp_path: Path) -> None:
    model = bert_folder(tmp_path / "ner", "BertForTokenClassification", id2label={0: "O", 1: "B-PER"})
    file = tmp_path / "tagged.csv"
    file.write_text("text,label\ntime flies,B-PER O\na banana,O O\n", encoding="utf-8")
    person = Person(open_app(view="texts", model=str(model)))
    person.button("Load it")
    person.at.page.get_by_role("button", name="Open a table").click()
    person.at.page.locator("input[type=file]").set_input_files(file)
    person.button("Run over these rows")
    person.click(person.at.page.get_by_text("Whole entities and each tag: precision, recall and F1"))
    says(person, "entities")
    assert person.clicks == MOST_CLICKS
    person.at.assert_sound()


def test_a_stopped_run_resumes_and_the_page_opens_its_results(
    open_app: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_tables, "SHARD", 1)
    file, out = tmp_path / "mine.csv", tmp_path / "results"
    file.write_text(REVIEWS, encoding="utf-8")
    run = prepare(file, "bundled-sentiment", ("predictions",), device="cpu")
    worker = RowWorker(run.job)

    def first(shards: Iterable[Any]) -> Iterator[Any]:
        yield worker.measure(next(iter(shards)))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_texts(run, out, nullcontext(first))
    run_texts(run, out, nullcontext(partial(map, worker.measure)))
    person = Person(open_app(view="texts", model="bundled-sentiment"))
    person.button("Open a table")
    path = person.at.page.get_by_label(re.compile("^Or a path on this computer"))
    path.fill(str(out))
    path.press("Enter")
    says(person, "of 3 rows")
    expect(person.at.page.get_by_text("Saved results of")).to_be_visible()
    assert person.clicks <= MOST_CLICKS
    person.at.assert_sound()
