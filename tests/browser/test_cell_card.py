"""The card of a cell in the running app: at the cell, with the heads that link its two words, and what explains it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.pages.app_page import AppPage, Open

# Where the parts of the page stand. Layers arrive in parts without a height.
PLACES = """() => [...document.querySelectorAll(".stMain [class*='st-key-'], .stMain .stCaption")]
    .filter((part) => part.getBoundingClientRect().height)
    .map((part) => [part.className, Object.values(part.getBoundingClientRect().toJSON()).map(Math.round)].join())
"""
FLIES_TO_TIME = {"query": "2", "key": "1"}


def card_of(at: AppPage) -> Locator:
    return at.page.get_by_role("dialog", name="The selected cell")


def heads_in(card: Locator) -> Locator:
    return card.get_by_role("listitem").get_by_role("button")


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720), (390, 844)])
def test_a_click_on_a_cell_answers_at_the_cell_and_moves_nothing(visit_app: Open, size: tuple[int, int]) -> None:
    at = visit_app(size=size)
    at.heat_map("L0 H4")
    at.cells.scroll_into_view_if_needed()
    before = at.page.evaluate(PLACES)
    box = at.cells.bounding_box()
    assert box
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


def test_why_this_number_splits_the_cells_score(visit_app: Open) -> None:
    at = visit_app(mode="separate", **FLIES_TO_TIME)
    card_of(at).get_by_role("button", name="Why this number?").click()
    at.selected(view="why here", query="2", key="1")
    expect(at.page.get_by_role("combobox", name="Query (from)").first).to_have_value(re.compile("flies"))
    at.assert_sound()


def test_how_is_it_computed_opens_the_step_of_this_cell(visit_app: Open) -> None:
    at = visit_app(mode="separate", layer="1", head="3", query="3", key="2")
    card_of(at).get_by_role("button", name="How is it computed?").click()
    at.selected(view="anatomy", walk="softmax", row="3", column="2", layer="1", head="3")
    at.assert_sound()


def test_before_an_audience_the_cell_has_no_card(visit_app: Open) -> None:
    at = visit_app(mode="separate", stage="1", **FLIES_TO_TIME)
    at.painted(".view:has(.stage)", "L0|H4")
    expect(card_of(at)).to_be_hidden()
    box = at.cells.bounding_box()
    assert box
    at.page.mouse.move(box["x"], box["y"])  # until the mouse moves, nothing answers it
    at.page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.9 * box["height"])
    at.page.wait_for_url(lambda address: "query=2" not in address)
    expect(card_of(at)).to_be_hidden()


def test_a_weight_is_compared_with_the_corpus_if_it_has_such_weights(visit_app: Open) -> None:
    link = {"a": "time flies", "b": "go home", "layer": "2", "head": "0", "pinned_in": "A", "level": "words"}
    at = visit_app(query="1", key="2", **link)
    heads = heads_in(card_of(at))
    expect(heads).to_have_count(5)
    compared = re.compile(r"^[\d.]+ % of this head's weights from a word to another word of its sentence are lower ")
    for head in heads.all():
        expect(head).to_have_attribute("title", compared)
    for pinned in ({"query": "1", "key": "5"}, {"query": "0", "key": "2"}):  # the other sentence; from [CLS]
        at.go(**link, **pinned)
        expect(heads).to_have_count(5)
        for head in heads.all():
            expect(head).to_have_attribute("title", "")
        expect(card_of(at)).not_to_contain_text("Second number")
