"""The first screen: how many controls and words it has, and how many clicks a question needs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.pages.app_page import AppPage, Open
from viz.tours.files import parse_tour

MOST_CONTROLS, MOST_WORDS, MOST_CLICKS = 16, 145, 3
# What can be operated within the window, without the cells of pictures, help and defined terms; and the words there
# outside the pictures.
SEEN = r"""() => {
    const parts = (root) => [...root.querySelectorAll("*")].flatMap((part) =>
        part.shadowRoot ? [part, ...parts(part.shadowRoot)] : [part]);
    const isSeen = (part) => {
        const { top, bottom, width, height } = part.getBoundingClientRect();
        return part.checkVisibility({ visibilityProperty: true, opacityProperty: true })
            && width > 1 && height > 1 && top < innerHeight && bottom > 0;
    };
    const seen = parts(document.querySelector("[data-testid=stMain]")).filter(isSeen);
    const operated = "button, select, textarea, input, summary, a[href], [role=radio], [role=slider]";
    const left = "[aria-label^=Help], .stSelectbox, .term";
    const controls = seen.filter((part) => part.matches(operated) && !part.closest(left))
        .concat(seen.filter((part) => part.matches(".stSelectbox")));
    const symbols = "select, option, style, script, [data-testid=stIconMaterial], .st-key-loading"; // which goes away
    const words = seen.filter((part) => part.getRootNode() === document).flatMap((part) => [...part.childNodes])
        .filter((node) => node.nodeType === Node.TEXT_NODE && !node.parentElement.closest(symbols))
        .map((node) => node.textContent)
        .concat(seen.filter((part) => part.matches("input")).map((field) => field.value));
    return [
        controls.map((part) => part.getAttribute("aria-label") || part.innerText || part.value || part.className),
        words.join(" ").split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)),
    ];
}"""


@dataclass
class Person:
    """Somebody who clicks, and how often."""

    at: AppPage
    clicks: int = 0

    def click(self, part: Locator) -> None:
        self.clicks += 1
        part.click()

    def button(self, name: str | re.Pattern[str]) -> None:
        self.click(self.at.page.get_by_role("button", name=name))

    def pick(self, box: str, option: str) -> None:
        self.click(self.at.select(box))
        self.click(self.at.page.get_by_role("option", name=option, exact=True))

    def lessons(self, option: str) -> None:
        self.button("Lessons")
        items = self.at.page.get_by_role("menuitem", name=option, exact=True)
        self.click(items.or_(self.at.page.get_by_role("option", name=option)).first)

    def cell(self, row: int, column: int) -> None:
        """Click a cell of the first heat map: the pointer looks for it before."""
        canvas, view = self.at.cells, self.at.page.locator(".view:has(> .stage)").first
        box = canvas.bounding_box()
        middle, parts = box["x"] + box["width"] / 2, [part / 40 for part in range(40)]

        def hovered(x: float, y: float) -> list[str]:
            self.at.page.mouse.move(x, y)
            return (view.get_attribute("data-hovered") or "").split(",")

        rows = (box["y"] + box["height"] * part for part in parts)
        y = next(y for y in rows if hovered(middle, y)[0] == str(row))
        columns = (box["x"] + box["width"] * part for part in parts)
        x = next(x for x in columns if hovered(x, y) == [str(row), str(column)])
        self.clicks += 1
        self.at.page.mouse.click(x, y)


@pytest.fixture
def person(visit_app: Open) -> Person:
    at = visit_app()
    at.heat_map("L0 H4")
    return Person(at)


def test_the_first_screen_is_short_needs_no_scrolling_and_tells_the_two_flies_apart(open_app: Open) -> None:
    at = open_app()
    at.heat_map("L0 H4")
    next_steps = at.page.locator(".st-key-next button")
    expect(next_steps).to_have_count(4)
    expect(at.page.locator(".st-key-without")).to_contain_text("without any look at “time”")
    caveat = at.page.get_by_text("Attention is not an explanation")
    for width, height in ((1440, 900), (1280, 720)):
        at.page.set_viewport_size({"width": width, "height": height})
        for part in (at.cells, at.map, next_steps.last, caveat):
            expect(part).to_be_in_viewport(ratio=1)
        controls, words = at.page.evaluate(SEEN)
        assert len(controls) <= MOST_CONTROLS, controls
        assert len(words) <= MOST_WORDS, words
    shown = at.page.locator(".st-key-answer")
    expect(shown).to_contain_text("Is “flies” a verb or a noun?")
    expect(shown).to_contain_text("The model reads “flies” as a verb in A (93 %) and as a noun in B (96 %).")


def test_one_click_makes_the_verb_a_noun(person: Person) -> None:
    shown = person.at.page.locator(".st-key-cuts")
    person.button("Cut it")
    expect(shown).to_contain_text("Without “flies” → “time” in all layers: verb 93 % → 6 % ")
    expect(shown).to_contain_text("Without “flies” → “fruit” in all layers: noun 96 % → 94 % ")
    person.at.selected(cut="A2-1_B2-1")
    assert person.clicks == 1


def asks_for_a_head(person: Person) -> None:
    at = person.at
    at.text("A").fill("the bank raised its rates")
    at.text("B").fill("we sat on the bank of the river")
    at.text("B").press("Control+Enter")
    at.selected(a="the bank raised its rates")
    at.heat_map("L0 H4", words=["the", "bank"])
    person.cell(2, 5)
    card = at.page.get_by_role("dialog", name="The selected cell")
    expect(card).to_contain_text("“bank”")
    head = card.get_by_role("listitem").get_by_role("button").first
    expect(head).to_contain_text("L0 H3")
    person.click(head)
    at.selected(head="3", query="2", key="5")


def asks_what_training_does(person: Person) -> None:
    person.button("Compare with random weights")
    person.at.selected(view="models")
    expect(person.at.page.get_by_text("its weights are random")).to_be_visible()


def asks_why_this_prediction(person: Person) -> None:
    at = person.at
    at.text("A").fill("The movie was not bad at all.")
    at.text("B").fill("")
    at.text("B").press("Control+Enter")
    at.selected(a="The movie was not bad at all.")
    person.pick("Model", "all-MiniLM-L6-v2, tuned on film reviews")
    person.button(re.compile("^Why “"))
    at.selected(view="why")
    expect(at.picture()).to_be_visible()


def asks_for_a_step_of_the_anatomy(person: Person) -> None:
    person.button("How is 80 % computed?")
    person.at.selected(view="anatomy", walk="softmax")
    expect(person.at.page.locator(".katex").first).to_be_visible()


def asks_for_a_file(person: Person) -> None:
    person.button("Export")
    with person.at.page.expect_download() as download:
        person.click(person.at.page.get_by_test_id("stPopoverBody").get_by_role("button", name="Heat map"))
    assert "time flies like an arrow" in Path(download.value.path()).read_text(encoding="utf-8")


def asks_where_a_number_comes_from(person: Person) -> None:
    person.cell(2, 1)
    card = person.at.page.get_by_role("dialog", name="The selected cell")
    expect(card).to_contain_text("“flies” gives 80 % of its attention to “time”")
    person.click(card.get_by_role("button", name="How is it computed?"))
    person.at.selected(view="anatomy", walk="softmax", row="2", column="1")


def test_a_talk_of_three_stops_is_made_reopened_and_saved(open_app: Open) -> None:
    at = open_app()
    at.heat_map("L0 H4")
    person = Person(at)
    person.lessons("Start a lesson with this page")
    at.selected(stop="1")
    assert person.clicks <= MOST_CLICKS
    for stop, head in (("2", 1), ("3", 2)):
        at.head(head)
        person.button("Add this page")
        at.selected(stop=stop)
    assert person.clicks <= MOST_CLICKS + 2, "a click for each further stop, and none to keep it in the browser"
    at.page.wait_for_function(
        "() => JSON.parse(localStorage.getItem('headlight.tours') ?? '[]')[0]?.[1].match(/^## /gm)?.length === 3"
    )
    person = Person(at.open())
    person.lessons("Mine: My lesson")
    expect(at.page.locator(".st-key-tour")).to_contain_text("1 of 3")
    assert person.clicks <= MOST_CLICKS
    person.clicks = 0
    person.button("More")
    with at.page.expect_download() as download:
        person.button("Save the file")
    assert len(parse_tour(Path(download.value.path()).read_text(encoding="utf-8")).stops) == 3
    assert person.clicks <= MOST_CLICKS
    at.assert_sound()


@pytest.mark.parametrize(
    "task",
    [
        asks_for_a_head,
        asks_what_training_does,
        asks_why_this_prediction,
        asks_for_a_step_of_the_anatomy,
        asks_for_a_file,
        asks_where_a_number_comes_from,
    ],
    ids=lambda task: task.__name__,
)
def test_an_answer_is_at_most_three_clicks_away(person: Person, task: Callable[[Person], None]) -> None:
    task(person)
    assert person.clicks <= MOST_CLICKS
    person.at.assert_sound()
