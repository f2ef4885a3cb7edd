"""Driving words in Chromium: a click on a word lists its rows, and a click on a row offers the views that open it."""

import re

from playwright.sync_api import Locator, expect

from tests.browser.pages.app_page import Open

ROW = 35  # pixels of a row of Streamlit's tables


def test_a_click_on_a_word_lists_its_rows_and_one_on_a_row_opens_it(visit_app: Open) -> None:
    at = visit_app(view="driving words", model="bundled-sentiment", rows="errors")
    expect(at.page.get_by_text(re.compile("Without the first 10 words together"))).to_be_visible(timeout=120_000)
    first = at.page.locator("h4").filter(has_text="with “").inner_text()
    choose_row(at.page.locator("[class*=st-key-driving_words_table]"), 1)
    heading = at.page.locator("h4").filter(has_text="with “")
    expect(heading).not_to_have_text(first)
    expect(at.page).to_have_url(re.compile("driving_word="))
    choose_row(at.page.locator("[class*=st-key-driving_rows_table]"), 0)
    at.page.get_by_role("button", name="Why this prediction?").click()
    expect(at.page).to_have_url(re.compile("view=why"))
    expect(at.page.get_by_role("button", name=re.compile("Back to the table"))).to_be_visible()
    at.assert_sound()


def choose_row(table: Locator, row: int) -> None:
    """Click the check box of a row; the table is drawn on a canvas."""
    table.scroll_into_view_if_needed()
    table.click(position={"x": 16, "y": ROW * (row + 1) + ROW / 2})
