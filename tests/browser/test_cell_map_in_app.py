"""The heat map in the running app."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.pages.app_page import AppPage

Open = Callable[..., AppPage]


LONG = " ".join(f"the cat {number} sat" for number in range(14))


def spoken_name(head: str) -> re.Pattern[str]:
    return re.compile(f"^Attention weights of {head}, 58 by 58 tokens.")


def test_the_part_in_view_survives_a_change_of_head_and_of_view(visit_app: Open) -> None:
    at = visit_app(a=LONG)
    note = at.page.locator(".note:not([role])")
    at.page.get_by_role("button", name="+", exact=True).click()
    expect(note).to_contain_text("In view: queries 9–48")
    at.head(7)
    expect(at.page.locator("canvas.over")).to_have_attribute("aria-label", spoken_name("L0 H7"))
    expect(note).to_contain_text("In view: queries 9–48")
    at.view("Norms").view("Heat map")
    expect(note).to_contain_text("In view: queries 9–48")


def test_no_picture_is_wider_than_its_column(visit_app: Open) -> None:
    at = visit_app(a=LONG, b=LONG, mode="separate", size=(1024, 768))
    expect(at.page.locator("canvas.over")).to_have_count(2)
    edges = """() => [...document.querySelectorAll("[data-testid=stColumn]")].pop().getBoundingClientRect().right"""
    for over in at.page.locator("canvas.over").all():
        box = over.bounding_box()
        assert box
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
    buttons = at.page.get_by_role("button", name="SVG")
    for place, tokens in enumerate((7, 10)):
        _, text = at.download(buttons.nth(place).click)
        assert len(re.findall(r">(?:\.\d\d|1)</text>", text)) >= tokens * tokens
    at.text("A").fill("the bank of the river " * 2)
    at.text("A").press("Control+Enter")
    at.selected(a="the bank of the river " * 2)
    at.heat_map("L0 H4", after=shown)
    assert is_same(".bar", height=True)
    assert is_same("canvas.over", height=False)
    at.assert_sound()
