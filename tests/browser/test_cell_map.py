"""The heat map alone on an empty page: its colours, and what pointer, wheel and keys do.

Layout, words, tables and recorded pictures are tested without a browser, in tests/viz/components.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from encoder.runs.arrays import FloatArray
from tests.browser.pages.component_page import ComponentPage, attention, layer_message, units_of
from tests.browser.pages.offline import PAIR, Offline
from tests.browser.pages.touch import touching
from viz.theme import THEMES, Theme

MODULES = [f"cell_map/{name}.mjs" for name in ("block", "layout")]
HEADS, COUNT, B_START = 3, 50, 30
LABELS = [f"token{i}" for i in range(COUNT)]
WEIGHTS = attention(HEADS, COUNT)

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
CELLS = "canvas:not(.over)"
EMPTY = "#000000"
OVERLAY = "document.querySelector('canvas.over').toDataURL()"


class CellMapPage(ComponentPage):
    """The heat map on an empty page."""

    def __init__(self, offline: Offline) -> None:
        super().__init__(offline, "cell_map")
        self.globals(*MODULES)
        self.over = self.locator("canvas.over")
        self.tip = self.locator(".tip")
        self.card = self.page.get_by_role("dialog", name="The selected cell")
        self.note = self.locator(".note")
        self.scale = self.locator("select.scale")
        self.spoken = self.locator(".spoken")

    def draw(
        self,
        labels: Sequence[str] = LABELS,
        weights: FloatArray = WEIGHTS,
        b_start: int | None = None,
        **selection: Any,
    ) -> CellMapPage:
        """A layer and its second head, or another selection."""
        self.labels, self.b_start = labels, b_start
        self.receive(layer_message(weights, units_of(labels, b_start)))
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

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=3)
        self.page.mouse.up()
        self.settle()


@pytest.fixture
def empty_map(offline: Offline) -> CellMapPage:
    offline.page.set_viewport_size({"width": 900, "height": 1000})
    return CellMapPage(offline)


@pytest.fixture
def drawn_map(empty_map: CellMapPage) -> CellMapPage:
    return empty_map.draw(b_start=B_START)


def shade(share: float) -> list[float]:
    """Red, green and blue of a share of the colours."""
    stops = [channels(colour) for _, colour in THEMES["light"].sequential]
    place = share * (len(stops) - 1)
    low, high = stops[int(place)], stops[min(int(place) + 1, len(stops) - 1)]
    return [before + (after - before) * (place % 1) for before, after in zip(low, high, strict=True)]


def channels(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def test_a_cell_has_the_colour_of_its_weight_in_every_scale(drawn_map: CellMapPage) -> None:
    largest = WEIGHTS[1].max()
    row, column = (int(at) for at in np.unravel_index(np.abs(WEIGHTS[1] - largest / 3).argmin(), (COUNT, COUNT)))
    weight = float(WEIGHTS[1, row, column])
    drawn_map.page.get_by_role("button", name="Save or scale").click()
    for choice, share in {"root": weight**0.5, "largest": weight / largest, "linear": weight}.items():
        drawn_map.scale.select_option(choice)
        drawn_map.settle()
        assert np.allclose(channels(drawn_map.pixel(*drawn_map.cell(row, column))), shade(share), atol=2), choice
        assert drawn_map.sent[-1] == {"scale": choice}
    drawn_map.page.mouse.move(*drawn_map.cell(row, column))
    expect(drawn_map.tip).to_contain_text(f"attention weight {weight:.4f}")


def test_a_long_text_opens_with_the_square_root_and_says_so(empty_map: CellMapPage) -> None:
    empty_map.draw([f"t{i}" for i in range(65)], attention(2, 65))
    expect(empty_map.scale.locator("option:checked")).to_have_text("Colour scale: automatic (square root)")
    expect(empty_map.note).to_contain_text("square root of the weights, because a text here has more than 64 tokens")
    empty_map.look(scale="linear")
    expect(empty_map.scale).to_have_value("linear")
    expect(empty_map.note).not_to_contain_text("square root")


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_numbers_have_the_ink_that_reads_best(empty_map: CellMapPage, theme: Theme) -> None:
    ink = {"sequential": theme.sequential, "muted": theme.muted, "text": theme.text, "background": theme.background}
    inks = [empty_map.call("cell_map/draw.mjs", "inkOf", weight, ink) for weight in (0.001, 0.1, 1)]
    assert inks == [theme.muted, theme.text, theme.background]


def test_another_head_is_drawn_from_the_same_message(drawn_map: CellMapPage) -> None:
    first = drawn_map.picture()
    for head, weights in ((2, WEIGHTS[2]), (-1, WEIGHTS.mean(axis=0))):
        drawn_map.look(head=head)
        assert drawn_map.picture() != first
        drawn_map.page.mouse.move(*drawn_map.cell(8, 3 - head))
        expect(drawn_map.tip).to_contain_text(f"attention weight {weights[8, 3 - head]:.4f}")
    drawn_map.look()
    assert drawn_map.picture() == first


def test_a_layer_that_does_not_exist_is_named(empty_map: CellMapPage) -> None:
    empty_map.id = layer_message(WEIGHTS, units_of(LABELS)).id
    empty_map.look(told={"layers": 1}, layer=3)
    notice = empty_map.page.get_by_role("status")
    expect(notice).to_have_text("There is 1 layer here: choose a lower one.")
    expect(empty_map.over).to_be_hidden()
    empty_map.draw(told={"layers": 4}, layer=3)
    expect(notice).to_be_hidden()
    expect(empty_map.over).to_be_visible()


# --- pointer, wheel and keys ---


def test_hover_shows_a_cell_and_sends_nothing(drawn_map: CellMapPage) -> None:
    drawn_map.page.mouse.move(*drawn_map.cell(8, 33))
    expect(drawn_map.tip.locator(".line")).to_have_text(
        ["from token8 · position 8", "to token33 · position 33", f"attention weight {WEIGHTS[1, 8, 33]:.4f}"]
    )
    drawn_map.page.mouse.move(5, 995)
    expect(drawn_map.tip).to_be_hidden()
    assert drawn_map.sent == []


def test_a_tap_opens_the_card_until_something_else_is_touched(drawn_map: CellMapPage) -> None:
    with touching(drawn_map.page) as tap:
        tap(*drawn_map.cell(8, 33))
        expect(drawn_map.card).to_contain_text("“token8” gives")
        assert [(changes["query"], changes["key"]) for changes in drawn_map.sent] == [(8, 33)]
        tap(5, 995)
        expect(drawn_map.card).to_be_hidden()
        expect(drawn_map.tip).to_be_hidden()


def test_a_click_selects_and_a_second_releases(drawn_map: CellMapPage) -> None:
    drawn_map.page.mouse.click(*drawn_map.cell(8, 33))
    drawn_map.page.mouse.click(*drawn_map.cell(8, 33))
    drawn_map.page.mouse.click(*drawn_map.cell(9, 2))
    drawn_map.page.keyboard.press("Escape")
    drawn_map.page.keyboard.press("Escape")
    pinned = [(changes["query"], changes["key"], changes["pinned_in"]) for changes in drawn_map.sent]
    assert pinned == [(8, 33, "A"), (-1, -1, "A"), (9, 2, "A"), (-1, -1, "A")]


def test_a_selected_cell_is_marked_and_its_row_is_tabled(drawn_map: CellMapPage) -> None:
    blank = drawn_map.page.evaluate(OVERLAY)
    drawn_map.page.get_by_text("As a table").click()
    rows = drawn_map.page.locator(".twin tbody tr")
    expect(rows).to_have_count(COUNT)
    drawn_map.look(query=8, key=33)
    assert drawn_map.page.evaluate(OVERLAY) != blank
    expect(rows.nth(33)).to_have_text(f"33: token33{WEIGHTS[1, 8, 33]:.4f}")


def test_a_pinned_cell_says_its_weight_in_words_next_to_it(drawn_map: CellMapPage) -> None:
    for row, column in ((0, 0), (8, 33), (49, 49), (49, 0), (0, 49)):
        drawn_map.look(query=row, key=column)
        expect(drawn_map.card).to_contain_text(f"In layer 3, head 1, “token{row}” gives")
        expect(drawn_map.card.locator("b")).to_have_text(in_percent(WEIGHTS[1, row, column]))
        card, area, (across, down) = drawn_map.card.bounding_box(), drawn_map.area(), drawn_map.size()
        (x, y), left = drawn_map.cell(row, column), area["left"]
        covers_row = card["x"] < left and card["y"] < y + down / 2 and card["y"] + card["height"] > y - down / 2
        covers_column = card["y"] < area["top"] and card["x"] < x + across / 2 and card["x"] + card["width"] > x
        assert not covers_row, (row, column, card)
        assert not covers_column, (row, column, card)
    assert drawn_map.page.evaluate("document.activeElement === document.body")
    drawn_map.page.mouse.move(*drawn_map.cell(0, 49))
    drawn_map.settle()
    expect(drawn_map.tip).to_be_hidden()  # the card of this cell says more


def in_percent(weight: float) -> str:
    percents = 100 * weight
    if percents >= 0.95:
        return f"{percents:.0f} %"
    return f"{percents:.1f} %" if percents >= 0.05 else "less than 0.1 %"


def test_the_card_closes_without_releasing_the_cell_and_opens_again(drawn_map: CellMapPage) -> None:
    cell = drawn_map.cell(8, 33)
    label = (drawn_map.area()["left"] - 20, cell[1])
    drawn_map.page.mouse.click(*cell)
    for elsewhere in (None, (5, 995), label):
        expect(drawn_map.card).to_be_visible()
        if elsewhere:
            drawn_map.page.mouse.click(*elsewhere)
        else:
            drawn_map.page.keyboard.press("Escape")
        expect(drawn_map.card).to_be_hidden()
        drawn_map.page.mouse.click(*cell)
    expect(drawn_map.card).to_be_visible()
    assert len(drawn_map.sent) == 1
    drawn_map.page.mouse.click(*cell)
    expect(drawn_map.card).to_be_hidden()
    assert drawn_map.sent[1:] == [{"query": -1, "key": -1, "pinned_in": "A"}]


def test_the_card_is_reached_and_left_by_keys(drawn_map: CellMapPage) -> None:
    drawn_map.over.focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        drawn_map.page.keyboard.press(key)
    expect(drawn_map.card).to_be_visible()
    drawn_map.page.keyboard.press("Tab")
    heads = drawn_map.card.get_by_role("listitem").get_by_role("button")
    expect(heads.first).to_be_focused()
    drawn_map.page.keyboard.press("Tab")
    drawn_map.page.keyboard.press("Enter")
    assert drawn_map.sent[1:] == [{"layer": 3, "head": order(0, 1)[1], "heads": ""}]
    expect(heads.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(heads.nth(1)).to_be_focused()
    drawn_map.page.keyboard.press("Escape")
    expect(drawn_map.card).to_be_hidden()
    expect(drawn_map.over).to_be_focused()


def order(row: int, column: int) -> list[int]:
    """The heads by their weight in a cell, the largest first."""
    return [int(head) for head in np.argsort(-WEIGHTS[:, row, column])]


def test_the_card_lists_heads_by_weight_and_opens_what_explains_it(drawn_map: CellMapPage) -> None:
    drawn_map.look(query=8, key=33, told={"opens": ["why here", "anatomy"]})
    names = [f"L3 H{head} {WEIGHTS[head, 8, 33]:.2f}" for head in order(8, 33)]
    heads = drawn_map.card.get_by_role("listitem").get_by_role("button")
    assert [" ".join(text.split()) for text in heads.all_inner_texts()] == names
    expect(drawn_map.card).to_contain_text("Heads that link “token8” to “token33”, strongest first (1 of 24 layers).")
    drawn_map.page.get_by_role("button", name="Why this number?").click()
    drawn_map.page.get_by_role("button", name="How is it computed?").click()
    step = {"view": "anatomy", "walk": "softmax", "row": 8, "column": 33}
    assert drawn_map.sent == [{"view": "why here"}, step]
    drawn_map.look(query=8, key=33)  # in a file there is nothing to open
    expect(drawn_map.card.get_by_role("button", name="?")).to_have_count(0)
    drawn_map.look(query=8, key=33, head=-1, told={"opens": ["why here"]})
    expect(drawn_map.card).to_contain_text("on average over its heads")
    expect(drawn_map.card.get_by_role("button", name="?")).to_have_count(0)


def test_the_card_stays_with_its_cell_while_the_page_scrolls(drawn_map: CellMapPage) -> None:
    drawn_map.page.evaluate("document.body.style.cssText += '; height: 3000px'")
    drawn_map.look(query=8, key=33)
    expect(drawn_map.card).to_be_visible()
    drawn_map.page.mouse.wheel(0, 2000)
    expect(drawn_map.card).to_be_hidden()
    drawn_map.page.mouse.wheel(0, -2000)
    expect(drawn_map.card).to_be_visible()


def test_a_drag_enlarges_and_a_double_click_goes_back(drawn_map: CellMapPage) -> None:
    whole = drawn_map.picture()
    drawn_map.drag(drawn_map.cell(10, 20), drawn_map.cell(30, 40))
    expect(drawn_map.note).to_contain_text("In view: queries 10–30 and keys 20–40 of 50.")
    area = drawn_map.area()
    drawn_map.page.mouse.move(area["left"] + area["width"] / 2, area["top"] + area["height"] / 2)
    expect(drawn_map.tip).to_contain_text("from token20 · position 20")
    assert drawn_map.sent == []
    drawn_map.page.mouse.dblclick(area["left"] + area["width"] / 2, area["top"] + area["height"] / 2)
    expect(drawn_map.note).not_to_contain_text("In view")
    drawn_map.settle()
    assert drawn_map.picture() == whole
    assert drawn_map.sent[-1]["query"] == -1  # what the first of the two clicks selected is released


def test_a_small_picture_cannot_be_enlarged_and_has_no_buttons_for_it(empty_map: CellMapPage) -> None:
    empty_map.draw(PAIR, attention(3, len(PAIR)))
    expect(empty_map.page.get_by_role("button", name="Fit")).to_be_hidden()
    expect(empty_map.page.get_by_text("Click a cell to select it.", exact=True)).to_be_visible()
    blank, area = empty_map.picture(), empty_map.area()
    empty_map.drag((area["left"] + 60, area["top"] + 60), (area["left"] + 200, area["top"] + 200))
    assert empty_map.picture() == blank
    assert empty_map.sent == []


def test_the_wheel_zooms_with_ctrl_pans_alone_and_lets_the_page_scroll(drawn_map: CellMapPage) -> None:
    page = drawn_map.page
    page.evaluate("document.body.style.height = '3000px'")
    page.mouse.move(*drawn_map.cell(25, 25))
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    expect(drawn_map.note).to_contain_text("In view")
    first = drawn_map.note.text_content()
    page.mouse.wheel(0, 60)
    expect(drawn_map.note).not_to_have_text(first or "")
    assert page.evaluate("scrollY") == 0
    page.get_by_role("button", name="Fit").click()
    expect(drawn_map.note).not_to_contain_text("In view")
    page.mouse.move(*drawn_map.cell(25, 25))
    page.mouse.wheel(0, 100)
    page.wait_for_function("scrollY > 0")


def test_keys_move_select_and_zoom_and_a_drag_with_shift_pans(drawn_map: CellMapPage) -> None:
    drawn_map.over.focus()
    drawn_map.page.keyboard.press("ArrowDown")
    expect(drawn_map.spoken).to_have_text(
        f"from token0 · position 0, to token0 · position 0, attention weight {WEIGHTS[1, 0, 0]:.4f}"
    )
    expect(drawn_map.tip).to_be_visible()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "End"):
        drawn_map.page.keyboard.press(key)
    expect(drawn_map.spoken).to_contain_text("from token2 · position 2, to token49")
    drawn_map.page.keyboard.press("Enter")
    expect(drawn_map.spoken).to_contain_text("Selected from token2")
    assert drawn_map.sent == [{"query": 2, "key": 49, "pinned_in": "A"}]
    drawn_map.page.keyboard.press("+")
    expect(drawn_map.note).to_contain_text("queries 0–34 and keys 16–49")
    drawn_map.page.keyboard.press("PageDown")
    expect(drawn_map.note).to_contain_text("queries 16–49")
    area = drawn_map.area()
    middle = (area["left"] + 200, area["top"] + 200)
    drawn_map.page.keyboard.down("Shift")
    drawn_map.drag(middle, (middle[0] + 900, middle[1] + 900))
    drawn_map.page.keyboard.up("Shift")
    expect(drawn_map.note).to_contain_text("queries 0–33 and keys 0–33")
    drawn_map.page.keyboard.press("0")
    expect(drawn_map.note).not_to_contain_text("In view")


def test_the_part_in_view_survives_a_head_and_a_return_but_no_other_text(drawn_map: CellMapPage) -> None:
    drawn_map.page.get_by_role("button", name="+", exact=True).click()
    expect(drawn_map.note).to_contain_text("In view: queries 8–41")
    drawn_map.look(head=2)
    expect(drawn_map.note).to_contain_text("In view: queries 8–41")
    drawn_map.page.evaluate("remount()")
    expect(drawn_map.note).to_contain_text("In view: queries 8–41")
    drawn_map.draw([f"other{i}" for i in range(COUNT)])
    expect(drawn_map.note).not_to_contain_text("In view")


def test_a_superseded_cleanup_ends_nothing(drawn_map: CellMapPage) -> None:
    drawn_map.page.evaluate("window.first = window.cleanup")
    drawn_map.look(head=2)
    drawn_map.page.evaluate("first()")
    drawn_map.page.mouse.move(*drawn_map.cell(8, 33))
    expect(drawn_map.tip).to_be_visible()
    drawn_map.page.evaluate("remove()")
    expect(drawn_map.tip).to_have_count(0)


# --- blocks, marks, and tokens that do not exist yet ---


def test_a_block_has_the_colours_and_the_positions_of_the_whole_text(drawn_map: CellMapPage) -> None:
    def corner(row: int, column: int) -> str:
        """The colour next to the cell's number."""
        (x, y), (width, height) = drawn_map.cell(row, column), drawn_map.size()
        return drawn_map.pixel(x - width / 2 + 3, y - height / 2 + 3)

    places = ((30, 0), (49, 29), (40, 3))
    shades = [corner(*place) for place in places]
    assert len(set(shades)) == 3
    drawn_map.page.get_by_role("button", name="+", exact=True).click()
    drawn_map.page.mouse.move(*drawn_map.cell(10, 10))
    expect(drawn_map.tip).to_be_visible()
    drawn_map.look(sentences="B→A")
    expect(drawn_map.note).not_to_contain_text("In view")  # another block opens whole
    expect(drawn_map.tip).to_be_hidden()
    assert [corner(*place) for place in places] == shades
    drawn_map.page.mouse.click(*drawn_map.cell(49, 0))
    assert drawn_map.sent == [{"query": 49, "key": 0, "pinned_in": "A"}]
    expect(drawn_map.spoken).to_contain_text(f"attention weight {WEIGHTS[1, 49, 0]:.4f}")


