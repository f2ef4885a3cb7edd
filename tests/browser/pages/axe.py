"""axe-core in a page of the app."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from tests.browser.pages.app_page import AppPage
from tests.browser.pages.saved_page import SavedPage
from viz.theme import THEMES

AXE = Path(__file__).parents[3] / "node_modules" / "axe-core" / "axe.min.js"
COLOURS = ("color-contrast", "link-in-text-block")  # the rules that look at colours
CHECK = """(rules) => axe.run(
    document, { resultTypes: ["violations"], ...(rules && { runOnly: rules }) }
).then(({ violations }) => violations.flatMap(
    ({ id, nodes }) => nodes.map(({ target, html, failureSummary }) => (
        { rule: id, place: target.flat().join(" "), html: html.slice(0, 200), why: failureSummary }))))"""


def add_axe(page: Page) -> None:
    if not AXE.exists():
        pytest.fail("axe-core is not there: `make test` installs it")
    page.evaluate(f"{AXE.read_text(encoding='utf-8')}; 0")  # a saved page allows no further script


def switch(at: AppPage, scheme: Literal["light", "dark"]) -> None:
    at.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    red, green, blue = (int(THEMES[scheme].background[i : i + 2], 16) for i in (1, 3, 5))
    expect(at.page.get_by_test_id("stApp")).to_have_css("background-color", f"rgb({red}, {green}, {blue})")
    at.idle()


def violations(at: AppPage | SavedPage, rules: Sequence[str] | None = None) -> list[dict[str, Any]]:
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
