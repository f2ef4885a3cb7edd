"""The heat map in the running app."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.pages.app_page import Open

LONG = " ".join(f"the cat {number} sat" for number in range(14))


def test_no_picture_is_wider_than_its_column(visit_app: Open) -> None:
    at = visit_app(a=LONG, b=LONG, mode="separate", size=(1024, 768))
    expect(at.page.locator("canvas.over")).to_have_count(2)
    edges = """() => [...document.querySelectorAll("[data-testid=stColumn]")].pop().getBoundingClientRect().right"""
    for over in at.page.locator("canvas.over").all():
        box = over.bounding_box()
        assert box["x"] + box["width"] <= at.page.evaluate(edges) + 1
    at.assert_fits()


def test_sentences_of_different_lengths_have_equal_toolbars_and_numbers(visit_app: Open) -> None:
    at = visit_app(a="the bank raised its rates", b="we sat on the bank of the river", mode="separate")

    def boxes(part: str) -> list[tuple[float, float, float]]:
        found = [view.bounding_box() for view in at.page.locator(f".stage {part}").all()]
        return [(box["y"], box["width"], box["height"]) for box in found if box]

    def is_same(part: str, *, height: bool) -> bool:
        one, other = boxes(part)
        return one == other if height else one[:2] == other[:2]

    shown = at.heat_map("L0 H4")
    assert is_same(".bar", height=True)
    assert is_same("canvas.over", height=False)
    menus = at.page.get_by_role("button", name="Save or scale")
    for place, tokens in enumerate((7, 10)):
        menus.nth(place).click()
        _, text = at.download(at.page.get_by_role("button", name="SVG").click)
        assert len(re.findall(r">(?:0?\.\d\d|1(?:\.00)?)</text>", text)) >= tokens * tokens
    at.text("A").fill("the bank of the river " * 2)
    at.text("A").press("Control+Enter")
    at.selected(a="the bank of the river " * 2)
    at.heat_map("L0 H4", after=shown)
    assert is_same(".bar", height=True)
    assert is_same("canvas.over", height=False)
    at.assert_sound()


@pytest.mark.parametrize("view", ["heat map", "head view"])
def test_two_pictures_have_two_controls_and_rows_of_one_height(visit_app: Open, view: str) -> None:
    sentences = {"a": "the bank raised its rates", "b": "we sat on the bank of the river"}
    at = visit_app(**sentences, mode="separate", view=view, tags="all", head="2", size=(1440, 900))
    canvases = at.page.locator(".stage canvas.over, .head-view canvas.tokens")
    expect(canvases).to_have_count(2)
    at.painted(".view:has(.stage, .pane)", "L0|H2")
    menus = at.page.get_by_role("button", name="Save or scale" if view == "heat map" else "Save", exact=True)
    expect(menus).to_have_count(2)
    if view == "heat map":
        expect(at.page.locator(".stage").get_by_role("button")).to_have_count(2)
        expect(at.page.locator(".stage").get_by_role("combobox")).to_have_count(0)
    one, other = (canvas.bounding_box() for canvas in canvases.all())
    assert one["y"] == other["y"]
    assert one["width"] == other["width"] or view == "heat map"
    row = (other["height"] - one["height"]) / 3  # of the three tokens that B has more
    assert 22 <= row <= 64
    head = one["height"] - 7 * row
    assert head == pytest.approx(other["height"] - 10 * row)
    assert head < 160  # what stands above and below the rows


def test_the_menu_of_a_picture_opens_at_its_corner_and_closes(visit_app: Open) -> None:
    at = visit_app(mode="separate")
    at.painted(".view:has(.stage)", "L0|H4")
    opener = at.page.get_by_role("button", name="Save or scale").last
    scale = at.page.get_by_label("Scale of the colours").last
    expect(scale).to_be_hidden()
    opener.focus()
    at.page.keyboard.press("Enter")
    expect(scale).to_be_in_viewport(ratio=1)
    menu, button = scale.bounding_box(), opener.bounding_box()
    assert 0 <= menu["y"] - button["y"] - button["height"] < 40
    scale.select_option("root")
    at.selected(scale="root")
    at.page.keyboard.press("Escape")
    expect(scale).to_be_hidden()
    expect(opener).to_be_focused()
    opener.click()
    expect(scale).to_be_visible()
    at.page.get_by_text("As a table").first.click()
    expect(scale).to_be_hidden()
    at.assert_sound()
