"""One window of Chromium for all pages: a tab takes a third of the computing that a window takes, and what the app
sends to every page, its scripts above all, is fetched once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

# A tab has at most 50 entries of history; one that could reach them in the next test is not used again.
MOST_ENTRIES = 35
# What a page keeps for its tab and for the next visit, where it is a page that can keep anything.
FORGET = "if (location.protocol.startsWith('http')) { sessionStorage.clear(); localStorage.clear(); }"
# What a browser stores from now on, in place of what it stored.
STORE = """(items) => {
    localStorage.clear();
    for (const [name, item] of Object.entries(items)) localStorage.setItem(name, item);
}"""


class Window:
    """Opens pages as a `Browser` does, but as tabs, which share cookies, storage and cache."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._context = browser.new_context()
        self._context.new_page()  # a window closes with its last tab
        self._free: list[Page] = []

    def new_page(
        self,
        *,
        viewport: ViewportSize | None = None,
        color_scheme: Literal["light", "dark"] = "light",
        reduced_motion: Literal["reduce", "no-preference"] = "no-preference",
    ) -> Page:
        """A tab; its size is that of the screen it stands for, whatever the other tabs have."""
        page = self._context.new_page()
        if viewport is not None:
            page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=color_scheme, reduced_motion=reduced_motion)
        return page

    @contextmanager
    def tab(
        self,
        *,
        viewport: ViewportSize | None = None,
        reduced_motion: Literal["reduce", "no-preference"] = "no-preference",
    ) -> Iterator[Page]:
        """An empty tab that other tests had before: its process has compiled what all pages of ours share.

        It keeps nothing of them but entries of the history. Whoever listens to its events ends that.
        """
        page = self._free.pop() if self._free else self._context.new_page()
        page.set_viewport_size(viewport or {"width": 1280, "height": 720})
        page.emulate_media(media="null", color_scheme="light", reduced_motion=reduced_motion)
        page.bring_to_front()  # behind another tab it would draw a frame a second
        yield page
        page.evaluate(FORGET)
        if page.evaluate("history.length") > MOST_ENTRIES:
            page.close()
        else:
            page.goto("about:blank")
            self._free.append(page)

    def new_context(self, **options: Any) -> BrowserContext:
        """A window of its own, for what tabs cannot have each, such as the density of the screen."""
        return self._browser.new_context(**options)
