"""The pictures of the anatomy in Chromium: hover, a drag and a click."""

from playwright.sync_api import expect

from tests.browser.pages.app_page import AppPage, Open
from tests.browser.test_anatomy import PAIR, at_step

RANGE = "key => document.querySelector(`.st-key-anatomy_${key} .js-plotly-plot`)._fullLayout.xaxis.range"


def point_at(at: AppPage, picture: str, row: int, column: int) -> None:
    """Move the mouse to a cell, and after it where the figure was drawn anew meanwhile."""
    place: tuple[float, float] | None = None
    while place != (now := at.place_of_cell(f"anatomy_{picture}", row, column)):
        at.page.mouse.move(*now)
        place = now


def test_hover_tells_and_a_drag_enlarges_and_neither_chooses(visit_app: Open) -> None:
    at = visit_app(view="anatomy", walk="projections", row="2", column="3", **PAIR)
    at_step(at, "projections")
    hover = at.page.locator(".st-key-anatomy_projections_Q-queries .hoverlayer")
    point_at(at, "projections_Q-queries", 8, 10)
    expect(hover).to_contain_text("dimension 10")
    end, y = at.place_of_cell("anatomy_projections_Q-queries", 8, 20)
    at.page.mouse.down()
    at.page.mouse.move(end, y + 60, steps=5)
    at.page.mouse.up()
    at.page.wait_for_function(f"key => ({RANGE})(key)[0] > 5", arg="projections_Q-queries")
    at.idle()
    assert (at.selection["row"], at.selection["column"]) == ("2", "3")
    point_at(at, "projections_Q-queries", 9, 15)
    expect(hover).to_contain_text("dimension 15")  # Plotly's click is on the cell that it last told of
    at.page.mouse.down()
    at.page.mouse.up()
    at.selected(row="9", column="3", dimension="15")
    at.assert_sound()
