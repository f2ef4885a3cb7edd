"""Every view of the app with hostile texts: soundness, sizes from a phone to a large screen, names and axe-core in both
themes, Streamlit's own violations left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.pages.app_page import LARGE, PARTS, PHONE, SMALL, VIEWS, App, AppPage, Open
from tests.browser.pages.axe import COLOURS, add_axe, assert_no_violation, switch, violations
from tests.browser.pages.window import Window
from tests.thorough import THOROUGH
from viz.theme import THEMES

OPERATED = {"button", "checkbox", "combobox", "link", "menuitem", "radio", "slider", "spinbutton", "switch", "textbox"}
# The name of a Material symbol, alone or as Streamlit reads it out.
SYMBOL = re.compile(r"^(\w+ icon|[a-z]+(_[a-z]+)+|close|delete|download|edit|menu|save|slideshow|undo)$")
CONTROLS = ".st-key-view"
FINGER = 40  # pixels
# What takes longest comes last, as it goes on beside the views after it.
ORDER = sorted(VIEWS, key="Similar because".__eq__)
# Markup, formulas and scripts that are written from the right, around a word of both texts. They are short, as views
# compute for longer ones; tests/app/test_page_input.py has more.
HOSTILE = {"A": "<b>flies</b> 🙂 \u202eש", "B": "<img src=x onerror=alert(1)> flies **b** $x$"}
# What can be clicked in the main column and is smaller than a finger; tables and the tool bars of figures, which show
# for a mouse only, are Streamlit's and Plotly's own.
TOO_SMALL = (
    f"(least) => {{ {PARTS}"
    + """
    const foreign = "[data-testid=stDataFrame], [data-testid=stElementToolbar], .modebar";
    return parts(document.querySelector("[data-testid=stMain]"))
        .filter((part) => part.matches("button, summary, select, [role=radio], [role=option], [role=tab]"))
        .filter((part) => part.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
        .filter((part) => !part.closest(foreign))
        .filter((part) => {
            const { width, height } = part.getBoundingClientRect();
            return width && (width < least || height < least);
        })
        .map((part) => `${part.outerHTML.slice(0, 120)} ${JSON.stringify(part.getBoundingClientRect())}`);
}"""
)
HEADINGS = {
    "Norms": "L2 norm of each hidden state",
    "Predictions": "The model itself was never trained on sentiment",
    "Data": "Attention weights, L0 H4",
}


@pytest.fixture(scope="module")
def walked(browser: Window, app: App) -> Iterator[AppPage]:
    """A page with axe in it, which the tests send from view to view."""
    at = AppPage(browser.new_page(viewport=SMALL, reduced_motion="reduce"), app.url).open(mode="pair")
    for letter, text in HOSTILE.items():
        at.text(letter).fill(text)
    at.text("B").press("Control+Enter")
    expect(at.strip.locator(".label").nth(1)).not_to_have_text("time")
    add_axe(at.idle().page)
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


@pytest.mark.parametrize("view", ORDER)
def test_a_view_opens_by_a_click_fits_has_names_and_no_violation(
    walked: AppPage, controls: tuple[float, float] | None, view: str
) -> None:
    at = walked.view(view)
    if view in HEADINGS:
        expect(at.page.get_by_text(HEADINGS[view]).first).to_be_visible()
    expect(at.picture()).to_be_visible()
    assert place_of_controls(at) == controls, "nothing moves"
    one, other = list(THEMES)[:: -1 if ORDER.index(view) % 2 else 1]  # the first is that of the view before
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
    at.page.set_viewport_size(PHONE)
    at.assert_sound()  # nothing is wider than the page
    assert at.page.evaluate(TOO_SMALL, FINGER) == []
    expect(at.page.locator("[data-testid=stMain] img")).to_have_count(0)
    if view != "Decoder":  # which has a text of its own
        assert {letter: at.text(letter).input_value() for letter in HOSTILE} == HOSTILE
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
