"""The heat map on a canvas, in Chromium: alone, with no server and every request refused, and in the app."""

from __future__ import annotations

import re
import struct
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, expect

from encoder.trace import FloatArray
from tests.browser.app_page import AppPage
from tests.browser.component_page import ComponentPage, attention, units_of
from tests.browser.offline import HOSTILE, PAIR, Offline
from viz.components.store import MAX_ERROR, layer_message
from viz.theme import THEMES

Open = Callable[..., AppPage]

MODULES = [f"cell_map/{name}.mjs" for name in ("cells", "draw", "frame", "input", "words")]
HEADS, COUNT, B_START = 3, 50, 30
LABELS = [f"token{i}" for i in range(COUNT)]
WEIGHTS = attention(HEADS, COUNT)


class Map(ComponentPage):
    """The heat map on an empty page."""

    def __init__(self, offline: Offline) -> None:
        super().__init__(offline, "cell_map")
        self.globals(*MODULES)
        self.over = self.locator("canvas.over")
        self.tip = self.locator(".tip")
        self.note = self.locator(".note")
        self.spoken = self.locator(".spoken")

    def draw(self, labels: list[str] = LABELS, weights: FloatArray = WEIGHTS, b_start: int | None = None) -> Map:
        """A layer and its second head."""
        self.receive(layer_message(weights, units_of(labels, b_start)))
        self.look()
        return self

    def look(self, *, place: str = "pair", **selection: Any) -> None:
        """At another head, or with another selection."""
        whole = {"layer": 3, "head": 1} | selection
        self.show(extra={"title": f"L3 H{whole['head']}", "place": place}, **whole)

    def area(self, labels: list[str] = LABELS) -> dict[str, float]:
        """Where the cells lie on the screen."""
        area: dict[str, float] = self.page.evaluate(
            """labels => {
                const over = document.querySelector("canvas.over");
                const context = document.createElement("canvas").getContext("2d");
                context.font = draw.labelFont(getComputedStyle(document.querySelector(".stage")).fontFamily);
                const { widest } = draw.fitLabels(labels, (text) => context.measureText(text).width);
                const page = { width: document.querySelector(".view").clientWidth, windowHeight: innerHeight };
                const { area } = draw.layoutOf({ ...page, count: labels.length, widest });
                const box = over.getBoundingClientRect();
                return { ...area, left: box.left + area.left, top: box.top + area.top };
            }""",
            labels,
        )
        return area

    def cell(self, row: float, column: float) -> tuple[float, float]:
        """The middle of a cell on the screen while all are in view."""
        area = self.area()
        return (
            area["left"] + (column + 0.5) * area["width"] / COUNT,
            area["top"] + (row + 0.5) * area["height"] / COUNT,
        )

    def pixel(self, x: float, y: float) -> str:
        """The colour of the picture at a place on the screen, as "#rrggbb"; nothing painted is "#000000"."""
        colour: str = self.page.evaluate(
            """([x, y]) => {
                const canvas = document.querySelector("canvas:not(.over)");
                const box = canvas.getBoundingClientRect();
                const ratio = canvas.width / box.width;
                const at = [Math.round((x - box.left) * ratio), Math.round((y - box.top) * ratio)];
                const bytes = canvas.getContext("2d").getImageData(...at, 1, 1).data;
                return "#" + [...bytes.slice(0, 3)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
            }""",
            [x, y],
        )
        return colour

    def picture(self) -> str:
        drawn: str = self.page.evaluate("document.querySelector('canvas:not(.over)').toDataURL()")
        return drawn

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=3)
        self.page.mouse.up()
        self.settle()


@pytest.fixture
def bare(browser: Browser) -> Iterator[Map]:
    page = browser.new_page(viewport={"width": 900, "height": 1000})
    offline = Offline(page)
    yield Map(offline)
    page.close()
    assert offline.trouble == []


@pytest.fixture
def drawn(bare: Map) -> Map:
    return bare.draw(b_start=B_START)


# --- the picture ---


def test_every_cell_has_the_colour_of_its_weight(drawn: Map) -> None:
    stops = [colour for _, colour in THEMES["light"].sequential]
    for row, column in ((0, 0), (7, 31), (49, 49), np.unravel_index(WEIGHTS[1].argmax(), (COUNT, COUNT))):
        found = drawn.pixel(*drawn.cell(int(row), int(column)))
        shade = float(WEIGHTS[1, row, column]) * (len(stops) - 1)
        between = [
            int(stops[int(shade)][i : i + 2], 16) * (1 - shade % 1)
            + int(stops[min(int(shade) + 1, len(stops) - 1)][i : i + 2], 16) * (shade % 1)
            for i in (1, 3, 5)
        ]
        assert np.allclose([int(found[i : i + 2], 16) for i in (1, 3, 5)], between, atol=2), (row, column)


