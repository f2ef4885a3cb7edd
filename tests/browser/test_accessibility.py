"""axe-core over every view in both themes: no violation, Streamlit's own excepted by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import TimeoutError, expect

from tests.browser.pages.app_page import VIEWS, App, AppPage
from tests.browser.pages.names import without_name
from tests.browser.pages.window import Window
from viz.theme import THEMES

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
COLOURS = ("color-contrast", "link-in-text-block")  # the rules that look at colours
CHECK = """(rules) => axe.run(
    document, { resultTypes: ["violations"], ...(rules && { runOnly: rules }) }
).then(({ violations }) => violations.flatMap(
    ({ id, nodes }) => nodes.map(({ target, html, failureSummary }) => (
        { rule: id, place: target.flat().join(" "), html: html.slice(0, 200), why: failureSummary }))))"""


@pytest.fixture(scope="module")
def checked_page(browser: Window, app: App) -> Iterator[AppPage]:
    """A page with axe in it, which the tests send from view to view."""
    if not AXE.exists():
        pytest.fail("axe-core is not there: `make test` installs it")
    at = AppPage(browser.new_window(viewport={"width": 1280, "height": 900}, reduced_motion="reduce"), app.url)
    at.open().page.add_script_tag(path=AXE)
    yield at
    at.page.context.close()


def switch(at: AppPage, scheme: Literal["light", "dark"]) -> None:
    at.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    red, green, blue = (int(THEMES[scheme].background[i : i + 2], 16) for i in (1, 3, 5))
    expect(at.page.get_by_test_id("stApp")).to_have_css("background-color", f"rgb({red}, {green}, {blue})")
    at.idle()


def violations(at: AppPage, rules: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """What axe finds by all its rules, or by those."""
    found: list[dict[str, Any]] = at.page.evaluate(CHECK, rules)
    return found


def assert_no_violation(at: AppPage, rules: Sequence[str] | None = None) -> None:
    """Axe finds nothing, once the colours of a theme have reached all parts of the page."""
    try:
        at.page.wait_for_function(f"rules => ({CHECK})(rules).then(({{ length }}) => !length)", arg=rules, polling=250)
    except TimeoutError:
        assert violations(at, rules) == []
        raise


def test_axe_notices_what_is_wrong(checked_page: AppPage) -> None:
    page = checked_page.page
    style = "position: fixed; top: 40%; left: 40%; z-index: 9999999"  # above everything
    wrong = (
        f'<div class=wrong style="{style}"><img src="data:,"><p style="color: #777; background: #888">faint</p></div>'
    )
    page.evaluate("wrong => document.querySelector('main').insertAdjacentHTML('beforeend', wrong)", wrong)
    assert {found["rule"] for found in violations(checked_page)} == {"image-alt", "color-contrast"}
    assert {found["rule"] for found in violations(checked_page, COLOURS)} == {"color-contrast"}
    page.evaluate("document.querySelector('.wrong').remove()")


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_has_names_and_no_violation_in_either_theme(checked_page: AppPage, view: str) -> None:
    at = checked_page.view(view)
    expect(at.picture()).to_be_visible()
    switch(at, "light")
    assert_no_violation(at)
    assert without_name(at) == []
    switch(at, "dark")
    assert_no_violation(at, COLOURS)  # a theme changes nothing but colours
