"""A page that stays open while its server is started again."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.pages.app_page import TO_START, AppPage
from tests.browser.pages.server import Server, free_port
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


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(port=free_port(), log=tmp_path_factory.mktemp("restarted") / "log.txt", environment={})
    server.start()
    yield server
    server.stop()


@pytest.fixture
def page(browser: Window, server: Server) -> Iterator[AppPage]:
    at = AppPage(browser.new_page(reduced_motion="reduce"), server.url)
    yield at
    at.page.close()


def restart(at: AppPage, server: Server) -> None:
    """End the server and start it again, until the page that was open has found it."""
    server.stop()
    at.page.wait_for_selector(CONNECTED, state="detached")
    server.start()
    at.page.wait_for_selector(CONNECTED, timeout=TO_START)


def click_a_layer(at: AppPage) -> None:
    at.layer(3).heat_map("L3 H4")
    at.selected(layer="3")


def pin_a_cell(at: AppPage) -> None:
    at.cells.click(position={"x": 250, "y": 250})
    at.page.wait_for_function("location.search.includes('query=') && location.search.includes('layer=2')")


def go_back(at: AppPage) -> None:
    at.page.go_back()
    at.heat_map("L0 H4")
    at.selected(layer=None)


@pytest.mark.parametrize("act", [click_a_layer, pin_a_cell, go_back])
def test_the_first_click_after_a_restart_counts(page: AppPage, server: Server, act: Callable[[AppPage], None]) -> None:
    page.open().layer(2).heat_map("L2 H4")
    restart(page, server)
    page.page.wait_for_selector(IDLE, timeout=TO_START)
    act(page)


def test_a_click_counts_before_the_page_has_drawn_itself_again(page: AppPage, server: Server) -> None:
    page.open().layer(2).heat_map("L2 H4")
    restart(page, server)
    page.type_on_map("L3")
    page.heat_map("L3 H4")
    page.selected(layer="3")


def test_what_was_chosen_without_a_server_is_seen_and_told_when_it_is_back(page: AppPage, server: Server) -> None:
    page.open().layer(2).heat_map("L2 H4")
    server.stop()
    page.page.wait_for_selector(CONNECTED, state="detached")
    page.page.evaluate(SCRUB)  # Streamlit's dialog about the server keeps the keys
    page.painted(".view:has(.stage)", "L4|H1")
    server.start()
    page.page.wait_for_selector(CONNECTED, timeout=TO_START)
    page.selected(layer="4", head="1")
    page.heat_map("L4 H1")


def test_what_is_typed_while_the_server_is_gone_is_kept(page: AppPage, server: Server) -> None:
    page.open(a="time flies", b="").heat_map("L0 H4")
    server.stop()
    page.page.wait_for_selector(CONNECTED, state="detached")
    page.text("A").evaluate(TYPE, "time flies like an arrow")  # Streamlit's dialog about the server keeps the keys
    server.start()
    page.page.wait_for_selector(CONNECTED, timeout=TO_START)
    expect(page.strip.locator(".label").nth(5)).to_have_text("arrow", timeout=TO_START)
    expect(page.text("A")).to_have_value("time flies like an arrow")
    page.selected(a="time flies like an arrow")


def test_an_example_is_picked_first_after_a_restart(page: AppPage, server: Server) -> None:
    page.open().heat_map("L0 H4")
    restart(page, server)
    page.page.wait_for_selector(IDLE, timeout=TO_START)
    page.pick("Example", "bark: tree or dog?").selected(b="the dogs bark at every stranger who walks past")
    expect(page.text("A")).to_have_value("the bark of the old oak was rough and brown")