def test_a_short_text_has_every_label_and_number(bare: Map) -> None:
    bare.watch()
    weights = attention(HEADS, len(PAIR))
    bare.draw(PAIR, weights, 7)
    texts = bare.written()
    assert {f"{weight:.2f}" for weight in weights[1].ravel()} <= set(texts)
    assert [text for text in texts if text in PAIR] == PAIR + PAIR
    area = bare.area(PAIR)
    across, down = area["width"] / 13, area["height"] / 13
    assert across % 1 == down % 1 == 0
    bare.page.mouse.click(area["left"] + 7.5 * across, area["top"] + 8.5 * down)
    assert bare.sent == [{"query": 8, "key": 7, "pinned_in": "A"}]
    expect(bare.tip).to_contain_text(f"attention weight {weights[1, 8, 7]:.4f}")


@pytest.mark.parametrize(("label", "count", "turn"), [("an", 13, 0), ("suitcase", 13, -45), ("suitcase", 40, -90)])
@pytest.mark.parametrize("width", [396, 820, 1200])
def test_labels_lie_as_flat_as_they_can_and_all_stand_in_the_picture(
    bare: Map, label: str, count: int, turn: int, width: int
) -> None:
    layout = """([count, label, width]) => {
        const context = document.createElement("canvas").getContext("2d");
        context.font = draw.labelFont("sans-serif");
        const widest = context.measureText(label).width;
        return { ...draw.layoutOf({ width, windowHeight: 900, count, widest }), widest };
    }"""
    found = bare.page.evaluate(layout, [count, label, width])
    area = found["area"]
    assert width != 820 or found["turn"] == turn
    assert area["left"] + area["width"] <= found["width"] <= width
    assert area["top"] + area["height"] < found["height"]
    assert area["width"] / count <= 64
    across, up = {0: (0, 14), -45: (0.7, 0.7), -90: (0, 1)}[found["turn"]]
    assert area["left"] + area["width"] - area["width"] / count / 2 + across * found["widest"] <= found["width"]
    assert area["top"] - up * (found["widest"] if found["turn"] else 1) > 50


def test_what_cannot_be_enlarged_has_no_buttons_for_it(bare: Map) -> None:
    bare.draw(PAIR, attention(HEADS, len(PAIR)))
    expect(bare.page.get_by_role("button", name="Fit")).to_be_hidden()
    expect(bare.page.get_by_role("button", name="PNG")).to_be_visible()
    expect(bare.page.get_by_text("A click selects a cell")).to_be_visible()
    expect(bare.page.get_by_text("Drag over a part")).to_have_count(0)
    blank = bare.picture()
    area = bare.area(PAIR)
    bare.drag((area["left"] + 60, area["top"] + 60), (area["left"] + 200, area["top"] + 200))
    assert bare.picture() == blank
    assert bare.sent == []


def test_another_head_is_drawn_from_the_same_message(drawn: Map) -> None:
    first = drawn.picture()
    drawn.look(head=2)
    assert drawn.picture() != first
    drawn.page.mouse.move(*drawn.cell(8, 3))
    expect(drawn.tip).to_contain_text(f"attention weight {WEIGHTS[2, 8, 3]:.4f}")
    drawn.look(head=-1)
    drawn.page.mouse.move(*drawn.cell(8, 4))
    expect(drawn.tip).to_contain_text(f"attention weight {WEIGHTS[:, 8, 4].mean():.4f}")
    drawn.look()
    assert drawn.picture() == first


def test_a_layer_is_drawn_when_it_arrives(bare: Map) -> None:
    message = layer_message(WEIGHTS, units_of(LABELS))
    bare.id = message.id
    bare.look()
    expect(bare.over).to_be_hidden()
    bare.receive(message)
    expect(bare.over).to_be_visible()


@pytest.mark.parametrize(("sentences", "rows", "columns"), [("A→B", (0, 30), (30, 50)), ("B→B", (30, 50), (30, 50))])
def test_a_filter_leaves_the_rest_blank(drawn: Map, sentences: str, rows: Any, columns: Any) -> None:
    drawn.look(sentences=sentences)
    for row, column in ((5, 5), (5, 40), (40, 5), (40, 40)):
        within = rows[0] <= row < rows[1] and columns[0] <= column < columns[1]
        drawn.page.mouse.move(*drawn.cell(row, column))
        drawn.settle()
        assert drawn.tip.is_visible() is within
        drawn.page.mouse.click(*drawn.cell(row, column))
    assert len(drawn.sent) == 1


