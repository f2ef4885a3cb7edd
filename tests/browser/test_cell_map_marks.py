"""What else a heat map is told: numbers of tokens, cells that are marked, and how many tokens exist so far."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.pages.cell_map_page import COUNT, PAIR_WEIGHTS, CellMapPage
from tests.browser.pages.offline import PAIR
from viz.theme import THEMES, ThemeName

NAME = "where the written token comes from"
EMPTY = "#000000"


def test_units_are_told_apart_by_the_numbers_that_they_were_given(empty_map: CellMapPage) -> None:
    empty_map.draw(PAIR, PAIR_WEIGHTS, 7, numbers=[*range(7), *range(6)], sentences="B→A")
    empty_map.page.mouse.click(*empty_map.cell(8, 1))
    lines = empty_map.tip.locator(".line")
    expect(lines.nth(0)).to_have_text("from flies · position 1")
    expect(lines.nth(1)).to_have_text("to time · position 1")
    assert empty_map.sent == [{"query": 8, "key": 1, "pinned_in": "A"}]
    empty_map.page.get_by_text("As a table").click()
    expect(empty_map.page.locator(".twin tbody th").first).to_have_text("0: [CLS]")
    expect(empty_map.page.locator("caption")).to_have_text("L3 H1: what 1: flies attends to")


def outlines(drawn: CellMapPage, theme: ThemeName) -> dict[str, list[list[float]]]:
    """Outlines in the page's two extremes since the last time, as [x, y, width, height] by colour."""
    found = [rest for name, *rest in drawn.strokes() if name == "strokeRect"]
    colours = (THEMES[theme].text, THEMES[theme].background)
    return {colour: [rect for stroke, *rect in found if stroke == colour.lower()] for colour in colours}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_marks_are_outlined_in_two_tones_within_their_cells(pair_map: CellMapPage, theme: ThemeName) -> None:
    pair_map.switch(theme)
    pair_map.strokes()
    pair_map.look(sentences="B→A", told={"marks": [[7, 1], [12, 6], [3, 3]], "marks_name": NAME})
    found = outlines(pair_map, theme)
    box = pair_map.over.bounding_box()
    assert box
    middles = [(x - box["x"], y - box["y"]) for x, y in (pair_map.cell(7, 1), pair_map.cell(12, 6))]
    for rects in found.values():
        *marks, legend = rects  # the third mark is of another block
        assert [(x + width / 2, y + height / 2) for x, y, width, height in marks] == [
            pytest.approx(middle) for middle in middles
        ]
        assert all(50 < side < 64 for _, _, *sides in marks for side in sides)
        assert legend[1] > max(y + height for _, y, _, height in marks)
    assert NAME in pair_map.written()


def test_a_marked_cell_shows_both_tones_and_says_what_it_is(pair_map: CellMapPage) -> None:
    pair_map.look(told={"marks": [[8, 7]], "marks_name": NAME})
    x, y = pair_map.cell(8, 7)
    across, _ = pair_map.size()
    along = {pair_map.pixel(x - across / 2 + step, y) for step in range(1, 8)}
    assert {THEMES["light"].text.lower(), THEMES["light"].background.lower()} <= along
    pair_map.page.mouse.move(x, y)
    expect(pair_map.tip.locator(".line")).to_have_count(4)
    expect(pair_map.tip.locator(".line").nth(3)).to_have_text(f"marked: {NAME}")
    pair_map.page.mouse.move(*pair_map.cell(8, 6))
    expect(pair_map.tip.locator(".line")).to_have_count(3)


def test_marks_of_small_cells_are_dots(empty_map: CellMapPage) -> None:
    weights = np.zeros((1, 300, 300), dtype=np.float32)
    empty_map.draw([f"t{i}" for i in range(300)], weights, head=0)
    place = empty_map.cell(120, 200)
    assert empty_map.pixel(*place) != THEMES["light"].text.lower()
    empty_map.look(head=0, told={"marks": [[120, 200]], "marks_name": NAME})
    assert empty_map.pixel(*place) == THEMES["light"].text.lower()
    assert empty_map.pixel(place[0] + 12, place[1]) != THEMES["light"].text.lower()


def test_what_is_marked_is_said_in_the_saved_picture(pair_map: CellMapPage) -> None:
    pair_map.look(sentences="B→A", told={"marks": [[8, 2]], "marks_name": NAME})
    with pair_map.page.expect_download() as waiting:
        pair_map.page.get_by_role("button", name="SVG").click()
    root = ElementTree.fromstring(Path(waiting.value.path()).read_text(encoding="utf-8"))
    svg = "{http://www.w3.org/2000/svg}"
    texts = {text.text: float(text.get("y", "0")) for text in root.iter(f"{svg}text")}
    assert texts["flies"] < texts[NAME] < float(root.get("height", "0"))
    assert sum(rect.get("stroke") == THEMES["light"].text for rect in root.iter(f"{svg}rect")) == 2
    pair_map.written()
    pair_map.look(sentences="A→B", told={"marks": [[8, 2]], "marks_name": NAME})
    assert NAME not in pair_map.written()


def test_queries_to_come_are_empty_and_nothing_moves(pair_map: CellMapPage) -> None:
    marked = {"marks": [[8, 1], [11, 1]], "marks_name": NAME}
    pair_map.look(sentences="B→A", told=marked)
    size, area = pair_map.over.bounding_box(), pair_map.area()
    pair_map.written()
    pair_map.strokes()
    pair_map.look(sentences="B→A", told=marked | {"until": 10})
    texts = pair_map.written()
    assert (pair_map.over.bounding_box(), pair_map.area()) == (size, area)
    assert [text for text in texts if text in PAIR] == PAIR[7:] + PAIR[:7]
    assert sum(text[1:2] == "." and len(text) == 4 for text in texts) == 3 * 7
    assert len(outlines(pair_map, "light")[THEMES["light"].text]) == 2  # one mark, and the legend's
    assert pair_map.pixel(*pair_map.cell(9, 1)) != EMPTY
    assert pair_map.pixel(*pair_map.cell(10, 2)) == EMPTY
    pair_map.page.mouse.click(*pair_map.cell(10, 2))
    expect(pair_map.tip).to_be_hidden()
    assert pair_map.sent == []
    pair_map.over.press("PageDown")
    pair_map.over.press("PageDown")
    expect(pair_map.spoken).to_contain_text("from like · position 9, to [CLS] · position 0")
    pair_map.page.get_by_text("As a table").click()
    expect(pair_map.page.locator(".twin tbody tr")).to_have_count(3)


def test_labels_of_tokens_to_come_stand_back_on_both_sides(pair_map: CellMapPage) -> None:
    def inks(until: int | None = None) -> list[str]:
        pair_map.placed()
        pair_map.look(told={"until": until})
        return [ink for label, ink, *_ in pair_map.placed() if label in PAIR]

    text, muted = THEMES["light"].text.lower(), THEMES["light"].muted.lower()
    assert inks() == [text] * 26
    assert inks(9) == 2 * ([text] * 9 + [muted] * 4)
    assert inks(0) == [muted] * 26


def test_what_is_pointed_at_may_cease_to_exist(drawn_map: CellMapPage) -> None:
    drawn_map.page.mouse.move(*drawn_map.cell(COUNT - 1, 4))
    expect(drawn_map.tip).to_be_visible()
    drawn_map.look(told={"until": 40})
    expect(drawn_map.tip).to_be_hidden()
    drawn_map.look(told={"until": None})
    drawn_map.page.mouse.move(*drawn_map.cell(COUNT - 1, 5))
    expect(drawn_map.tip).to_be_visible()
