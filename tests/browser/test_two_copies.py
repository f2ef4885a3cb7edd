"""Two copies of the app behind the proxy as deploy/haproxy.cfg has it: one of them is killed while somebody uses it."""

import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.pages.app_page import TO_START, AppPage
from tests.browser.pages.server import ROOT, Server, free_port
from tests.browser.pages.window import Window

PROXY = shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
CONNECTED = '[data-testid="stApp"][data-test-connection-state="CONNECTED"]'

pytestmark = pytest.mark.skipif(PROXY is None, reason="haproxy is not installed")


@dataclass
class Copies:
    """Two servers by their names in the proxy's configuration, and the address of both together."""

    servers: dict[str, Server]
    url: str


@pytest.fixture
def copies(tmp_path: Path) -> Iterator[Copies]:
    servers = {name: Server(port=free_port(), log=tmp_path / f"{name}.txt", environment={}) for name in ("one", "two")}
    address = f"127.0.0.1:{free_port()}"
    environment = {"HEADLIGHT_ADDRESS": address}
    environment |= {f"HEADLIGHT_{name.upper()}": f"127.0.0.1:{server.port}" for name, server in servers.items()}
    proxy = None
    try:
        for server in servers.values():
            server.start()
        proxy = subprocess.Popen(
            [str(PROXY), "-db", "-f", "deploy/haproxy.cfg"], cwd=ROOT, env=os.environ | environment
        )
        wait_for(f"http://{address}/_stcore/health")
        yield Copies(servers, f"http://{address}")
    finally:
        if proxy is not None:
            proxy.terminate()
            proxy.wait(10)
        for server in servers.values():
            server.stop()


def wait_for(url: str) -> None:
    until = time.monotonic() + 30
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (OSError, urllib.error.HTTPError):
            assert time.monotonic() < until
            time.sleep(0.1)  # between two questions


def copy_of(at: AppPage) -> str:
    """The copy that the page is at, as its cookie says."""
    (cookie,) = [cookie for cookie in at.page.context.cookies() if cookie["name"] == "HEADLIGHT"]
    return str(cookie["value"])


def test_the_page_comes_back_on_the_other_copy_as_it_was(copies: Copies, browser: Window) -> None:
    at = AppPage(browser.new_page(reduced_motion="reduce"), copies.url)
    try:
        at.open(a="time flies like an arrow", b="").layer(3).head(7).heat_map("L3 H7")
        at.text("A").fill("fruit flies like a banana")
        at.selected(a="fruit flies like a banana", layer="3", head="7")
        before = copy_of(at)
        process = copies.servers[before].process
        assert process is not None
        process.kill()
        at.page.wait_for_selector(CONNECTED, state="detached")
        at.page.wait_for_selector(CONNECTED, timeout=TO_START)
        at.idle(TO_START)
        assert {copy_of(at), before} == {"one", "two"}
        expect(at.text("A")).to_have_value("fruit flies like a banana")
        at.selected(a="fruit flies like a banana", layer="3", head="7")
        at.layer(2).heat_map("L2 H7")
        at.selected(a="fruit flies like a banana", layer="2", head="7")

        at.page.reload()
        expect(at.text("A")).to_have_value("fruit flies like a banana", timeout=TO_START)
        at.heat_map("L2 H7")
        assert copy_of(at) != before
    finally:
        at.page.close()


def test_people_are_divided_between_the_copies_and_stay_where_they_are(copies: Copies, browser: Window) -> None:
    at = AppPage(browser.new_page(reduced_motion="reduce"), copies.url)
    try:
        at.page.context.clear_cookies(name="HEADLIGHT")  # another test's
        at.open(a="time flies", b="")
        first = copy_of(at)
        with urllib.request.urlopen(copies.url, timeout=30) as answer:  # somebody else, without a cookie
            given = answer.headers["Set-Cookie"]
        (other,) = copies.servers.keys() - {first}
        assert given.startswith(f"HEADLIGHT={other};")
        at.page.reload()
        expect(at.text("A")).to_have_value("time flies", timeout=TO_START)
        assert copy_of(at) == first
    finally:
        at.page.close()