def test_the_theme_recolours_the_picture(drawn: Map) -> None:
    light = drawn.pixel(*drawn.cell(2, 2))
    drawn.switch("dark")
    drawn.look()
    assert drawn.pixel(*drawn.cell(2, 2)) != light


def test_hostile_tokens_are_drawn_and_told_literally(bare: Map) -> None:
    labels = [*HOSTILE, *(f"t{i}" for i in range(44))]
    bare.draw(labels).look(query=1)
    area = bare.area(labels)
    bare.page.mouse.move(area["left"] + 2.5 * area["width"] / 50, area["top"] + 1.5 * area["height"] / 50)
    expect(bare.tip).to_contain_text("from </script><script>alert(1)</script> · position 1")
    expect(bare.tip).to_contain_text("to <img src=x onerror=alert(1)> · position 2")
    bare.page.get_by_text("As a table").click()
    expect(bare.page.locator("caption")).to_contain_text("<script>alert(1)</script>")
    expect(bare.page.locator("img, .view script")).to_have_count(0)


def test_512_tokens_fit_and_none_is_lost_on_a_small_screen(bare: Map) -> None:
    weights = np.zeros((1, 512, 512), dtype=np.float32)
    weights[0, 301, 77] = 1
    bare.receive(layer_message(weights, units_of(["word"] * 512)))
    bare.look(head=0)
    expect(bare.note).to_contain_text("There is room for one label in")
    bare.page.evaluate("document.getElementById('host').style.width = '400px'")
    expect(bare.note).to_contain_text("Each pixel shows the largest of 2 × 2 weights; zoom in")
    strong = THEMES["light"].sequential[-1][1]
    channels = [int(strong[i : i + 2], 16) for i in (1, 3, 5)]
    count = """(channels) => {
        const canvas = document.querySelector("canvas:not(.over)");
        const { data } = canvas.getContext("2d").getImageData(0, 100, canvas.width, canvas.height - 100);
        let found = 0;
        for (let i = 0; i < data.length; i += 4) found += channels.every((channel, at) => data[i + at] === channel);
        return found;
    }"""
    assert bare.page.evaluate(count, channels) >= 1
    assert bare.over.evaluate("canvas => canvas.clientWidth <= canvas.parentElement.clientWidth")


# --- pointer and keys ---


def test_hover_says_what_the_figure_says_and_goes_nowhere(drawn: Map) -> None:
    drawn.page.mouse.move(*drawn.cell(8, 33))
    expect(drawn.tip.locator(".line")).to_have_text(
        ["from token8 · position 8", "to token33 · position 33", f"attention weight {WEIGHTS[1, 8, 33]:.4f}"]
    )
    drawn.page.mouse.move(5, 995)
    expect(drawn.tip).to_be_hidden()
    assert drawn.sent == []


def test_a_click_selects_and_a_second_releases(drawn: Map) -> None:
    drawn.page.mouse.click(*drawn.cell(8, 33))
    drawn.page.mouse.click(*drawn.cell(8, 33))
    drawn.page.mouse.click(*drawn.cell(9, 2))
    drawn.page.keyboard.press("Escape")
    drawn.page.keyboard.press("Escape")
    assert [(changes["query"], changes["key"], changes["pinned_in"]) for changes in drawn.sent] == [
        (8, 33, "A"),
        (-1, -1, "A"),
        (9, 2, "A"),
        (-1, -1, "A"),
    ]


def test_a_selected_cell_is_marked_and_its_row_tabled(drawn: Map) -> None:
    over = "document.querySelector('canvas.over').toDataURL()"
    blank = drawn.page.evaluate(over)
    drawn.page.get_by_text("As a table").click()
    rows = drawn.page.locator(".twin tbody tr")
    expect(rows).to_have_count(COUNT)
    best = int(WEIGHTS[1, 8].argmax())
    expect(rows.nth(8)).to_have_text(f"8: token8{best}: token{best}{WEIGHTS[1, 8, best]:.4f}")
    drawn.look(query=8, key=33)
    assert drawn.page.evaluate(over) != blank
    expect(rows.nth(33)).to_have_text(f"33: token33{WEIGHTS[1, 8, 33]:.4f}")