def test_pins_outside_a_block_are_hidden_and_can_be_released(drawn_map: CellMapPage) -> None:
    drawn_map.look(sentences="B→B")
    blank = drawn_map.page.evaluate(OVERLAY)
    drawn_map.look(sentences="B→B", query=29, key=3)
    assert drawn_map.page.evaluate(OVERLAY) == blank
    drawn_map.over.press("Escape")
    assert drawn_map.sent == [{"query": -1, "key": -1, "pinned_in": "A"}]


def test_a_part_without_tokens_says_so(empty_map: CellMapPage) -> None:
    empty_map.draw(LABELS, b_start=0, sentences="A→B")
    expect(empty_map.over).to_be_hidden()
    expect(empty_map.note).to_have_text("There are no cells here: one of the two sentences has no token that is shown.")
    assert empty_map.painted == empty_map.name_painted(3, 1)
    empty_map.look(sentences="B→B")
    expect(empty_map.over).to_be_visible()
    expect(empty_map.note).not_to_contain_text("There are no cells here")


def test_a_marked_cell_shows_two_tones_and_its_meaning(empty_map: CellMapPage) -> None:
    light, marks_name = THEMES["light"], "where the written token comes from"
    empty_map.draw(PAIR, attention(3, len(PAIR)), 7, told={"marks": [[8, 7]], "marks_name": marks_name})
    x, y = empty_map.cell(8, 7)
    across, _ = empty_map.size()
    along = {empty_map.pixel(x - across / 2 + step, y) for step in range(1, 8)}
    assert {light.text.lower(), light.background.lower()} <= along
    empty_map.page.mouse.move(x, y)
    expect(empty_map.tip.locator(".line").nth(3)).to_have_text(f"marked: {marks_name}")
    empty_map.page.mouse.move(*empty_map.cell(8, 6))
    expect(empty_map.tip.locator(".line")).to_have_count(3)


