"""A page that stays open while its server is started again."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.pages.app_page import TO_START, AppPage
from tests.browser.pages.server import Server, free_port
from tests.browser.pages.window import Window

CONNECTED = '[data-testid="stApp"][data-test-connection-state="CONNECTED"]'


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
    """End the server and start it again, until the page that was open has found it and drawn itself."""
    server.stop()
    at.page.wait_for_selector(CONNECTED, state="detached")
    server.start()
    at.page.wait_for_selector(CONNECTED, timeout=TO_START)
    expect(at.option("Layer", "2")).to_be_enabled(timeout=TO_START)
    at.idle()


def click_a_layer(at: AppPage) -> None:
    at.layer(3).heat_map("L3 H4")
    at.selected(layer="3")


def go_back(at: AppPage) -> None:
    at.page.go_back()
    at.heat_map("L0 H4")
    at.selected(layer=None)


@pytest.mark.parametrize("act", [click_a_layer, go_back])
def test_the_first_click_after_a_restart_counts(page: AppPage, server: Server, act: Callable[[AppPage], None]) -> None:
    page.open().layer(2).heat_map("L2 H4")
    restart(page, server)
    act(page)