def test_a_drag_enlarges_and_a_double_click_goes_back(drawn: Map) -> None:
    whole = drawn.picture()
    drawn.drag(drawn.cell(10, 20), drawn.cell(30, 40))
    expect(drawn.note).to_contain_text("In view: queries 10–30 and keys 20–40 of 50.")
    area = drawn.area()
    drawn.page.mouse.move(area["left"] + area["width"] / 2, area["top"] + area["height"] / 2)
    expect(drawn.tip).to_contain_text("from token20 · position 20")
    assert drawn.sent == []
    drawn.page.mouse.dblclick(area["left"] + area["width"] / 2, area["top"] + area["height"] / 2)
    expect(drawn.note).not_to_contain_text("In view")
    drawn.settle()
    assert drawn.picture() == whole
    assert drawn.sent[-1]["query"] == -1  # what the first of the two clicks selected is released


def test_the_wheel_zooms_with_ctrl_pans_alone_and_lets_the_page_scroll(drawn: Map) -> None:
    page = drawn.page
    page.evaluate("document.body.style.height = '3000px'")
    page.mouse.move(*drawn.cell(25, 25))
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    expect(drawn.note).to_contain_text("In view")
    first = drawn.note.text_content()
    page.mouse.wheel(0, 60)
    expect(drawn.note).not_to_have_text(first or "")
    assert page.evaluate("scrollY") == 0
    page.get_by_role("button", name="Fit").click()
    expect(drawn.note).not_to_contain_text("In view")
    page.mouse.move(*drawn.cell(25, 25))
    page.mouse.wheel(0, 100)
    page.wait_for_function("scrollY > 0")


def test_shift_drag_pans(drawn: Map) -> None:
    drawn.page.get_by_role("button", name="+", exact=True).click()
    expect(drawn.note).to_contain_text("queries 8–41")
    drawn.page.keyboard.down("Shift")
    drawn.drag(drawn.cell(20, 20), drawn.cell(49, 49))
    drawn.page.keyboard.up("Shift")
    expect(drawn.note).to_contain_text("queries 0–33 and keys 0–33")


def test_keys_move_select_and_zoom(drawn: Map) -> None:
    drawn.over.focus()
    drawn.page.keyboard.press("ArrowDown")
    expect(drawn.spoken).to_have_text(
        f"from token0 · position 0, to token0 · position 0, attention weight {WEIGHTS[1, 0, 0]:.4f}"
    )
    expect(drawn.tip).to_be_visible()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "End"):
        drawn.page.keyboard.press(key)
    expect(drawn.spoken).to_contain_text("from token2 · position 2, to token49")
    drawn.page.keyboard.press("Enter")
    expect(drawn.spoken).to_contain_text("Selected from token2")
    assert drawn.sent == [{"query": 2, "key": 49, "pinned_in": "A"}]
    drawn.page.keyboard.press("+")
    expect(drawn.note).to_contain_text("queries 0–34 and keys 16–49")
    drawn.page.keyboard.press("PageDown")
    expect(drawn.note).to_contain_text("queries 16–49")
    drawn.page.keyboard.press("0")
    expect(drawn.note).not_to_contain_text("In view")


def test_the_part_in_view_survives_a_head_and_a_return_but_no_other_text(drawn: Map) -> None:
    drawn.page.get_by_role("button", name="+", exact=True).click()
    expect(drawn.note).to_contain_text("In view: queries 8–41")
    drawn.look(head=2)
    expect(drawn.note).to_contain_text("In view: queries 8–41")
    drawn.page.evaluate("remount()")
    expect(drawn.note).to_contain_text("In view: queries 8–41")
    drawn.draw([f"other{i}" for i in range(COUNT)])
    expect(drawn.note).not_to_contain_text("In view")


def test_a_cleanup_that_was_overtaken_ends_nothing(drawn: Map) -> None:
    drawn.page.evaluate("window.first = window.cleanup")
    drawn.look(head=2)
    drawn.page.evaluate("first()")
    drawn.page.mouse.move(*drawn.cell(8, 33))
    expect(drawn.tip).to_be_visible()
    drawn.page.evaluate("remove()")
    expect(drawn.tip).to_have_count(0)


# --- files ---


