"""The heat map on an empty page, as its tests use it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from encoder.runs.arrays import FloatArray
from tests.browser.pages.component_page import ComponentPage, attention, layer_message, units_of
from tests.browser.pages.offline import PAIR, Offline

MODULES = [f"cell_map/{name}.mjs" for name in ("block", "layout")]
HEADS, COUNT, B_START = 3, 50, 30
LABELS = [f"token{i}" for i in range(COUNT)]
WEIGHTS = attention(HEADS, COUNT)
PAIR_WEIGHTS = attention(HEADS, len(PAIR))

AREA = """([labels, sentences, bStart]) => {
    const over = document.querySelector("canvas.over");
    const context = document.createElement("canvas").getContext("2d");
    context.font = `${layout.LABEL}px ${getComputedStyle(document.querySelector(".stage")).fontFamily}`;
    const shown = block.blockOf(sentences, bStart, labels.length);
    const { widest } = layout.fitLabels(labels, shown, (text) => context.measureText(text).width);
    const page = { width: document.querySelector(".view").clientWidth, windowHeight: innerHeight };
    const { area } = layout.layoutOf({ ...page, block: shown, widest });
    const box = over.getBoundingClientRect();
    return { ...area, left: box.left + area.left, top: box.top + area.top, ...shown };
}"""
PIXEL = """([x, y, name]) => {
    const canvas = document.querySelector(name);
    const box = canvas.getBoundingClientRect();
    const ratio = canvas.width / box.width;
    const at = [Math.round((x - box.left) * ratio), Math.round((y - box.top) * ratio)];
    const bytes = canvas.getContext("2d").getImageData(...at, 1, 1).data;
    return "#" + [...bytes.slice(0, 3)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}"""
STROKES = """() => {
    window.strokes = [];
    const { lineTo, strokeRect, fillRect } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.lineTo = function (x, y) {
        if (this.canvas.className !== "over") strokes.push(["line", x, y]);
        return lineTo.call(this, x, y);
    };
    for (const [name, draw] of [["strokeRect", strokeRect], ["fillRect", fillRect]]) {
        CanvasRenderingContext2D.prototype[name] = function (...rect) {
            const colour = name === "strokeRect" ? this.strokeStyle : this.fillStyle;
            if (this.canvas.className !== "over") strokes.push([name, colour, ...rect]);
            return draw.apply(this, rect);
        };
    }
}"""
CELLS = "canvas:not(.over)"


class CellMapPage(ComponentPage):
    """The heat map on an empty page."""

    def __init__(self, offline: Offline) -> None:
        super().__init__(offline, "cell_map")
        self.globals(*MODULES)
        self.over = self.locator("canvas.over")
        self.tip = self.locator(".tip")
        self.note = self.locator(".note")
        self.scale = self.locator("select.scale")
        self.spoken = self.locator(".spoken")

    def draw(
        self,
        labels: Sequence[str] = LABELS,
        weights: FloatArray = WEIGHTS,
        b_start: int | None = None,
        *,
        numbers: Sequence[int] | None = None,
        **selection: Any,
    ) -> CellMapPage:
        """A layer and its second head, or another selection."""
        self.labels, self.b_start = labels, b_start
        self.receive(layer_message(weights, units_of(labels, b_start), numbers=numbers))
        self.look(**selection)
        return self

    def look(self, *, place: str = "pair", told: dict[str, Any] | None = None, **selection: Any) -> None:
        """At another head, or with another selection; `told` is what Python says besides."""
        whole = {"layer": 3, "head": 1, "sentences": "all"} | selection
        self.sentences = whole["sentences"]
        self.show(extra={"place": place} | (told or {}), **whole)

    def area(self) -> dict[str, Any]:
        """Where the cells lie on the screen, and which they are."""
        area: dict[str, Any] = self.page.evaluate(AREA, [self.labels, self.sentences, self.b_start])
        return area

    def size(self) -> tuple[float, float]:
        """Width and height of a cell while all are in view."""
        area = self.area()
        (top, bottom), (left, right) = area["rows"], area["columns"]
        return area["width"] / (right - left), area["height"] / (bottom - top)

    def cell(self, row: float, column: float) -> tuple[float, float]:
        """The middle of a cell on the screen while all are in view."""
        area, (across, down) = self.area(), self.size()
        return (
            area["left"] + (column + 0.5 - area["columns"][0]) * across,
            area["top"] + (row + 0.5 - area["rows"][0]) * down,
        )

    def pixel(self, x: float, y: float, canvas: str = CELLS) -> str:
        """The colour of the picture at a place on the screen, as "#rrggbb"; nothing painted is "#000000"."""
        colour: str = self.page.evaluate(PIXEL, [x, y, canvas])
        return colour

    def picture(self) -> str:
        drawn: str = self.page.evaluate(f"document.querySelector('{CELLS}').toDataURL()")
        return drawn

    def watch(self) -> None:
        """From now on texts, lines and rectangles of the picture are noted."""
        super().watch()
        self.page.evaluate(STROKES)

    def strokes(self) -> list[list[Any]]:
        """Since the last time: ["line", x, y] and ["strokeRect" or "fillRect", colour, x, y, width, height]."""
        found: list[list[Any]] = self.page.evaluate("() => { const all = strokes; strokes = []; return all; }")
        return found

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=3)
        self.page.mouse.up()
        self.settle()
