"""The view Compare in Chromium: a minimal pair, a head that is clicked, its lines, and the same head silenced."""

import re

from playwright.sync_api import expect

from tests.browser.pages.app_page import Open


def test_a_pair_is_chosen_a_head_clicked_and_silenced(open_app: Open) -> None:
    at = open_app(view="compare", a="</script><b>flies</b> %{x}", b="")
    expect(at.page.get_by_text("type a second one")).to_be_visible()
    at.page.get_by_role("button", name="Minimal pairs").click()
    at.page.get_by_role("button", name="the film was good / the film was not good").click()
    at.selected(a="the film was good", b="the film was not good")
    at.page.keyboard.press("Escape")
    at.page.locator(".st-key-compare_heads_folded summary").click()
    at.click_cell("compare_compare-heads", row=3, column=7).selected(layer="3", head="7", view="compare")
    expect(at.page.get_by_role("heading", name="Layer 3, head 7: B minus A")).to_be_visible()
    at.painted(".st-key-compare_lines_0 .head-view", "L3|H7").painted(".st-key-compare_lines_1 .head-view", "L3|H7")
    at.assert_sound()
    expect(at.page.locator("[class*='_stop']")).to_have_count(0)  # all is drawn again when heads have been silenced
    at.click_cell("compare_chosen_attention-difference", row=3, column=2)  # "was" looks at "film"
    at.selected(query="3", key="2")
    at.choose("Compare", "Heads silenced", compare="heads")
    at.page.get_by_role("button", name="Silence layer 3, head 7 alone").click()
    at.selected(silenced="3.7", layer="3", head="7")
    without = re.compile(r"and without layer.* 3, head.* 7", re.DOTALL)  # each term is followed by its definition
    expect(at.page.get_by_test_id("stMain")).to_contain_text(without)
    at.assert_sound()