def test_svg_holds_labels_and_cells_and_png_twice_the_pixels(drawn: Map) -> None:
    drawn.look(query=8, key=33)
    with drawn.page.expect_download() as waiting:
        drawn.page.get_by_role("button", name="SVG").click()
    assert waiting.value.suggested_filename == "attention-L3-H1.svg"
    root = ElementTree.fromstring(Path(waiting.value.path()).read_text(encoding="utf-8"))
    name = "{http://www.w3.org/2000/svg}"
    texts = [element.text for element in root.iter(f"{name}text")]
    assert {"L3 H1", "attention weight", "0.5", "token0", "token33", "query (from) ↓"} <= set(texts)
    assert len(list(root.iter(f"{name}image"))) == 2
    with drawn.page.expect_download() as waiting:
        drawn.page.get_by_role("button", name="PNG").click()
    width, height = struct.unpack(">II", Path(waiting.value.path()).read_bytes()[16:24])
    box = drawn.over.bounding_box()
    assert box
    assert (width, height) == (round(2 * box["width"]), round(2 * box["height"]))


# --- pure functions ---


def test_weights_of_a_head_and_of_the_mean_are_those_that_were_sent(bare: Map) -> None:
    values = np.rint(65535 * np.sqrt(WEIGHTS)).astype(int)
    head = (
        """([values, head]) => [...cells.headWeights({shape: [3, 50, 50], values: Uint16Array.from(values)}, head)]"""
    )
    for which, expected in ((1, WEIGHTS[1]), (-1, WEIGHTS.mean(axis=0))):
        found = np.array(bare.page.evaluate(head, [values.ravel().tolist(), which])).reshape(COUNT, COUNT)
        assert np.abs(found - expected).max() <= MAX_ERROR


def test_cell_functions(bare: Map) -> None:
    evaluate = bare.page.evaluate
    assert evaluate("['all', 'A→B', 'B→A'].map(name => cells.blockOf(name, 2, 5))") == [
        {"rows": [0, 5], "columns": [0, 5]},
        {"rows": [0, 2], "columns": [2, 5]},
        {"rows": [2, 5], "columns": [0, 2]},
    ]
    assert evaluate("cells.blockOf('A→B', null, 5).rows") == [0, 5]
    kept = "[...cells.filtered(Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9), 3, {rows: [0, 2], columns: [1, 3]})]"
    assert evaluate(kept) == [-1, 2, 3, -1, 5, 6, -1, -1, -1]
    pooled = "cells.pooled(Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9), 3, {down: 2, across: 2})"
    assert evaluate(f"(({{values, rows, columns}}) => [[...values], rows, columns])({pooled})") == [[5, 6, 8, 9], 2, 2]
    assert evaluate("cells.strongest(Float32Array.of(-1, 2, 3, -1, -1, -1, 0, 0, 0), 3, 0)") == 2
    assert evaluate("cells.strongest(Float32Array.of(-1, 2, 3, -1, -1, -1, 0, 0, 0), 3, 1)") == -1
    assert evaluate("[...cells.pixels(Float32Array.of(-1, 1), [[1, 2, 3], [4, 5, 6]])]") == [0, 0, 0, 0, 4, 5, 6, 255]


def test_frame_functions(bare: Map) -> None:
    evaluate = bare.page.evaluate
    assert evaluate("frame.clamped({zoom: 2, row: 90, column: -3}, 100, 5)") == {"zoom": 2, "row": 50, "column": 0}
    assert evaluate("frame.clamped({zoom: 9, row: 0, column: 0}, 100, 5).zoom") == 5
    at = "frame.zoomedAt({zoom: 1, row: 0, column: 0}, 2, {row: 50, column: 100}, 100, 8)"
    assert evaluate(at) == {"zoom": 2, "row": 25, "column": 50}
    assert evaluate("frame.enlarged({row: 10, column: 10}, {row: 30, column: 20}, 100, 50)") == {
        "zoom": 5,
        "row": 10,
        "column": 5,
    }
    assert evaluate("frame.enlarged({row: 10, column: 10}, {row: 10, column: 10}, 100, 4).zoom") == 4
    revealing = "frame.revealing({zoom: 10, row: 20, column: 20}, {row: 35, column: 3}, 100)"
    assert evaluate(revealing) == {"zoom": 10, "row": 26, "column": 3}
    assert evaluate("[1.2, 7.5, 8, 15, 40].map(frame.labelStep)") == [13, 2, 2, 1, 1]
    assert evaluate("frame.poolOf({across: 0.4, down: 1}, 1)") == {"across": 3, "down": 1}
    assert evaluate("frame.poolOf({across: 0.5, down: 0.4}, 2)") == {"across": 1, "down": 2}
    area = "{left: 10, top: 20, width: 100, height: 50}"
    cell = f"([x, y]) => frame.cellAt({area}, {{zoom: 2, row: 5, column: 0}}, 10, x, y)"
    assert [evaluate(cell, point) for point in ([10, 20], [109, 69], [9, 30], [30, 70])] == [
        {"row": 5, "column": 0},
        {"row": 9, "column": 4},
        None,
        None,
    ]


