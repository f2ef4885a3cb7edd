"""Headlight in Chromium: what is clicked, and how long it takes until the picture is painted."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

from playwright.sync_api import Browser, BrowserType, Locator, Page, TimeoutError, sync_playwright

from bench.server import ROOT

SIZE = {"width": 1440, "height": 900}
LIMIT = 120.0  # seconds that a picture may take; after them the row says "does not"
WAIT = 60_000  # milliseconds for everything that is not measured
SOON = 10_000  # milliseconds


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser and its driver, of which a thread can have one."""
    with sync_playwright() as playwright, launched(playwright.chromium) as browser:
        yield browser


@contextmanager
def launched(driver: BrowserType) -> Iterator[Browser]:
    """The Chromium of the browser tests."""
    found = os.environ.get("HEADLIGHT_CHROMIUM")
    if not found:
        script = [str(ROOT / "tests" / "chromium.sh")]
        found = subprocess.run(script, check=True, capture_output=True, text=True).stdout.strip()
    browser = driver.launch(executable_path=found, args=["--no-sandbox"])
    try:
        yield browser
    finally:
        browser.close()


class PageError(Exception):
    """What a page shows in place of the picture, such as the error of a Streamlit script that failed."""


@dataclass(frozen=True, slots=True)
class Sample:
    """From a click to the painted picture, and what the server sent until it was done."""

    seconds: float
    bytes: int


class Tab:
    """One page in a browser context of its own. `kind` is a picture of page.js: "heat map", "head view", ..."""

    def __init__(self, browser: Browser, url: str) -> None:
        self.url = url
        self._is_on_map = False
        self.page: Page = browser.new_context(viewport=SIZE).new_page()  # type: ignore[arg-type]
        self.page.set_default_timeout(WAIT)
        self.page.add_init_script(path=str(Path(__file__).parent / "page.js"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.page.context.close()

    def open(self, **params: str) -> Self:
        """Go to a link of the page, agree to a model folder where the page asks, and wait until all is drawn."""
        self.goto(**params)
        self.idle()
        agree = self.page.get_by_role("button", name="Load it", exact=True)
        if agree.count():
            agree.click()
            self.page.wait_for_selector("text=Load it", state="detached")
            self.idle()
        return self

    def goto(self, **params: str) -> None:
        """Go to a link of the page, and wait for nothing but its HTML."""
        self.page.goto(f"{self.url}/?{urlencode(params)}" if params else self.url, wait_until="commit")

    def idle(self) -> None:
        """Wait until the script has run."""
        self.page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]', timeout=1e3 * LIMIT)

    def measure(self, kind: str, act: Callable[[], Any], *, key: str = "Enter", wanted: str = "") -> Sample:
        """Time from the click or the key in `act` until another picture of that kind is painted, or the wanted one.

        With "input" as the key, from when `act` puts a text into a field, which the page answers by itself; with
        "mouseup", from the end of a drag.

        Raises:
            playwright.sync_api.Error: it takes longer than LIMIT, or the page crashes.
            PageError: the page shows an exception instead.
        """
        self.page.evaluate("([kind, key, wanted]) => bench.arm(kind, key, wanted)", [kind, key, wanted])
        act()
        seconds, before = self._done()
        self.idle()
        return Sample(seconds, self.page.evaluate("bench.bytes") - before)

    def measure_change(self, key: str, act: Callable[[], Any]) -> float:
        """Seconds from the click or key in `act` until the view with that Streamlit key has another picture on screen.

        It is the frame's own end, where `measure` waits for two more: what the browser draws by itself takes no longer.
        """
        self.page.evaluate("key => bench.armChange(key)", key)
        act()
        return self._done()[0]

    def press_on_map(self, key: str) -> None:
        """A key on the map of all heads, where the focus is put at first."""
        if not self._is_on_map:
            self.page.locator(".map canvas").first.focus()
            self._is_on_map = True
        self.page.keyboard.press(key)

    def first(self, kind: str) -> float:
        """When the first picture of that kind is painted, in seconds since 1970; call it before there is one."""
        self.page.evaluate("kind => bench.first(kind)", kind)
        return self._done()[0]

    def _done(self) -> tuple[float, int]:
        self.page.wait_for_function("() => bench.done || bench.failed()", timeout=1e3 * LIMIT)
        if failed := self.page.evaluate("bench.failed()"):
            raise PageError(failed)
        done = self.page.evaluate("bench.done")
        return float(done["seconds"]), int(done["bytes"])

    def has(self, kind: str) -> bool:
        """Whether a picture of that kind is on the page, or comes onto it soon."""
        try:
            self.page.wait_for_function("kind => bench.pictures[kind]()", arg=kind, timeout=SOON)
        except TimeoutError:
            return False
        return True

    def hovered(self, key: str) -> str:
        """What a view shows as hovered, "query,key", once the mouse's last move is drawn."""
        return str(self.page.evaluate("key => bench.hovered(key)", key))

    def text_field(self) -> Locator:
        """The field of the first sentence, or of what an encoder-decoder reads."""
        return self.page.get_by_role("textbox", name=re.compile("^(Sentence A|Text)"))

    def type(self, text: str) -> Callable[[], None]:
        """What puts a text into the first field and sends it."""

        def send() -> None:
            self.text_field().fill(text)
            self.text_field().press("Control+Enter")

        return send

    def settle(self, text: str) -> None:
        """Wait until Python has been told of the text put into the first field, and has drawn all of the page."""
        self.page.wait_for_url(lambda url: parse_qs(urlsplit(url).query).get("a") == [text])
        self.idle()

    def wait_for(self, kind: str, wanted: str) -> None:
        """Wait until a picture of that kind shows this.

        Raises:
            PageError: it shows something else for longer than WAIT.
        """
        try:
            self.page.wait_for_function("([kind, wanted]) => bench.shows(kind, wanted)", arg=[kind, wanted])
        except TimeoutError as error:
            shown = self.page.evaluate("kind => bench.pictures[kind]()", kind)
            raise PageError(f"The {kind} is {shown!r}, not {wanted!r}.") from error

    def choose_view(self, name: str) -> Callable[[], None]:
        """Open the list of views. Returns a click on one of them."""
        self.page.get_by_role("button", name=re.compile("^View: ")).click()
        return self.page.get_by_role("menuitem", name=re.compile(f"^{re.escape(name)} ")).click

    def view(self, name: str) -> None:
        """Go to another view, unmeasured."""
        self.choose_view(name)()
        self.page.wait_for_url(re.compile(f"view={name.lower().replace(' ', r'(%20|[+])')}"))
        self.idle()
