"""The card of a cell in the running app: at the cell, with the heads that link its two words, and what explains it."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.browser.pages.app_page import AppPage, Open

# Where the parts of the page stand. Layers arrive in parts without a height, and the passport when it is checked.
PLACES = """() => [...document.querySelectorAll(".stMain [class*='st-key-'], .stMain .stCaption")]
    .filter((part) => part.getBoundingClientRect().height && !part.closest(".st-key-passport"))
    .map((part) => [part.className, Object.values(part.getBoundingClientRect().toJSON()).map(Math.round)].join())
"""
FLIES_TO_TIME = {"query": "2", "key": "1"}


def card_of(at: AppPage) -> Locator:
    return at.page.get_by_role("dialog", name="The selected cell")


def heads_in(card: Locator) -> Locator:
    return card.get_by_role("listitem").get_by_role("button")


def test_a_click_on_a_cell_answers_at_the_cell_and_moves_nothing(visit_app: Open) -> None:
    at = visit_app(size=(390, 844))
    at.heat_map("L0 H4")
    at.cells.scroll_into_view_if_needed()
    before = at.page.evaluate(PLACES)
    box = at.cells.bounding_box()
    at.cells.click(position={"x": 150, "y": 0.6 * box["height"]})
    card = card_of(at)
    expect(card).to_contain_text(re.compile(r"In layer 0, head 4, “.+ gives [\d.]+ % of its attention to .+\."))
    expect(card).to_contain_text(
        re.compile("Heads that link “.+ to “.+, strongest first. Second number: how unusual that is for the head.")
    )
    expect(card).to_be_in_viewport(ratio=1)
    assert at.page.evaluate(PLACES) == before
    heads = heads_in(card)
    expect(heads).to_have_count(5)
    weights = [float(text.split()[2]) for text in heads.all_inner_texts()]
    assert weights == sorted(weights, reverse=True)
    layer, head = re.findall(r"\d+", heads.first.inner_text())[:2]
    heads.first.click()
    at.selected(layer=None if layer == "0" else layer, head=None if head == "4" else head)
    expect(card).to_contain_text(f"In layer {layer}, head {head}, ")
    expect(heads.first).to_have_attribute("aria-pressed", "true")
    at.assert_sound()


def test_a_link_to_a_cell_opens_its_card_of_either_sentence(visit_app: Open) -> None:
    at = visit_app(mode="separate", pinned_in="B", **FLIES_TO_TIME)
    card = card_of(at)
    expect(card).to_contain_text("In layer 0, head 4, “flies” gives 81 % of its attention to “fruit”.")
    at.page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    at.selected(query="2", key="1", pinned_in="B")
    at.go(mode="separate", pinned_in="A", method="alti", **FLIES_TO_TIME)
    expect(card).to_contain_text(re.compile(r"Up to layer 0, [\d.]+ % of “flies” comes from “time” \(ALTI share\)\."))
    expect(card.get_by_role("button")).to_have_count(0)


def test_before_an_audience_the_cell_has_no_card(visit_app: Open) -> None:
    at = visit_app(mode="separate", stage="1", **FLIES_TO_TIME)
    at.painted(".view:has(.stage)", "L0|H4")
    expect(card_of(at)).to_be_hidden()
    box = at.cells.bounding_box()
    at.page.mouse.move(box["x"], box["y"])  # until the mouse moves, nothing answers it
    at.page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.9 * box["height"])
    at.page.wait_for_url(lambda address: "query=2" not in address)
    expect(card_of(at)).to_be_hidden()


def test_a_click_or_keys_open_the_card_of_a_line_of_the_head_view_that_cuts_it(visit_app: Open) -> None:
    at = visit_app(mode="separate", view="head view", pinned_in="A", query="2")
    pane = at.page.locator(".head-view .pane").first
    expect(at.page.get_by_text(re.compile(r"^flies \(2\) looks at: time \(1\) 0\.80"))).to_be_visible()
    box = pane.bounding_box()
    row = (box["height"] - 38) / 7  # under the header, above the foot
    line = {"x": box["width"] / 2, "y": 32 + 2 * row}  # half-way between “flies” and “time”
    pane.hover(position=line)
    expect(pane).to_have_class(re.compile("pointing"))
    pane.click(position=line)
    card = card_of(at)
    expect(card).to_contain_text("In layer 0, head 4, “flies” gives 80 % of its attention to “time”.")
    card.get_by_role("button", name="here", exact=True).click()
    at.selected(cut="A2-1@0.4")
    expect(
        at.page.get_by_text(re.compile("Without “flies” → “time” in layer 0, head 4: verb 93 % → 70 %"))
    ).to_be_visible()
    expect(card).to_contain_text("less than 0.1 % of its attention to “time”")
    at.page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    scroller = at.page.locator(".head-view .scroller").first
    scroller.press("Shift+Enter")
    strongest = card.locator(".weight").inner_text()
    expect(card.get_by_role("button", name="here", exact=True)).to_be_visible()
    scroller.press("Shift+Enter")
    expect(card.locator(".weight")).not_to_have_text(strongest)
    at.assert_sound()


def test_a_weight_that_is_dragged_is_followed_and_undone(visit_app: Open) -> None:
    at = visit_app(mode="separate", pinned_in="A", **FLIES_TO_TIME)
    card, weight = card_of(at), card_of(at).get_by_role("slider")
    box = weight.bounding_box()
    middle = box["y"] + box["height"] / 2
    at.page.mouse.move(box["x"] + box["width"] - 8, middle)
    at.page.mouse.down()
    at.page.mouse.move(box["x"] + box["width"] / 2, middle, steps=5)
    expect(card).to_contain_text("50 %")
    expect(card).to_contain_text("In layer 0, head 4, “flies” gives 67 % of its attention to “time”.")  # .4 of .6
    at.page.mouse.up()
    at.selected(cut="A2-1@0.4x50")
    expect(at.page.get_by_text(re.compile("With 50 % of “flies” → “time” in layer 0, head 4: verb"))).to_be_visible()
    weight.press("Home")
    at.selected(cut="A2-1@0.4")
    expect(card).to_contain_text("less than 0.1 %")
    at.idle()
    at.page.keyboard.press("Control+z")
    at.selected(cut="A2-1@0.4x50")
    weight.press("End")
    at.selected(cut=None)
    expect(card).to_contain_text("gives 80 % of its attention")
    at.assert_sound()