def test_input_functions(bare: Map) -> None:
    evaluate = bare.page.evaluate
    wheel = "event => input.wheelAction({deltaX: 0, deltaY: 0, deltaMode: 0, ...event})"
    assert evaluate(wheel, {"deltaY": 100}) == {"across": 0, "down": 100}
    assert evaluate(wheel, {"deltaY": 100, "shiftKey": True}) == {"across": 100, "down": 0}
    assert evaluate(wheel, {"deltaY": 3, "deltaMode": 1}) == {"across": 0, "down": 120}
    assert evaluate(wheel, {"deltaY": -50, "ctrlKey": True})["zoom"] > 1
    assert evaluate(wheel, {"deltaY": 50, "metaKey": True})["zoom"] < 1
    key = "event => input.keyAction(event)"
    assert evaluate(key, {"key": "ArrowUp"}) == ["moveCursor", "ArrowUp"]
    assert evaluate(key, {"key": "ArrowUp", "shiftKey": True}) == ["pan", {"across": 0, "down": -60}]
    assert evaluate(key, {"key": " "}) == ["chooseCursor"]
    assert [evaluate(key, {"key": "a"}), evaluate(key, {"key": "0", "ctrlKey": True})] == [None, None]


def test_numbers_have_the_ink_that_reads_best(bare: Map) -> None:
    for theme in THEMES.values():
        ink = {"sequential": theme.sequential, "muted": theme.muted, "text": theme.text, "background": theme.background}
        found = bare.page.evaluate("ink => [0.001, 0.1, 0.5, 1].map((weight) => draw.inkOf(weight, ink))", ink)
        assert found[0] == theme.muted
        assert found[1] == theme.text
        assert found[3] == theme.background
        assert found[2] in (theme.text, theme.background)


# --- in the app ---

LONG = " ".join(f"the cat {number} sat" for number in range(14))


def spoken_name(head: str) -> re.Pattern[str]:
    return re.compile(f"^Attention weights of {head}, 58 by 58 tokens.")


def position_of(over: Locator, share: float) -> dict[str, float]:
    box = over.bounding_box()
    assert box
    return {"x": 120 + share * (box["width"] - 160), "y": 200}


def test_a_long_text_is_drawn_on_the_canvas_and_a_click_reaches_the_address(open_app: Open) -> None:
    at = open_app(a=LONG, layer="3", head="7")
    over = at.page.locator("canvas.over")
    expect(over).to_have_attribute("aria-label", spoken_name("L3 H7"))
    expect(at.page.locator(".js-plotly-plot")).to_have_count(0)
    over.click(position=position_of(over, 0.5))
    at.page.wait_for_function("location.search.includes('query=') && location.search.includes('key=')")
    at.idle()
    over.press("Escape")
    at.selected(query=None, key=None)
    at.assert_sound()


def test_the_part_in_view_survives_a_change_of_head_and_of_view(open_app: Open) -> None:
    at = open_app(a=LONG)
    note = at.page.locator(".note")
    at.page.get_by_role("button", name="+", exact=True).click()
    expect(note).to_contain_text("In view: queries 9–48")
    at.head(7)
    expect(at.page.locator("canvas.over")).to_have_attribute("aria-label", spoken_name("L0 H7"))
    expect(note).to_contain_text("In view: queries 9–48")
    at.view("Norms").view("Heat map")
    expect(note).to_contain_text("In view: queries 9–48")


@pytest.mark.parametrize("size", [(1440, 900), (1024, 768)])
def test_no_picture_is_wider_than_its_column(open_app: Open, size: tuple[int, int]) -> None:
    at = open_app(a=LONG, b=LONG, mode="separate", size=size)
    expect(at.page.locator("canvas.over")).to_have_count(2)
    edges = """() => [...document.querySelectorAll("[data-testid=stColumn]")].pop().getBoundingClientRect().right"""
    for over in at.page.locator("canvas.over").all():
        box = over.bounding_box()
        assert box
        assert box["x"] + box["width"] <= at.page.evaluate(edges) + 1
    at.assert_fits()
