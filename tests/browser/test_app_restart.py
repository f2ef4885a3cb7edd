"""A page that stays open while its server is started again."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages.app_page import TO_START, App, AppPage
from tests.browser.pages.window import Window

CONNECTED = '[data-testid="stApp"][data-test-connection-state="CONNECTED"]'
SCRUB = """() => {
    const selection = window[Symbol.for("headlight.selections")].get("encoder");
    for (const layer of [0, 1, 3, 4]) selection.change({ layer, head: 1, heads: "" });
}"""
TYPE = """(field, text) => {
    field.value = text;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}"""
IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'


@dataclass
class Restarted:
    """Pages that were open while their server was started again, one for each test: every click there is the first."""

    pages: dict[str, AppPage]

    def idle(self, name: str) -> AppPage:
        """The page of that test, once the new server has drawn it."""
        at = self.pages[name]
        at.page.wait_for_selector(IDLE, timeout=TO_START)
        return at


NAMES = ("clicked", "typed early", "chosen without", "typed without", "example")


@pytest.fixture(scope="module")
def restarted(browser: Window, app: App, visited: list[Page]) -> Iterator[Restarted]:
    """One restart for all tests, as a server takes as long to start as all of them.

    What somebody does while the server is gone, or as soon as it is back, is done here.
    """
    while visited:
        visited.pop().close()
    pages = {name: AppPage(browser.new_page(reduced_motion="reduce"), app.url) for name in NAMES}
    try:
        for name, at in pages.items():
            if name == "typed without":
                at.open(a="time flies", b="").heat_map("L0 H4")
            elif name == "example":
                at.open().heat_map("L0 H4")
            else:
                at.open().layer(2).heat_map("L2 H4")
        app.server.stop()
        for at in pages.values():
            at.page.wait_for_selector(CONNECTED, state="detached")
        pages["chosen without"].page.evaluate(SCRUB)  # Streamlit's dialog about the server keeps the keys
        pages["chosen without"].painted(".view:has(.stage)", "L4|H1")
        pages["typed without"].text("A").evaluate(TYPE, "time flies like an arrow")
        app.server.start()
        pages["typed early"].page.wait_for_selector(CONNECTED, timeout=TO_START)
        pages["typed early"].type_on_map("L3")
        for at in pages.values():
            at.page.wait_for_selector(CONNECTED, timeout=TO_START)
        yield Restarted(pages)
    finally:
        for at in pages.values():
            at.page.close()


def test_the_first_click_after_a_restart_counts_and_then_the_way_back(restarted: Restarted) -> None:
    at = restarted.idle("clicked")
    at.cells.click(position={"x": 250, "y": 250})
    at.page.wait_for_function("location.search.includes('query=')")
    at.layer(3).heat_map("L3 H4")
    at.page.go_back()
    at.selected(layer="2").heat_map("L2 H4")


def test_a_key_counts_before_the_page_has_drawn_itself_again(restarted: Restarted) -> None:
    page = restarted.pages["typed early"]
    page.heat_map("L3 H4")
    page.selected(layer="3")


def test_a_choice_without_a_server_shows_and_is_sent_when_it_is_back(restarted: Restarted) -> None:
    page = restarted.pages["chosen without"]
    page.selected(layer="4", head="1")
    page.heat_map("L4 H1")


def test_what_is_typed_while_the_server_is_gone_is_kept(restarted: Restarted) -> None:
    page = restarted.pages["typed without"]
    expect(page.strip.locator(".label").nth(5)).to_have_text("arrow", timeout=TO_START)
    expect(page.text("A")).to_have_value("time flies like an arrow")
    page.selected(a="time flies like an arrow")


def test_an_example_is_picked_first_after_a_restart(restarted: Restarted) -> None:
    page = restarted.idle("example")
    page.pick("Example", "bark: tree or dog?").selected(b="the dogs bark at every stranger who walks past")
    expect(page.text("A")).to_have_value("the bark of the old oak was rough and brown")
