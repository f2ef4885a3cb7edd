"""Two copies of the app behind a proxy: the pages of one go on at the other when it breaks down."""

import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.pages.app_page import TO_START, AppPage, HeatMap
from tests.browser.pages.copies import HAPROXY, Copies
from tests.browser.pages.watch import assert_none
from tests.browser.pages.window import Window

pytestmark = pytest.mark.skipif(
    HAPROXY is None, reason="HAProxy is not installed (on Debian: apt-get install haproxy); with it this runs"
)

CONNECTED = '[data-testid="stApp"][data-test-connection-state="CONNECTED"]'
A, B = "the bank of the river was steep", "he put his money in the bank"
TYPED = "time flies like an arrow"
CONNECTION_LOST = re.compile("status of 50[234]|when disconnected from server")  # what the browser notes of it
TYPE = """(field, text) => {
    field.value = text;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}"""


@dataclass
class Moved:
    """What was open when a copy broke down: two pages in one window, which it served, and one in another window.

    Attributes:
        broken: the copy's name.
        address: that of the page `kept`, before.
        drawn: its heat map, before.
        reconnected: how often the page `beside` lost its connection.
    """

    copies: Copies
    window: BrowserContext
    window_beside: BrowserContext
    kept: AppPage
    typed: AppPage
    beside: AppPage
    broken: str
    address: str
    drawn: HeatMap
    reconnected: list[str]

    @property
    def other(self) -> str:
        """The copy that goes on."""
        return next(name for name in self.copies.servers if name != self.broken)


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copies]:
    copies = Copies(tmp_path_factory.mktemp("copies"))
    try:
        copies.start()
        yield copies
    finally:
        copies.stop()


@pytest.fixture(scope="module", params=[signal.SIGKILL, signal.SIGSTOP], ids=["killed", "standing still"])
def moved(request: pytest.FixtureRequest, browser: Window, copies: Copies) -> Iterator[Moved]:
    """One breakdown for all tests. What somebody types before the page notices it is typed here."""
    for name in sorted(copies.broken):
        copies.start_again(name)
    with ExitStack() as ends:
        window, window_beside = (browser.new_context(reduced_motion="reduce") for _ in range(2))
        ends.callback(window.close)
        ends.callback(window_beside.close)
        kept, typed = (AppPage(window.new_page(), copies.url) for _ in range(2))
        beside = AppPage(window_beside.new_page(), copies.url)
        kept.open(a=A, b=B).layer(2).head(7)
        typed.open(a="time flies", b="").heat_map("L0 H4")
        beside.open().layer(3).heat_map("L3 H4")
        reconnected: list[str] = []
        beside.page.on("websocket", lambda socket: reconnected.append(socket.url))
        broken, drawn, address = copies.serving(window), kept.heat_map("L2 H7"), kept.page.url
        with (
            kept.page.expect_websocket(timeout=TO_START),
            typed.page.expect_websocket(timeout=TO_START),
        ):
            copies.break_down(broken, request.param)
            typed.text("A").evaluate(TYPE, TYPED)
        for at in (kept, typed):
            at.page.wait_for_selector(CONNECTED, timeout=TO_START)
        yield Moved(copies, window, window_beside, kept, typed, beside, broken, address, drawn, reconnected)


def test_each_window_is_served_by_the_copy_with_fewer_pages(moved: Moved) -> None:
    assert moved.copies.serving(moved.window_beside) == moved.other


def test_a_page_continues_unchanged_at_the_other_copy(moved: Moved) -> None:
    page = moved.kept
    for is_loaded_again in (False, True):
        if is_loaded_again:
            page.page.reload()
        page.idle(TO_START)
        page.assert_chosen("L2 H7")
        assert page.heat_map("L2 H7") == moved.drawn
        expect(page.text("A")).to_have_value(A)
        expect(page.text("B")).to_have_value(B)
        assert page.page.url == moved.address
        assert moved.copies.serving(moved.window) == moved.other
    assert_none(page.trouble)


def test_what_is_typed_as_the_copy_breaks_down_is_kept_and_run(moved: Moved) -> None:
    expect(moved.typed.strip.locator(".label").nth(5)).to_have_text("arrow", timeout=TO_START)
    expect(moved.typed.text("A")).to_have_value(TYPED)
    moved.typed.selected(a=TYPED)
    assert_none([said for said in moved.typed.trouble if not CONNECTION_LOST.search(said)])


def test_a_page_of_the_other_copy_notices_nothing(moved: Moved) -> None:
    moved.beside.layer(5).heat_map("L5 H4")
    assert moved.reconnected == []
    assert_none(moved.beside.trouble)


def test_a_copy_that_is_started_again_is_used_again(moved: Moved) -> None:
    moved.copies.start_again(moved.broken)
    moved.kept.layer(4).heat_map("L4 H7")
    assert moved.copies.serving(moved.window) == moved.other  # pages stay where they are
