"""The anatomy in Chromium: first step to last, by click and by key, in both themes, with texts of all sizes."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from encoder.experiments.anatomy.names import STEPS as KEYS
from tests.browser.pages.app_page import AppPage
from viz.answers.anatomy.steps import STEPS

Open = Callable[..., AppPage]

PAIR = {"a": "time flies like an arrow", "b": "fruit flies like a banana"}
# Formulas that a person would have to scroll sideways, and pictures without a cell, line or bar in them.
TOO_WIDE = """() => [...document.querySelectorAll('[data-testid=stMain] .katex-display')]
    .filter((formula) => {
        const edge = formula.getBoundingClientRect();
        const parts = [...formula.querySelectorAll('.base')].map((part) => part.getBoundingClientRect());
        return parts.some((part) => part.right > edge.right + 1 || part.left < edge.left - 1);
    }).map((formula) => formula.textContent.slice(0, 60))"""
BROKEN = "() => document.querySelectorAll('[data-testid=stMain] .katex-error').length"
EMPTY = """() => [...document.querySelectorAll('.js-plotly-plot')]
    .filter((graph) => !graph.querySelector('.heatmaplayer image, .scatterlayer path, .barlayer path'))
    .map((graph) => graph.textContent.slice(0, 60))"""


def at_step(at: AppPage, step: str) -> None:
    at.selected(walk=step if step != KEYS[0] else None)
    expect(at.page.get_by_role("heading", name=STEPS[step].title, exact=True)).to_be_visible()
    at.idle()


def assert_well_drawn(at: AppPage) -> None:
    at.page.wait_for_function(f"({EMPTY})().length === 0")
    at.assert_sound()
    assert at.page.evaluate(BROKEN) == 0
    assert at.page.evaluate(TOO_WIDE) == []


def test_the_steps_are_clicked_through_from_first_to_last(visit_app: Open) -> None:
    at = visit_app(view="anatomy", **PAIR)
    for step in KEYS:
        at_step(at, step)
        expect(at.page.get_by_text("The code that did it").first).to_be_visible()
        assert_well_drawn(at)
        if step != KEYS[-1]:
            at.page.get_by_role("button", name="Next").click()
    expect(at.page.get_by_role("button", name="Next")).to_be_disabled()


def test_the_first_screen_of_a_step_has_its_words_formula_and_picture(visit_app: Open) -> None:
    at = visit_app(view="anatomy", walk="softmax", **PAIR)
    for part in ("heading", "formula", "picture"):
        locator = {
            "heading": at.page.get_by_role("heading", name=STEPS["softmax"].title),
            "formula": at.page.locator(".katex-display").first,
            "picture": at.page.locator(".js-plotly-plot").first,
        }[part]
        box = locator.bounding_box()
        assert box
        assert box["y"] < 900 * 0.7, part


def test_arrow_keys_change_the_step_and_typing_does_not(visit_app: Open) -> None:
    at = visit_app(view="anatomy", walk="scores", **PAIR)
    at.page.get_by_role("heading", name=STEPS["scores"].title).click()
    at.page.keyboard.press("ArrowRight")
    at_step(at, "scaling")
    at.page.keyboard.press("ArrowLeft")
    at_step(at, "scores")
    at.text("A").click()
    at.page.keyboard.press("End")
    at.page.keyboard.press("ArrowLeft")
    at.page.keyboard.press("ArrowLeft")
    at.page.keyboard.type("!")
    at.page.keyboard.press("Control+Enter")
    at.selected(a="time flies like an arr!ow", walk="scores")


def test_the_maps_own_arrow_keys_stay_with_the_map(visit_app: Open) -> None:
    at = visit_app(view="anatomy", walk="scores", **PAIR)
    at.page.locator(".head-map canvas, canvas").first.focus()
    at.page.keyboard.press("ArrowRight")
    at.selected(head="5", walk="scores")
    at.strip.locator(".token, [tabindex]").first.focus()
    at.page.keyboard.press("ArrowRight")
    at.page.keyboard.press("ArrowRight")
    at.page.get_by_role("button", name="Next").click()
    at_step(at, "scaling")


def test_a_cell_is_opened_by_choosing_row_and_column(visit_app: Open) -> None:
    at = visit_app(view="anatomy", walk="scores", **PAIR)
    at_step(at, "scores")
    at.page.get_by_role("combobox", name=re.compile("^Row")).click()
    at.page.keyboard.type("8 · fl")  # a long list shows the first options only
    at.page.get_by_role("option", name="8 · flies").click()
    at.selected(row="8")
    expect(at.page.locator(".katex-display").last).to_contain_text("q8")
    assert at.page.evaluate("() => document.querySelector('.js-plotly-plot').layout.shapes.at(-1).y0") == 7.5
