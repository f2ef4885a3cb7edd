"""Slides in Chromium, opened from the disk on a projector's window."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Locator, Page, expect

from tests.browser.pages.axe import AXE, CHECK
from tests.browser.pages.saved_page import SavedPage

SIZES = "parts => parts.map((part) => parseFloat(getComputedStyle(part).fontSize))"
LEAST_SIZE = 14  # pixels of words, at 1280 by 720


class SlidesPage(SavedPage):
    """The slides in a file; `now` is the one on the screen."""

    def __init__(self, page: Page, path: Path, *, scheme: Literal["light", "dark"] = "light") -> None:
        page.set_viewport_size({"width": 1280, "height": 720})
        super().__init__(page, path, scheme=scheme)
        self.now = self.page.locator(".slide.now")

    @property
    def address(self) -> str:
        """What the address names, such as "#3a"."""
        return str(self.page.evaluate("location.hash"))

    def press(self, key: str, address: str) -> None:
        """Press a key, which leads to a stop."""
        self.page.keyboard.press(key)
        self.page.wait_for_function("address => location.hash === address", arg=address)

    def painted(self, ending: str, *, run: int = 0) -> Locator:
        """A view of the slide that shows the layer and the heads of "L3|H7"."""
        return self.now.locator(".live .run").nth(run).locator(f".view[data-painted$='|{ending}']")

    def fits_on_the_screen(self) -> None:
        """Wait until the slide needs no scrolling, with words that can be read from a distance."""
        self.page.wait_for_function("() => document.documentElement.scrollHeight <= window.innerHeight")
        said = self.now.locator(".said, .claims li").evaluate_all(SIZES)
        assert min(said) >= LEAST_SIZE

    def numbers(self) -> list[list[str]]:
        """The rows of the first picture's table, which is opened for that."""
        twin = self.now.locator(".live .twin").first
        twin.locator("summary").click()
        expect(twin.locator("table")).to_be_visible()
        return [row.locator("th, td").all_inner_texts() for row in twin.locator("tbody tr").all()]

    def violations(self) -> list[dict[str, Any]]:
        """What axe-core finds."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found: list[dict[str, Any]] = self.page.evaluate(CHECK, None)
        return found
