"""The anatomy in Chromium: its steps from first to last, its keys, and its code."""

import re

from playwright.sync_api import expect

from encoder.experiments.anatomy.names import STEPS as KEYS
from encoder.experiments.anatomy.names import StepKey
from tests.browser.pages.app_page import AppPage, Open
from viz.views.anatomy.answer.steps import STEPS

PAIR = {"a": "time flies like an arrow", "b": "fruit flies like a banana"}
# Formulas that a person would have to scroll sideways or that are broken, and pictures without a cell, line or bar.
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


def at_step(at: AppPage, step: StepKey) -> None:
    at.selected(walk=step if step != KEYS[0] else None)
    expect(at.page.get_by_role("heading", name=STEPS[step].title, exact=True)).to_be_visible()
    at.idle()


# The lower edges of what a step shows, the upper edge of its row, and how far the page is scrolled.
PLACES = """() => {
    const step = document.querySelector(".st-key-anatomy_step");
    const columns = [...step.querySelectorAll(".stColumn")]
        .filter((column) => !column.parentElement.closest(".stColumn"));
    const lowest = (column) => Math.max(...[...column.querySelectorAll(".stElementContainer")]
        .map((element) => element.getBoundingClientRect().bottom));
    const next = document.querySelector(".st-key-anatomy_next button").getBoundingClientRect();
    return {
        top: step.getBoundingClientRect().top,
        next: next.bottom,
        picture: lowest(columns[0]),
        words: lowest(columns[1]),
        right: Math.max(next.right, ...columns.map((column) => column.getBoundingClientRect().right)),
        scrolled: document.querySelector("[data-testid=stMain]").scrollTop,
    };
}"""


def test_every_step_fits_a_small_window_and_keeps_its_place(visit_app: Open) -> None:
    at = visit_app(view="anatomy", mode="separate", **PAIR)
    at.page.set_viewport_size({"width": 1280, "height": 720})
    at_step(at, KEYS[0])
    at.page.evaluate(
        "top => document.querySelector('[data-testid=stMain]').scrollBy(0, top)", at.page.evaluate(PLACES)["top"]
    )
    scrolled = at.page.evaluate(PLACES)["scrolled"]
    for step in KEYS:
        at_step(at, step)
        expect(at.page.get_by_text("The real code").first).to_be_visible()
        at.page.wait_for_function(f"({EMPTY})().length === 0")
        found = at.page.evaluate(PLACES)
        assert found["scrolled"] == scrolled, step
        assert found["top"] >= -1, step
        assert max(found["next"], found["picture"], found["words"]) <= 720, (step, found)
        assert found["right"] <= 1280, step
        assert at.page.evaluate(TOO_WIDE) == [], step
        assert at.page.evaluate(BROKEN) == 0, step
        if step != KEYS[-1]:
            at.page.keyboard.press("ArrowRight")
    expect(at.page.get_by_role("button", name="Next")).to_be_disabled()
    at.assert_sound()


def test_the_line_of_code_and_the_symbol_of_a_step_are_marked(visit_app: Open) -> None:
    at = visit_app(view="anatomy", walk="softmax", mode="separate", **PAIR)
    at_step(at, "softmax")
    expect(at.page.locator(".python-code mark").first).to_have_text("A = E / E.sum(axis=1, keepdims=True)")
    symbol, line = (
        at.page.locator(place).first.evaluate("element => getComputedStyle(element).backgroundColor")
        for place in (".katex .fbox", ".python-code mark")
    )
    assert symbol == line
    at.page.get_by_text("The real code").click()
    expect(at.page.locator(".python-code mark").last).to_have_text(re.compile(r"weights = scores.softmax"))
    at.page.locator(".python-code mark").last.scroll_into_view_if_needed()
    expect(at.page.get_by_role("button", name="Next")).to_be_in_viewport()


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
