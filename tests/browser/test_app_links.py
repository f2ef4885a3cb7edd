"""Links to the app, and the browser's way back."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Route, expect
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.browser.pages.app_page import SMALL, TWO_FRAMES, App, AppPage, Open
from tests.browser.pages.watch import assert_none
from tests.browser.pages.window import Window

CODE_OF_WIDGETS = re.compile(r"/(Selectbox|ButtonGroup)\.[^/]*\.js$")


def test_a_link_counts_where_the_code_of_widgets_comes_after_two_runs(browser: Window, app: App) -> None:
    late: list[Route] = []
    link = {"mode": "separate", "model": "scratch", "level": "words", "special": "hide", "view": "predictions"}
    with browser.tab(viewport=SMALL) as page:
        at = AppPage(page, app.url)
        hold = lambda route: late.append(route)  # noqa: E731, PLW0108  # Playwright cannot mark a built-in method
        page.route(CODE_OF_WIDGETS, hold, times=2)
        page.goto(f"{app.url}/?{urlencode(link)}")
        at.idle().page.get_by_role("button", name="Settings").click()
        page.evaluate(TWO_FRAMES)
        at.idle()
        assert len(late) == 2
        for route in late:
            route.continue_()
        for group, name in [
            ("Read the sentences", "One at a time"),
            ("Show the text as", "Whole words"),
            ("[CLS] and [SEP]", "Hide"),
        ]:
            expect(at.option(group, name)).to_be_checked()
        at.assert_view("Predictions")
        model = page.get_by_role("combobox", name="Model", exact=True)
        expect(model).to_have_value("Small encoder, trained here")
        at.text("A").fill("dogs bark")
        at.text("A").press("Control+Enter")
        at.selected(**link, a="dogs bark")  # nor did the widgets tell anything else
        trouble = at.watch.end()
    assert_none(trouble)


def test_back_and_forward_restore_the_page(visit_app: Open) -> None:
    at = visit_app()
    first = at.heat_map("L0 H4")
    third = at.layer(3).heat_map("L3 H4")
    at.view("Norms")
    at.page.go_back()
    assert at.heat_map("L3 H4") == third
    at.assert_view("Heat map")
    at.page.go_back()
    assert at.heat_map("L0 H4") == first
    at.assert_chosen("L0 H4")
    at.page.go_forward()
    assert at.heat_map("L3 H4") == third
    at.assert_chosen("L3 H4")
    at.head(7).heat_map("L3 H7")  # the page is alive


def test_link_to_a_foreign_model_waits_for_a_click(open_app: Open, app: App) -> None:
    assert app.asked == []
    at = open_app(model="somebody/some-model", layer="2")
    at.heat_map("L2 H4")
    expect(at.page.get_by_text("The page goes on with all-MiniLM-L6-v2, a small BERT.")).to_be_visible()
    load = at.page.get_by_role("button", name="Load it")
    expect(load).to_be_visible()
    at.layer(3).heat_map("L3 H4")
    assert app.asked == []
    load.click()
    expect(at.page.get_by_role("button", name="Try again")).to_be_visible(timeout=60_000)
    at.idle()
    assert any("somebody/some-model" in asked for asked in app.asked)
    app.asked.clear()
    expect(at.page.locator(".st-key-inputs").get_by_test_id("stAlert")).to_contain_text("somebody/some-model")
    at.layer(4).heat_map("L4 H4")
    assert app.asked == []
    at.assert_sound()


def test_a_page_of_another_origin_is_refused_without_asking_the_network(app: App) -> None:
    address = app.url.replace("http", "ws") + "/_stcore/stream"
    with pytest.raises(InvalidStatus, match="403"), connect(address, origin=Origin("http://example.org"), proxy=None):
        pass
    assert app.asked == []


def test_a_link_counts_against_a_setting_in_a_closed_menu(open_app: Open) -> None:
    at = open_app(mode="pair")
    at.choose("Read the sentences", "One at a time", mode="separate")
    at.choose("Read the sentences", "Together, as one input", mode="pair")
    at.page.keyboard.press("Escape")
    at.go(mode="separate")
    second = at.page.get_by_role("heading", name="Sentence B")
    expect(second).to_be_visible()
    at.layer(3).idle()
    expect(second).to_be_visible()
    at.choose("Read the sentences", "Together, as one input", mode=None)
    expect(second).to_be_hidden()
    at.assert_sound()
