"""A page without a server, as `http.server` serves it: the example at once, and typed texts with Python's numbers."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page, expect

import encoder
from encoder import Trace
from encoder.measures.units import units_of
from tests.browser.pages.watch import Watch, assert_none
from tests.browser.pages.window import Window
from viz.examples import EXAMPLES
from viz.payloads.layer import STEPS, unit_extras
from viz.payloads.runs import heads_of_trace
from viz.site.command import main
from viz.site.folder import SUMS

MODEL = "scratch"
BUILD = ("build", "--model", MODEL, "--lessons", "time-flies", "--out")
MOST, MOST_OTHERS = 5e-4, 2e-3  # of a weight, and of other numbers, with matrices in 16 bits
STORED = """([name, array]) => {
    const { tensors, extras } = window[Symbol.for("headlight.store")].messages.get(name).message;
    const { values, shape } = tensors[array];
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    return { shape, extras, base64: bytes.toBase64?.() ?? btoa(String.fromCharCode(...bytes)) };
}"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *_: object) -> None:
        """Nothing: the test's own output is enough."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("site") / "below" / "it"
    assert main([*BUILD, str(made)]) == 0
    return made


@pytest.fixture
def server(folder: Path) -> Iterator[ThreadingHTTPServer]:
    """Serves the folder above the page's."""
    serving = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder.parent)))
    threading.Thread(target=serving.serve_forever, daemon=True).start()
    yield serving
    serving.shutdown()
    serving.server_close()


def open_page(page: Page, server: ThreadingHTTPServer, folder: Path) -> Watch:
    address = f"http://127.0.0.1:{server.server_port}/{folder.name}/"
    watch = Watch(page, address)
    page.goto(address)
    expect(page.locator("html[data-complete]")).to_be_attached()
    return watch


@pytest.fixture
def site(browser: Window, server: ThreadingHTTPServer, folder: Path) -> Iterator[Page]:
    """The page, which asked nobody else, and nothing went wrong."""
    with browser.tab(viewport={"width": 1440, "height": 900}) as page:
        watch = open_page(page, server, folder)
        yield page
        page.goto("about:blank")
        assert_none(watch.end())


def stored(page: Page, name: str, array: str, kind: str) -> tuple[NDArray[Any], dict[str, Any]]:
    """An array in the store of the page's views, and the extras of its message."""
    found = page.evaluate(STORED, [name, array])
    return np.frombuffer(base64.b64decode(found["base64"]), kind).reshape(found["shape"]), found["extras"]


def type_texts(page: Page, a: str, b: str) -> str:
    """The name of the run of sentence A, once the page has both."""
    page.get_by_label("Sentence B").fill(b)
    page.get_by_label("Sentence A").fill(a)
    expect(page.locator("form[data-answered='2']")).to_be_attached(timeout=60_000)
    return "text 2 A"


def load_the_others(page: Page) -> None:
    page.get_by_role("button", name="Load the others").first.click()
    expect(page.locator(".map .not-loaded")).to_have_count(0, timeout=60_000)


def expect_numbers_of(page: Page, run: str, trace: Trace) -> None:
    units = units_of(trace.tokens)
    for layer in range(trace.num_layers):
        roots, extras = stored(page, f"{run}.attention-L{layer}", "weights", "<u2")
        np.testing.assert_allclose((roots / STEPS) ** 2, trace.weights(layer), rtol=0, atol=MOST)
        assert {name: extras[name] for name in unit_extras(units)} == unit_extras(units)
        for name, wanted in (("query", trace.queries(layer)), ("key", trace.keys(layer))):
            numbers = stored(page, f"{run}.neurons-L{layer}", name, "<f4")[0]
            np.testing.assert_allclose(numbers, wanted, rtol=0, atol=MOST_OTHERS)
    profiles, extras = stored(page, f"{run}.map of {trace.num_layers}-0", "profiles", "<f4")
    measures = heads_of_trace(trace, units, "show").measures
    assert extras["measures"] == list(measures)
    np.testing.assert_allclose(profiles, np.stack([*measures.values()], axis=-1), rtol=0, atol=MOST_OTHERS)


