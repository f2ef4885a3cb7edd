"""A page without a network, and tokens to try it with."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser.pages.files import Files
from tests.browser.pages.watch import Watch

PAIR = ["[CLS]", "time", "flies", "like", "an", "arrow", "[SEP]", "fruit", "flies", "like", "a", "banana", "[SEP]"]
HOSTILE = [
    "[CLS]",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\u202eabc\x00",
    "🙂",
    "[SEP]",
]


class Offline:
    """A page of one document and the files beside it; `watch` notes every request elsewhere, error and dialog."""

    def __init__(self, page: Page, files: Files) -> None:
        self.page = page
        self.files = files
        self.watch = Watch(page, files.origin)

    def open(self, html: str) -> Page:
        self.page.goto(self.files.add(html))
        return self.page
