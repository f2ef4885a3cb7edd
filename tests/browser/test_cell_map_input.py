"""The heat map under pointer, wheel and keys, alone on an empty page."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.pages.cell_map_page import COUNT, WEIGHTS, CellMapPage
from tests.browser.pages.touch import touching


def test_hover_says_what_the_figure_says_and_goes_nowhere(drawn_map: CellMapPage) -> None:
    drawn_map.page.mouse.move(*drawn_map.cell(8, 33))
    expect(drawn_map.tip.locator(".line")).to_have_text(
        ["from token8 · position 8", "to token33 · position 33", f"attention weight {WEIGHTS[1, 8, 33]:.4f}"]
    )
    drawn_map.page.mouse.move(5, 995)
    expect(drawn_map.tip).to_be_hidden()
    assert drawn_map.sent == []


def test_a_tap_says_what_the_pointer_would_until_something_else_is_touched(drawn_map: CellMapPage) -> None:
    with touching(drawn_map.page) as tap:
        tap(*drawn_map.cell(8, 33))
        expect(drawn_map.tip).to_contain_text(f"attention weight {WEIGHTS[1, 8, 33]:.4f}")
        assert [(changes["query"], changes["key"]) for changes in drawn_map.sent] == [(8, 33)]
        tap(5, 995)
        expect(drawn_map.tip).to_be_hidden()


def test_a_click_selects_and_a_second_releases(drawn_map: CellMapPage) -> None:
    drawn_map.page.mouse.click(*drawn_map.cell(8, 33))
    drawn_map.page.mouse.click(*drawn_map.cell(8, 33))
    drawn_map.page.mouse.click(*drawn_map.cell(9, 2))
    drawn_map.page.keyboard.press("Escape")
    drawn_map.page.keyboard.press("Escape")
    assert [(changes["query"], changes["key"], changes["pinned_in"]) for changes in drawn_map.sent] == [
        (8, 33, "A"),
        (-1, -1, "A"),
        (9, 2, "A"),
        (-1, -1, "A"),
    ]


def test_a_selected_cell_is_marked_and_its_row_tabled(drawn_map: CellMapPage) -> None:
    over = "document.querySelector('canvas.over').toDataURL()"
    blank = drawn_map.page.evaluate(over)
    drawn_map.page.get_by_text("As a table").click()
    rows = drawn_map.page.locator(".twin tbody tr")
    expect(rows).to_have_count(COUNT)
    best = int(WEIGHTS[1, 8].argmax())
    expect(rows.nth(8)).to_have_text(f"8: token8{best}: token{best}{WEIGHTS[1, 8, best]:.4f}")
    drawn_map.look(query=8, key=33)
    assert drawn_map.page.evaluate(over) != blank
    expect(rows.nth(33)).to_have_text(f"33: token33{WEIGHTS[1, 8, 33]:.4f}")


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


def test_shift_drag_pans(drawn_map: CellMapPage) -> None:
    drawn_map.page.get_by_role("button", name="+", exact=True).click()
    expect(drawn_map.note).to_contain_text("queries 8–41")
    drawn_map.page.keyboard.down("Shift")
    drawn_map.drag(drawn_map.cell(20, 20), drawn_map.cell(49, 49))
    drawn_map.page.keyboard.up("Shift")
    expect(drawn_map.note).to_contain_text("queries 0–33 and keys 0–33")


def test_keys_move_select_and_zoom(drawn_map: CellMapPage) -> None:
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


def test_a_cleanup_that_was_overtaken_ends_nothing(drawn_map: CellMapPage) -> None:
    drawn_map.page.evaluate("window.first = window.cleanup")
    drawn_map.look(head=2)
    drawn_map.page.evaluate("first()")
    drawn_map.page.mouse.move(*drawn_map.cell(8, 33))
    expect(drawn_map.tip).to_be_visible()
    drawn_map.page.evaluate("remove()")
    expect(drawn_map.tip).to_have_count(0)
