"""A saved page in Chromium, opened from the disk; every connection is noted, and there is to be none."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from playwright.sync_api import Locator, Page, expect

from tests.browser.pages.watch import assert_none
from tests.browser.pages.window import Window


class SavedPage:
    """The page in a file; `trouble` is what went wrong."""

    def __init__(
        self, browser: Window, path: Path, *, scheme: Literal["light", "dark"] = "light", height: int = 900
    ) -> None:
        self.page: Page = browser.new_page(viewport={"width": 1280, "height": height}, color_scheme=scheme)
        self.trouble: list[str] = []
        self.page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        self.page.on("console", lambda message: self.trouble.append(message.text) if message.type == "error" else None)
        self.page.on("request", lambda request: self._note(request.url, path))
        self.page.on("dialog", lambda dialog: (self.trouble.append(dialog.message), dialog.dismiss()))
        self.page.context.set_offline(True)
        self.page.goto(path.as_uri())
        self.wait()

    def _note(self, url: str, path: Path) -> None:
        if url.partition("#")[0] != path.as_uri() and not url.startswith("blob:"):
            self.trouble.append(f"request: {url}")

    def wait(self) -> None:
        """Until everything in the file has been read."""
        expect(self.page.locator("html[data-complete]")).to_be_attached()

    def close(self) -> None:
        self.page.context.set_offline(False)
        self.page.close()
        assert_none(self.trouble)

    def view(self, name: str) -> Locator:
        """The element of a view, by the name of its component."""
        return self.page.locator(f".{name} .view")

    @property
    def map(self) -> Locator:
        """The small map's canvas."""
        return self.page.locator(".map .head_map canvas")

    def expect_painted(self, name: str, ending: str) -> None:
        """A view shows the layer and the heads of "L3|H7"."""
        expect(self.page.locator(f".picture .{name} .view[data-painted$='|{ending}']")).to_be_attached()

    def table(self) -> list[list[str]]:
        """The numbers of the picture's table, which is opened for that."""
        twin = self.page.locator(".picture .twin")
        if twin.get_attribute("open") is None:
            twin.locator("summary").click()
        expect(twin.locator("table")).to_be_visible()  # it is made when the browser says that the twin is open
        rows = twin.locator("tbody tr")
        return [row.locator("th, td").all_inner_texts() for row in rows.all()]
