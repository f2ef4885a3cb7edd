"""A saved page in Chromium, opened from the disk; every connection is noted, and there is to be none."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from playwright.sync_api import Locator, Page, expect

from tests.browser.pages.watch import Watch, assert_none


class SavedPage:
    """The page in a file; `watch` notes what goes wrong."""

    def __init__(self, page: Page, path: Path, *, scheme: Literal["light", "dark"] = "light") -> None:
        self.page = page
        self.watch = Watch(page, path.as_uri())
        page.emulate_media(color_scheme=scheme)
        page.context.set_offline(True)
        page.goto(path.as_uri())
        self.wait()

    def wait(self) -> None:
        """Until everything in the file has been read."""
        expect(self.page.locator("html[data-complete]")).to_be_attached()

    def close(self) -> None:
        """Nothing went wrong, and the tab can be used for something else."""
        self.page.context.set_offline(False)
        assert_none(self.watch.end())

    def view(self, name: str) -> Locator:
        """The element of a view, by the name of its component."""
        return self.page.locator(f".{name} .view")

    @property
    def map(self) -> Locator:
        """The small map's canvas."""
        return self.page.locator(".map .head_map canvas")

    def expect_painted(self, name: str, ending: str, *, count: int = 1) -> None:
        """The view of each run shows the layer and the heads of "L3|H7"."""
        expect(self.page.locator(f".picture .{name} .view[data-painted$='|{ending}']")).to_have_count(count)

    def table(self) -> list[list[str]]:
        """The numbers of the picture's table, which is opened for that."""
        twin = self.page.locator(".picture .twin")
        if twin.get_attribute("open") is None:
            twin.locator("summary").click()
        expect(twin.locator("table")).to_be_visible()  # it is made when the browser says that the twin is open
        rows = twin.locator("tbody tr")
        return [row.locator("th, td").all_inner_texts() for row in rows.all()]
