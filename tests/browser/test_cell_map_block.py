"""The heat map of one block of the matrix: the attention from one sentence to itself or to the other."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.pages.cell_map_page import LABELS, PAIR_WEIGHTS, WEIGHTS, CellMapPage
from tests.browser.pages.component_page import attention
from tests.browser.pages.offline import PAIR

PARTS = {"A→A": ((0, 7), (0, 7)), "A→B": ((0, 7), (7, 13)), "B→A": ((7, 13), (0, 7)), "B→B": ((7, 13), (7, 13))}


@pytest.mark.parametrize("sentences", PARTS)
def test_a_filter_crops_to_its_block(pair_map: CellMapPage, sentences: str) -> None:
    pair_map.written()
    pair_map.look(sentences=sentences)
    (top, bottom), (left, right) = PARTS[sentences]
    texts = pair_map.written()
    assert [text for text in texts if text in PAIR] == PAIR[top:bottom] + PAIR[left:right]
    block = PAIR_WEIGHTS[1, top:bottom, left:right]
    assert [text for text in texts if text[1:2] == "." and len(text) == 4] == [f"{weight:.2f}" for weight in block.flat]
    name = f"Attention weights of L3 H1, {bottom - top} by {right - left} tokens."
    assert (pair_map.over.get_attribute("aria-label") or "").startswith(name)
    assert pair_map.size() == (64, 64)


def test_every_cell_of_a_block_has_the_colour_of_its_weight(drawn_map: CellMapPage) -> None:
    def corner(row: int, column: int) -> str:
        """The colour beside the cell's number."""
        (x, y), (width, height) = drawn_map.cell(row, column), drawn_map.size()
        return drawn_map.pixel(x - width / 2 + 3, y - height / 2 + 3)

    shades = {place: corner(*place) for place in ((30, 0), (49, 29), (40, 3))}
    drawn_map.look(sentences="B→A")
    for place, shade in shades.items():
        assert corner(*place) == shade
    assert len(set(shades.values())) == 3


@pytest.mark.parametrize(("sentences", "row", "column"), [("A→B", 5, 40), ("B→B", 40, 40), ("B→A", 49, 0)])
def test_a_click_in_a_block_sends_positions_of_the_whole_text(
    drawn_map: CellMapPage, sentences: str, row: int, column: int
) -> None:
    drawn_map.look(sentences=sentences)
    drawn_map.page.mouse.click(*drawn_map.cell(row, column))
    assert drawn_map.sent == [{"query": row, "key": column, "pinned_in": "A"}]
    expect(drawn_map.tip.locator(".line")).to_have_text(
        [
            f"from token{row} · position {row}",
            f"to token{column} · position {column}",
            f"attention weight {WEIGHTS[1, row, column]:.4f}",
        ]
    )


def test_the_line_between_sentences_stands_where_a_block_has_both(pair_map: CellMapPage) -> None:
    lines = {}
    for sentences in ("all", *PARTS):
        pair_map.strokes()
        pair_map.look(sentences=sentences)
        lines[sentences] = sum(name == "line" for name, *_ in pair_map.strokes())
    assert lines == {"all": 2} | dict.fromkeys(PARTS, 0)


def test_keys_stay_in_a_block(drawn_map: CellMapPage) -> None:
    drawn_map.look(sentences="B→A")
    drawn_map.over.focus()
    drawn_map.page.keyboard.press("ArrowDown")
    expect(drawn_map.spoken).to_contain_text("from token30 · position 30, to token0 · position 0")
    for key in ("ArrowUp", "ArrowLeft", "End", "PageDown"):
        drawn_map.page.keyboard.press(key)
    expect(drawn_map.spoken).to_contain_text("from token49 · position 49, to token29 · position 29")
    drawn_map.page.keyboard.press("Enter")
    assert drawn_map.sent == [{"query": 49, "key": 29, "pinned_in": "A"}]


def test_a_block_is_enlarged_within_itself(empty_map: CellMapPage) -> None:
    count = 100
    empty_map.draw([f"token{i}" for i in range(count)], attention(2, count), 40, sentences="B→A")
    whole = empty_map.picture()
    empty_map.drag(empty_map.cell(60, 5), empty_map.cell(90, 25))
    expect(empty_map.note).to_contain_text("In view: queries 60–90 (31 of 60) and keys 5–25 (21 of 40).")
    area = empty_map.area()
    empty_map.page.keyboard.down("Shift")
    empty_map.drag((area["left"] + 200, area["top"] + 10), (area["left"] + 200, area["top"] + area["height"] - 10))
    empty_map.page.keyboard.up("Shift")
    expect(empty_map.note).to_contain_text("In view: queries 40–69 (30 of 60) and keys 5–25 (21 of 40).")
    empty_map.page.mouse.dblclick(area["left"] + 200, area["top"] + 200)
    expect(empty_map.note).not_to_contain_text("In view")
    empty_map.settle()
    assert empty_map.picture() == whole


def test_another_block_opens_whole_and_forgets_what_was_pointed_at(drawn_map: CellMapPage) -> None:
    drawn_map.page.get_by_role("button", name="+", exact=True).click()
    expect(drawn_map.note).to_contain_text("In view")
    drawn_map.page.mouse.move(*drawn_map.cell(10, 10))
    expect(drawn_map.tip).to_be_visible()
    drawn_map.look(sentences="B→B")
    expect(drawn_map.note).not_to_contain_text("In view")
    expect(drawn_map.tip).to_be_hidden()


def test_what_is_pinned_elsewhere_leaves_no_trace_in_a_block_and_can_be_released(drawn_map: CellMapPage) -> None:
    drawn_map.look(sentences="B→B")
    over = "document.querySelector('canvas.over').toDataURL()"
    blank = drawn_map.page.evaluate(over)
    drawn_map.look(sentences="B→B", query=29, key=3)
    assert drawn_map.page.evaluate(over) == blank
    drawn_map.page.get_by_text("As a table").click()
    expect(drawn_map.page.locator("caption")).to_contain_text("the key with the largest weight of every query")
    drawn_map.over.press("Escape")
    assert drawn_map.sent == [{"query": -1, "key": -1, "pinned_in": "A"}]


def test_the_table_has_the_rows_and_keys_of_the_block(drawn_map: CellMapPage) -> None:
    drawn_map.look(sentences="B→A")
    drawn_map.page.get_by_text("As a table").click()
    rows = drawn_map.page.locator(".twin tbody tr")
    expect(rows).to_have_count(20)
    best = int(WEIGHTS[1, 31, :30].argmax())
    expect(rows.nth(1)).to_have_text(f"31: token31{best}: token{best}{WEIGHTS[1, 31, best]:.4f}")
    drawn_map.look(sentences="B→A", query=31)
    expect(rows).to_have_count(30)
    expect(rows.nth(29)).to_have_text(f"29: token29{WEIGHTS[1, 31, 29]:.4f}")


def test_a_part_without_tokens_says_so(empty_map: CellMapPage) -> None:
    empty_map.draw(LABELS, b_start=0, sentences="A→B")
    expect(empty_map.over).to_be_hidden()
    expect(empty_map.note).to_have_text("There are no cells here: one of the two sentences has no token that is shown.")
    assert empty_map.painted == empty_map.name_painted(3, 1)
    empty_map.look(sentences="B→B")
    expect(empty_map.over).to_be_visible()
    expect(empty_map.note).not_to_contain_text("There are no cells here")
