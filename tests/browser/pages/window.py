"""One window of Chromium for all pages: a tab takes a third of the computing that a window takes, and what the app
sends to every page, its scripts above all, is fetched once."""

from __future__ import annotations

from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize


class Window:
    """Opens pages as a `Browser` does, but as tabs, which share cookies, storage and cache."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._context = browser.new_context()
        self._context.new_page()  # a window closes with its last tab

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

    def new_context(self, **options: Any) -> BrowserContext:
        """A window of its own, for what tabs cannot have each, such as the density of the screen."""
        return self._browser.new_context(**options)