def test_the_example_shows_before_the_model_is_asked_for(site: Page) -> None:
    expect(site).to_have_title("Small encoder, trained here: attention")
    expect(site.get_by_role("heading", level=1)).to_have_text(f"{EXAMPLES[0].a} / {EXAMPLES[0].b}")
    expect(site.locator(".picture .cell_map .view[data-painted$='L0|H0']")).to_have_count(2)
    asked = site.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    assert not [name for name in asked if name.endswith(".gz")]


def test_a_typed_text_is_drawn_with_the_numbers_of_python(site: Page) -> None:
    a, b = "the bank raised its rates", "<img src=x onerror=alert(1)> \u202e🙂"
    run = type_texts(site, a, b)
    expect(site.locator(".map .not-loaded")).to_have_text(["1 of 4 layers is loaded. Load the others (2 MB)"] * 2)
    load_the_others(site)
    model = encoder.load(MODEL)
    expect_numbers_of(site, run, model.trace(a))
    expect_numbers_of(site, run.replace("A", "B"), model.trace(b))
    expect(site.get_by_role("heading", level=1)).to_have_text(f"{a} / {b}")
    for name, view in (("Heat map", "cell_map"), ("Head view", "head_view"), ("Neuron view", "neuron_view")):
        site.get_by_role("button", name=name).click()
        expect(site.locator(f".picture .{view} .view[data-painted$='L0|H0']")).to_have_count(2)
    site.get_by_role("button", name="Model view").click()
    expect(site.locator(".picture .head_map canvas")).not_to_have_count(0)


def test_an_empty_text_is_refused_in_a_sentence(site: Page) -> None:
    site.get_by_label("Sentence A").fill("  ")
    expect(site.get_by_role("status")).to_have_text("Sentence A is empty: type a word.", timeout=60_000)


def test_a_text_that_is_cached_is_read_without_a_network(
    browser: Window, server: ThreadingHTTPServer, folder: Path
) -> None:
    """On a phone, whose visitor opens a deeper layer by a tap; in a window of its own, as a tab shares the network."""
    size = {"width": 390, "height": 844}
    with browser.new_context(viewport=size, has_touch=True, is_mobile=True, device_scale_factor=3) as window:
        page = window.new_page()
        watch = open_page(page, server, folder)
        expect(page.get_by_role("button", name="Keep for offline use (45 MB)")).to_be_visible()
        type_texts(page, "time flies", "")
        page.get_by_role("button", name="Load the others").tap()
        expect(page.locator(".map .not-loaded")).to_have_count(0, timeout=60_000)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        window.set_offline(True)
        page.reload()
        expect(page.locator(".picture .cell_map .view[data-painted$='L0|H0']")).to_have_count(2)
        type_texts(page, "time flies", "")
        expect(page.locator(".map .not-loaded")).to_have_count(0, timeout=60_000)
        assert_none(watch.end())
        page.get_by_label("Sentence A").fill("time flies unboundedly")
        expect(page.get_by_role("status")).to_contain_text("a part of it cannot be loaded (no network)")


def test_a_step_of_the_training_shows_its_own_numbers(site: Page) -> None:
    slider = site.get_by_role("slider", name="Training step")
    slider.press("Home")
    expect(site.get_by_text("This model is untrained")).to_be_visible(timeout=60_000)
    expect(site.locator("form[data-answered='1']")).to_be_attached(timeout=60_000)
    load_the_others(site)
    untrained = encoder.load("scratch:step=0")
    expect_numbers_of(site, "text 1 A", untrained.trace(EXAMPLES[0].a))
    slider.press("End")
    expect(site.get_by_text("This model is untrained")).to_have_count(0)
    expect(site.locator("form[data-answered='2']")).to_be_attached(timeout=60_000)
    load_the_others(site)
    expect_numbers_of(site, "text 2 B", encoder.load(MODEL).trace(EXAMPLES[0].b))


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
    expect(site.get_by_label("Sentence A")).to_be_visible()


def test_the_same_site_is_built_in_every_process(folder: Path, tmp_path: Path) -> None:
    seed = {"PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "viz.site", *BUILD, str(tmp_path)]
    subprocess.run(command, env=os.environ | seed, check=True, capture_output=True)
    assert (tmp_path / SUMS).read_text() == (folder / SUMS).read_text()
