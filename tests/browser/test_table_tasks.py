"""An analyst's tasks with a table of texts, each at most three clicks from the first screen."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.pages.app_page import Open
from tests.browser.test_first_minute import MOST_CLICKS, Person

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


def queries_that_fail(person: Person) -> None:
    view(person, "Search")
    says(person, "comes first of")
    person.click(person.at.page.get_by_text("How often is a relevant text found?"))
    says(person, "comes first for 60 % of its 50 queries")


TASKS = [errors_of_a_classifier, errors_in_a_slice, queries_that_fail]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.__name__)
def test_a_task_is_at_most_three_clicks_away(visit_app: Open, task: Callable[[Person], None]) -> None:
    person = Person(visit_app())
    task(person)
    assert person.clicks <= MOST_CLICKS
    person.at.assert_sound()


def test_an_own_file_survives_a_reload(open_app: Open, tmp_path: Path) -> None:
    """It is chosen in the menu, which closes, and run."""
    person = Person(open_app(view="texts", model="bundled-sentiment"))
    person.button("Open a table")
    file = tmp_path / "mine.csv"
    file.write_text(REVIEWS, encoding="utf-8")
    person.at.page.locator("input[type=file]").set_input_files(file)
    person.button("Run over these rows")
    says(person, "of 3 rows")
    person.at.page.reload()
    says(person, "of 3 rows")
