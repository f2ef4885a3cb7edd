"""One word in Chromium: the slider moves points without Python, and a clicked point leads to word lens and back."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.pages.app_page import Open

COUNT_SENT = """() => {
    const { send } = WebSocket.prototype;
    window.sent = 0;
    WebSocket.prototype.send = function (...data) { window.sent += 1; return send.apply(this, data); };
}"""
PLACES = "(plot) => plot.data[0].x.join()"


def test_slider_moves_points_alone_and_a_point_opens_the_lens_and_returns(visit_app: Open) -> None:
    at = visit_app(view="word map", collection="words", word="bank", map_state=0)
    plot = at.page.locator(".js-plotly-plot").filter(has=at.page.locator(".slider-container"))
    expect(plot.locator(".scatterlayer path.point")).to_have_count(38)
    before = plot.evaluate(PLACES)
    at.page.evaluate(COUNT_SENT)
    rail = plot.locator(".slider-rail-touch-rect").bounding_box()
    assert rail is not None
    at.page.mouse.click(rail["x"] + rail["width"] - 4, rail["y"] + rail["height"] / 2)
    at.page.wait_for_function(f"([plot, before]) => ({PLACES})(plot) !== before", arg=[plot.element_handle(), before])
    assert at.page.evaluate("window.sent") == 0
    point = plot.locator(".scatterlayer path.point").first.bounding_box()
    assert point is not None
    at.page.mouse.click(point["x"] + point["width"] / 2, point["y"] + point["height"] / 2)
    expect(at.page.get_by_text("1 of 38 occurrences is chosen.")).to_be_visible()
    at.page.get_by_role("button", name="Word lens", exact=True).click()
    at.selected(view="word lens")
    at.page.get_by_role("button", name="Back to the table").click()
    at.selected(view="word map", word="bank")
    expect(plot).to_be_visible()
    at.assert_sound()
