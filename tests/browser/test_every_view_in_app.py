"""Every view of the app: soundness, sizes, names and axe-core in both themes, Streamlit's own violations left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.pages.app_page import LARGE, SMALL, VIEWS, App, AppPage, Open
from tests.browser.pages.axe import COLOURS, add_axe, assert_no_violation, switch, violations
from tests.browser.pages.window import Window
from tests.thorough import THOROUGH
from viz.theme import THEMES

OPERATED = {"button", "checkbox", "combobox", "link", "menuitem", "radio", "slider", "spinbutton", "switch", "textbox"}
# The name of a Material symbol, alone or as Streamlit reads it out.
SYMBOL = re.compile(r"^(\w+ icon|[a-z]+(_[a-z]+)+|close|delete|download|edit|menu|save|slideshow|undo)$")
CONTROLS = ".st-key-view"
HEADINGS = {
    "Norms": "L2 norm of each hidden state",
    "Predictions": "The model itself was never trained on sentiment",
    "Data": "Attention weights, L0 H4",
}


@pytest.fixture(scope="module")
def walked(browser: Window, app: App) -> Iterator[AppPage]:
    """A page with axe in it, which the tests send from view to view."""
    at = AppPage(browser.new_page(viewport=SMALL, reduced_motion="reduce"), app.url).open(mode="pair")
    add_axe(at.page)
    yield at
    at.page.close()


@pytest.fixture(scope="module")
def controls(walked: AppPage) -> tuple[float, float] | None:
    """Where the controls of the first view are."""
    walked.heat_map("L0 H4")
    return place_of_controls(walked)


def place_of_controls(at: AppPage) -> tuple[float, float] | None:
    box = at.page.locator(CONTROLS).bounding_box()
    return box and (box["x"], box["y"])


def without_name(at: AppPage) -> list[tuple[str, str]]:
    """Role and name of what can be operated and has no name, or that of a symbol."""
    session = at.page.context.new_cdp_session(at.page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    operated = [
        (node["role"]["value"], node.get("name", {}).get("value", "").strip())
        for node in nodes
        if not node["ignored"] and node["role"]["value"] in OPERATED
    ]
    assert operated
    return [(role, name) for role, name in operated if not name or SYMBOL.match(name)]


def assert_pictures_have_names_of_their_own(at: AppPage) -> None:
    names = [canvas.get_attribute("aria-label") for canvas in at.page.get_by_role("application").all()]
    assert len(set(names)) == len(names), names


def test_axe_notices_what_is_wrong(walked: AppPage) -> None:
    page = walked.page
    style = "position: fixed; top: 40%; left: 40%; z-index: 9999999"  # above everything
    wrong = (
        f'<div class=wrong style="{style}"><img src="data:,"><p style="color: #777; background: #888">faint</p></div>'
    )
    page.evaluate("wrong => document.querySelector('main').insertAdjacentHTML('beforeend', wrong)", wrong)
    assert {found["rule"] for found in violations(walked)} == {"image-alt", "color-contrast"}
    assert {found["rule"] for found in violations(walked, COLOURS)} == {"color-contrast"}
    page.evaluate("document.querySelector('.wrong').remove()")


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_opens_by_a_click_fits_has_names_and_no_violation(
    walked: AppPage, controls: tuple[float, float] | None, view: str
) -> None:
    at = walked.view(view)
    if view in HEADINGS:
        expect(at.page.get_by_text(HEADINGS[view]).first).to_be_visible()
    expect(at.picture()).to_be_visible()
    assert place_of_controls(at) == controls, "nothing moves"
    one, other = list(THEMES)[:: -1 if VIEWS.index(view) % 2 else 1]  # the first is that of the view before
    switch(at, one)
    assert_no_violation(at)
    assert without_name(at) == []
    assert_pictures_have_names_of_their_own(at)
    switch(at, other)
    if THOROUGH:  # else each view in one theme, whose colours tests/viz/test_theme.py compares with each other
        assert_no_violation(at, COLOURS)  # a theme changes nothing but colours
    at.assert_sound()
    at.page.set_viewport_size(LARGE)
    at.assert_sound()
    at.page.set_viewport_size(SMALL)


def test_every_control_of_a_tour_and_its_editor_has_a_name(open_app: Open) -> None:
    at = open_app(tour="time-flies", stop="3")
    assert without_name(at) == []
    at.page.get_by_role("button", name="More").click()
    at.page.get_by_role("button", name="Edit a copy").click()
    at.page.get_by_role("dialog").wait_for()
    assert without_name(at.idle()) == []


def test_every_control_of_a_state_has_a_name(visit_app: Open) -> None:
    at = visit_app()
    for state in ({"a": ""}, {"mode": "separate"}, {"stage": "1"}):
        assert without_name(at.go(**state)) == [], state
        assert_pictures_have_names_of_their_own(at)