def test_marks_of_small_cells_are_dots(empty_map: CellMapPage) -> None:
    ink = THEMES["light"].text.lower()
    empty_map.draw([f"t{i}" for i in range(300)], np.zeros((1, 300, 300), dtype=np.float32), head=0)
    x, y = empty_map.cell(120, 200)
    assert empty_map.pixel(x, y) != ink
    empty_map.look(head=0, told={"marks": [[120, 200]], "marks_name": "marked"})
    assert empty_map.pixel(x, y) == ink
    assert empty_map.pixel(x + 12, y) != ink


def test_queries_to_come_are_empty_and_answer_nothing(drawn_map: CellMapPage) -> None:
    before = drawn_map.over.bounding_box(), drawn_map.area()
    drawn_map.page.mouse.move(*drawn_map.cell(COUNT - 1, 4))
    expect(drawn_map.tip).to_be_visible()
    drawn_map.look(told={"until": 40})
    expect(drawn_map.tip).to_be_hidden()
    assert (drawn_map.over.bounding_box(), drawn_map.area()) == before
    assert drawn_map.pixel(*drawn_map.cell(39, 1)) != EMPTY
    assert drawn_map.pixel(*drawn_map.cell(40, 2)) == EMPTY
    drawn_map.page.mouse.click(*drawn_map.cell(40, 2))
    expect(drawn_map.tip).to_be_hidden()
    assert drawn_map.sent == []
    drawn_map.over.press("ArrowDown")
    drawn_map.over.press("PageDown")
    expect(drawn_map.spoken).to_contain_text("from token39 · position 39, to token0 · position 0")
    drawn_map.look(told={"until": None})
    drawn_map.page.mouse.move(*drawn_map.cell(COUNT - 1, 5))
    expect(drawn_map.tip).to_be_visible()
