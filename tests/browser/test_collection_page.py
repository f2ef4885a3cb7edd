"""A table of texts in Chromium: clicks on the matrix and on a slice filter; a row opens in another view and returns."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.pages.app_page import Open


def test_cell_filters_and_row_opens_and_returns(visit_app: Open) -> None:
    at = visit_app(view="texts", model="bundled-sentiment", order="table")
    cells = at.page.locator(".js-plotly-plot .nsewdrag").first
    expect(cells).to_be_visible()
    box = cells.bounding_box()
    cells.click(position={"x": box["width"] / 6, "y": 5 * box["height"] / 6})  # own label positive, predicted negative
    at.selected(rows="positive>negative")
    expect(at.page.get_by_text("positive, predicted negative")).to_be_visible()
    table = at.page.locator("[data-testid=stDataFrame] .dvn-scroller").first
    table.hover()
    tools = at.page.locator("[data-testid=stElementToolbar]").filter(visible=True)
    expect(tools.get_by_role("button", name="Search")).to_be_visible()
    expect(tools.get_by_role("button", name="Download")).to_have_count(0)  # it would not escape formulas
    table.click(position={"x": 18, "y": 52})
    at.page.get_by_role("button", name="Predictions", exact=True).click()
    at.selected(view="predictions", rows="positive>negative")
    at.page.get_by_role("button", name="Back to the table").click()
    at.selected(view="texts", rows="positive>negative")
    expect(at.page.get_by_role("button", name="Predictions", exact=True)).to_be_visible()
    at.page.get_by_text("How do we know?").click()
    slices = at.page.locator(".st-key-texts_slices_of_slices_table .dvn-scroller")
    expect(slices).to_be_visible()
    slices.click(position={"x": 18, "y": 52})
    expect(at.page).to_have_url(re.compile("rows=positive%3Enegative\\+%26\\+[a-z]+%3D"))
    at.assert_sound()
