"""One word in Chromium: the slider moves points without Python, and clicked ones and a lasso lead to the word lens."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.browser.pages.app_page import AppPage, Open

COUNT_SENT = """() => {
    const { send } = WebSocket.prototype;
    window.sent = 0;
    WebSocket.prototype.send = function (...data) { window.sent += 1; return send.apply(this, data); };
}"""
PLACES = "(plot) => plot.data[0].x.join()"


# What Python sends back to the next message counts as a map where it has a slider.
COUNT_MAPS = """() => {
    const { send } = WebSocket.prototype;
    window.maps = 0;
    WebSocket.prototype.send = function (...data) {
        WebSocket.prototype.send = send;
        this.addEventListener("message", ({ data }) => {
            window.maps += new TextDecoder().decode(data).includes('"sliders"');
        });
        return send.apply(this, data);
    };
}"""


def map_of(at: AppPage) -> Locator:
    return at.page.locator(".js-plotly-plot").filter(has=at.page.locator(".slider-container"))


def test_slider_moves_points_alone_and_a_point_opens_the_lens_and_returns(visit_app: Open) -> None:
    at = visit_app(view="word map", collection="words", word="bank", map_state=0)
    plot = map_of(at)
    expect(plot.locator(".scatterlayer path.point")).to_have_count(38)
    before = plot.evaluate(PLACES)
    at.page.evaluate(COUNT_SENT)
    rail = plot.locator(".slider-rail-touch-rect").bounding_box()
    at.page.mouse.click(rail["x"] + rail["width"] - 4, rail["y"] + rail["height"] / 2)
    at.page.wait_for_function(f"([plot, before]) => ({PLACES})(plot) !== before", arg=[plot.element_handle(), before])
    assert at.page.evaluate("window.sent") == 0
    point = plot.locator(".scatterlayer path.point").first.bounding_box()
    at.page.mouse.click(point["x"] + point["width"] / 2, point["y"] + point["height"] / 2)
    expect(at.page.get_by_text("1 of 38 occurrences is chosen.")).to_be_visible()
    at.page.get_by_role("button", name="Word lens", exact=True).click()
    at.selected(view="word lens")
    at.page.get_by_role("button", name="Back to the table").click()
    at.selected(view="word map", word="bank")
    expect(plot).to_be_visible()
    at.assert_sound()


def test_a_lasso_lists_texts_of_which_two_open_in_the_lens_with_the_word(visit_app: Open) -> None:
    at = visit_app(view="word map", collection="words", word="flies", colour="~tags")
    plot = map_of(at)
    expect(plot.locator(".scatterlayer path.point")).to_have_count(38)
    plot.locator('.modebar-btn[data-title="Lasso Select"]').click()
    box = plot.locator(".nsewdrag").bounding_box()
    left, top, right, bottom = box["x"] + 2, box["y"] + 2, box["x"] + box["width"] - 2, box["y"] + box["height"] - 2
    at.page.evaluate(COUNT_MAPS)
    at.page.mouse.move(left, top)
    at.page.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom)):
        at.page.mouse.move(x, y, steps=3)
    at.page.mouse.up()
    expect(at.page.get_by_text("38 of 38 occurrences are chosen.")).to_be_visible()
    expect(at.page.get_by_test_id("stDataFrame")).to_be_visible()
    at.idle()
    assert at.page.evaluate("window.maps") == 0
    at.page.get_by_role("button", name="Word lens", exact=True).click()
    at.selected(view="word lens")
    expect(at.page.get_by_text(re.compile("The model reads “flies” as a (noun .* verb|verb .* noun) "))).to_be_visible()
    at.assert_sound()
