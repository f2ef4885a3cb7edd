"""A page without a server of the small model: its steps, its lesson, and Firefox."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import encoder
from encoder.measures.similarity import l2_norms
from encoder.shipped.names import steps
from tests.browser.pages.firefox import find_firefox, firefox
from tests.browser.pages.site_page import (
    DRAWN,
    MOST,
    WAIT,
    expect_answer,
    expect_numbers_of,
    load_the_others,
    serving_site,
    watched_page,
)
from tests.browser.pages.window import Window
from viz.examples import EXAMPLES
from viz.site.command import main

pytestmark = pytest.mark.usefixtures("operators_read_once")

BUILD = ("build", "--model", "scratch", "--lessons", "time-flies", "--out")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the first and the last of the steps that ship: each takes a second."""
    made = tmp_path_factory.mktemp("site") / "small"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("viz.site.steps.steps", lambda: steps()[:: len(steps()) - 1])
        assert main([*BUILD, str(made)]) == 0
    return made


@pytest.fixture
def site(browser: Window, folder: Path) -> Iterator[Page]:
    with serving_site(folder) as address, watched_page(browser, address) as page:
        yield page


def test_an_example_keeps_the_selection_of_a_model_without_its_head(site: Page) -> None:
    example = EXAMPLES[2]
    expect(site).to_have_title("Small encoder, trained here: attention")
    site.locator(".map .head_map canvas").first.press("ArrowRight")
    site.get_by_role("combobox", name="Example").select_option(example.title)
    expect(site.get_by_role("heading", level=1)).to_have_text(f"{example.a} / {example.b}", timeout=WAIT)
    expect(site.locator(".picture .cell_map .view[data-painted$='L0|H1']")).to_have_count(2)


def test_a_step_of_the_training_shows_its_own_numbers(site: Page) -> None:
    slider = site.get_by_role("slider", name="Training step")
    slider.press("Home")
    expect(site.get_by_text("This model is untrained")).to_be_visible(timeout=WAIT)
    expect_answer(site, 1)
    site.get_by_role("button", name="Copy link").click()
    expect(site).to_have_url(re.compile("model=scratch%3Astep%3D0"))
    site.reload()
    expect(site.get_by_text("This model is untrained")).to_be_visible(timeout=WAIT)
    expect(slider).to_have_attribute("aria-valuetext", "0")
    expect_answer(site, 1)
    load_the_others(site)
    untrained = encoder.load("scratch:step=0").trace(EXAMPLES[0].a)
    expect_numbers_of(site, "text 1 A", untrained)
    site.get_by_role("button", name="Norms").click()
    expect(site.locator(".picture .plot .main-svg").first).to_be_visible(timeout=WAIT)
    bars = {trace["name"]: trace["y"] for trace in site.evaluate(DRAWN, [0, "embedding"])}
    types = np.broadcast_to(l2_norms(untrained.embedding_parts["token type"]), len(bars["token type"]))
    np.testing.assert_allclose(bars["token type"], types, rtol=0, atol=MOST)
    np.testing.assert_allclose(bars["word"], l2_norms(untrained.embedding_parts["word"]), rtol=1e-4)
    site.get_by_role("button", name="Predictions").click()
    expect(site.locator(".picture").get_by_text("Untrained")).to_have_count(2)
    site.get_by_role("button", name="Heat map").click()
    slider.press("End")
    expect(site.get_by_text("This model is untrained")).to_have_count(0, timeout=WAIT)
    expect_answer(site, 2)
    load_the_others(site)
    expect_numbers_of(site, "text 2 B", encoder.load("scratch").trace(EXAMPLES[0].b))


def test_a_lesson_leads_back_to_the_model(site: Page) -> None:
    def follow(link: Locator) -> None:
        link.click()
        expect(site.locator("html[data-complete]")).to_be_attached()

    site.get_by_text("Lessons", exact=True).click()
    follow(site.get_by_role("link", name="Time flies: one word, two meanings"))
    expect(site.get_by_role("heading", level=2, name="One word, twice")).to_be_visible()
    expect(site.locator(".now .live .view[data-painted$='L0|H0']")).to_have_count(2)
    site.keyboard.press("PageDown")
    expect(site.locator(".now .claims .holds")).not_to_have_count(0)
    site.keyboard.press("PageDown")
    expect(site.locator(".now .plot .main-svg").first).to_be_visible()
    follow(site.locator(".now").get_by_role("link", name="Try it with your own text"))
    assert "view=norms" in site.url
    site.go_back()
    follow(site.get_by_role("link", name="Headlight"))
    expect(site.get_by_role("textbox", name="Sentence A")).to_be_visible()


@pytest.mark.skipif(find_firefox() is None, reason="there is no Firefox: install it (Debian: firefox-esr)")
def test_firefox_reads_a_typed_text_and_then_needs_no_server(folder: Path, tmp_path: Path) -> None:
    painted = """[...document.querySelectorAll(".picture .cell_map")].map(
        ({ shadowRoot }) => shadowRoot.querySelector("[data-painted]")?.dataset.painted).join()"""
    trace = encoder.load("scratch").trace("time flies")
    with firefox(str(find_firefox()), tmp_path) as page:
        with serving_site(folder) as address:
            page.open(address)
            page.wait_for(f"/L0.H0.*L0.H0/.test({painted})")
            page.evaluate("() => Object.assign(document.forms[0].b, { value: '' })")
            page.evaluate("() => document.forms[0].a.select()")
            page.press(*"time flies")
            page.wait_for("document.querySelector('h1').textContent === 'time flies'")
            page.wait_for("document.querySelector('.not-loaded button')")
            page.evaluate("() => document.querySelector('.not-loaded button').click()")
            page.wait_for("!document.querySelector('.not-loaded')")
            number = page.evaluate("() => document.forms[0].dataset.answered")
            expect_numbers_of(page, f"text {number} A", trace)
            page.evaluate("() => document.querySelector('.map .head_map').shadowRoot.querySelector('canvas').focus()")
            page.press("ArrowRight")
            page.wait_for(f"{painted}.endsWith('L0|H1')")
            page.wait_for("/head=1(&|$)/.test(location.hash)")
            page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
        page.reload()
        page.wait_for("document.forms[0]?.dataset.answered === '1'")
        page.wait_for(f"{painted}.endsWith('L0|H1') && !document.querySelector('.not-loaded')")
        expect_numbers_of(page, "text 1 A", trace)
