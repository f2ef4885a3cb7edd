"""The head view on an empty page, as its tests use it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playwright.sync_api import expect

from encoder.runs.arrays import FloatArray
from tests.browser.pages.component_page import ComponentPage, attention, layer_message, units_of
from tests.browser.pages.offline import PAIR, Offline

HEADS = 4
INKED = """() => {
    /** Pixels of a canvas that are not empty. */
    window.inked = (name) => {
        const canvas = document.querySelector(`canvas.${name}`);
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.filter((value, index) => index % 4 === 3 && value > 0).length;
    };
}"""

WEIGHTS = attention(HEADS, len(PAIR))


class HeadView(ComponentPage):
    """The component on a page of its own."""

    def __init__(self, offline: Offline) -> None:
        super().__init__(offline, "head_view", width=900, classes="head-view")
        self.page.evaluate(INKED)
        self.watch()

    def draw(
        self,
        labels: Sequence[str] = PAIR,
        weights: FloatArray = WEIGHTS,
        *,
        b_start: int | None = 7,
        letters: tuple[str, str] = ("A", "B"),
        numbers: Sequence[int] | None = None,
        **selection: Any,
    ) -> HeadView:
        self.receive(layer_message(weights, units_of(labels, b_start), letters=letters, numbers=numbers))
        self.look(**selection)
        expect(self.page.locator(".count")).not_to_be_empty()
        return self

    def look(self, *, until: int | None = None, **selection: Any) -> None:
        """At another head of the layer, with another selection, or when so many units exist."""
        self.show(extra={"place": "pair", "until": until}, **({"layer": 3, "head": 1} | selection))

    def at(self, side: int, row: int, rows: int = 13, gap: int = 14) -> tuple[float, float]:
        """The middle of a token's row; rows behind the first seven stand lower by the gap between the sentences."""
        box = self.page.locator(".pane").bounding_box()
        assert box
        height = (box["height"] - 32 - 6 - gap) / rows
        y = box["y"] + 32 + (row + 0.5) * height + (gap if row >= 7 else 0)
        return box["x"] + (60 if side == 0 else box["width"] - 60), y

    def pressed(self) -> list[str]:
        return self.page.locator('[aria-pressed="true"]').all_inner_texts()

    def head(self, head: int) -> Any:
        return self.page.get_by_role("button", name=f"Head {head}", exact=True)
