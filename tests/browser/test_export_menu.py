"""The export menu: files by their names, the page's address, and the views that are exports."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.pages.app_page import Open


def test_the_menu_saves_what_the_page_shows_and_opens_bertviz(open_app: Open) -> None:
    at = open_app(view="heat map", mode="separate", a="time flies", b="fruit flies", layer="2", head="3")
    at.page.get_by_role("button", name="Export").click()
    at.idle()
    menu = at.page.get_by_test_id("stPopoverBody")
    expect(menu.get_by_test_id("stCode")).to_contain_text(at.page.url.partition("?")[2])
    at.page.locator(".st-key-save_page_heat-map button").wait_for()
    name, html = at.download(at.page.locator(".st-key-save_page_heat-map button").click)
    assert name == "headlight-time-flies-heat-map.html"
    assert "<title>time flies / fruit flies</title>" in html
    name, csv = at.download(at.page.locator(".st-key-export_csv_B button").click)
    assert name == "headlight-time-flies-attention-l2-h3-b.csv"
    assert csv.splitlines()[0] == "query (from),0: [CLS],1: fruit,2: flies,3: [SEP]"
    at.page.get_by_role("button", name="Open in BertViz").click()
    expect(at.page.locator("iframe")).to_have_count(2)
    expect(menu).to_be_hidden()
    first, second = (frame.bounding_box() for frame in at.page.locator("iframe").all())
    assert (first["y"], first["width"], first["height"]) == (second["y"], second["width"], second["height"])
    assert first["x"] < second["x"]
    at.assert_sound()


def test_a_head_chosen_by_keys_and_the_menu_opened_in_the_same_moment_are_both_drawn(open_app: Open) -> None:
    at = open_app(view="heat map", a="time flies", b="", layer="0", head="4")
    at.heat_map("L0 H4")
    at.type_on_map("L4H2")
    at.page.get_by_role("button", name="Export").click()
    at.selected(layer="4", head="2").heat_map("L4 H2")
    expect(at.page.get_by_test_id("stPopoverBody").get_by_test_id("stCode")).to_contain_text("head=2")
    at.assert_sound()
