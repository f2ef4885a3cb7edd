"""The switch between weights and other methods in the running app: one page, from one method and view to another."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.pages.app_page import AppPage, Open


def pick_measure(at: AppPage, name: str) -> AppPage:
    """Choose a measure in the settings."""
    at.open_settings()
    if name == "Attention weights":
        at.option("Measure", name).click()
    else:
        at.option("Measure", "More, for researchers").click()
        at.pick("Measure for researchers", name)
    at.idle()
    at.close_settings()
    return at


def test_the_switch_changes_what_is_drawn_and_heads_wait_for_the_weights(visit_app: Open) -> None:
    at = visit_app(mode="pair")
    weights = at.heat_map("L0 H4")
    pick_measure(at, "Value-weighted norms").selected(method="norms")
    lengths = at.heat_map("L0 H4", after=weights)
    expect(at.cells).to_have_attribute("aria-label", re.compile("^Value-weighted norms, L0 H4, 13 by 13 tokens"))
    at.cells.hover(position={"x": 200, "y": 200})
    expect(at.page.locator(".tip", has_text="‖α f(x)‖ = ")).to_be_visible()

    pick_measure(at, "GlobEnc").selected(method="globenc")
    at.heat_map("L0 H4", after=lengths)
    at.type_on_map("L3H7M")  # a head is not to be chosen
    at.selected(layer="3", head=None)
    expect(at.map).to_have_attribute("aria-label", re.compile("; GlobEnc, input to L3 is chosen"))
    expect(at.cells).to_have_attribute("aria-label", re.compile("^GlobEnc, input to L3, "))
    at.open_settings()
    at.choose("How far it goes", "Within this layer", reach="layer")
    at.close_settings()
    expect(at.cells).to_have_attribute("aria-label", re.compile("^GlobEnc, L3, "))

    at.view("Head view")
    at.painted(".head-view", "L3|Hmean")
    heads = at.page.locator(".head-view .chip")
    expect(heads).to_have_count(12)
    expect(heads.first).to_be_disabled()
    expect(at.page.locator(".head-view .chips")).to_have_attribute("title", "GlobEnc does not tell heads apart.")

    at.view("Model view")
    large = at.page.locator(".map canvas").last
    box = large.bounding_box()
    large.click(
        position={"x": box["width"] / 6, "y": box["height"] / 4}
    )  # the first of three pictures beside each other
    at.selected(layer=None, head=None)
    pick_measure(at, "Attention weights").selected(method=None)
    at.assert_chosen("L0 H4")
    at.assert_sound()
