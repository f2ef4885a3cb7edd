"""The card of the chosen head in the running app: it follows the keys, and opens without moving anything."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.pages.app_page import Open


def test_the_card_follows_the_head_and_opens_to_links(visit_app: Open) -> None:
    at = visit_app(layer="2", head="0")
    card = at.page.locator(".card")
    more = card.get_by_role("button", name="Intervals, relations, examples")
    expect(card.locator("strong").first).to_have_text("L2 H0 over a corpus")
    expect(card.locator(".lines")).to_contain_text("object → verb: .74")
    height = card.bounding_box()["height"]
    at.type_on_map("L3")
    expect(card.locator(".lines")).not_to_contain_text("object → verb")
    at.type_on_map("M")
    expect(card.locator(".lines")).to_have_text("Choose a head: the mean has no card.")
    expect(more).to_be_disabled()
    assert card.bounding_box()["height"] == height
    at.type_on_map("L2H0")
    at.selected(layer="2", head="0")

    at.cells.click(position={"x": 150, "y": 200})
    ranked = card.locator(".ranked li")
    expect(ranked).to_have_count(5)
    weights = [float(text) for text in ranked.locator(".value").all_inner_texts()]
    assert weights == sorted(weights, reverse=True)
    name = ranked.first.get_by_role("button").inner_text()
    ranked.first.get_by_role("button").click()
    at.assert_chosen(name)
    expect(card.locator("strong").first).to_have_text(f"{name} over a corpus")
    at.type_on_map("L2H0")
    at.selected(layer="2", head="0")

    more.click()
    details = at.page.get_by_role("dialog", name="L2 H0 over a corpus")
    details.get_by_text("object → verb, where the head looks hardest (20)").click()
    link = details.get_by_role("link").first
    expect(link).to_be_visible()
    assert (link.get_attribute("href") or "").startswith("?a=")
    expect(details.get_by_role("row", name="object → verb .74 [.71, .76]")).to_be_visible()
    at.page.keyboard.press("Escape")
    expect(details).to_be_hidden()
    at.assert_sound()
