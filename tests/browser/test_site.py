"""A page without a server, as `http.server` serves it: the example at once, and typed texts with Python's numbers."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page, expect

import encoder
from encoder import Trace
from encoder.measures.units import units_of
from tests.browser.pages.watch import Watch, assert_none
from tests.browser.pages.window import Window
from viz.examples import EXAMPLES
from viz.payloads.layer import STEPS, unit_extras
from viz.payloads.runs import heads_of_trace
from viz.site.command import main

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
    assert main(["build", "--out", str(made), "--lessons"]) == 0  # without lessons
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
    expect(site.get_by_role("heading", level=1)).to_have_text(EXAMPLES[0].question)
    expect(site.locator(".picture .cell_map .view[data-painted$='L0|H4']")).to_have_count(2)
    asked = site.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    assert not [name for name in asked if name.endswith(".gz")]


def test_a_typed_text_is_drawn_with_the_numbers_of_python(site: Page) -> None:
    a, b = "the bank raised its rates", "<img src=x onerror=alert(1)> \u202e🙂"
    run = type_texts(site, a, b)
    expect(site.locator(".map .not-loaded")).to_have_text(["1 of 6 layers is loaded. Load the others (21 MB)"] * 2)
    site.get_by_role("button", name="Load the others").first.click()
    expect(site.locator(".map .not-loaded")).to_have_count(0, timeout=60_000)
    model = encoder.load("bundled")
    expect_numbers_of(site, run, model.trace(a))
    expect_numbers_of(site, run.replace("A", "B"), model.trace(b))
    expect(site.get_by_role("heading", level=1)).to_have_text(f"{a} / {b}")
    for name, view in (("Heat map", "cell_map"), ("Head view", "head_view"), ("Neuron view", "neuron_view")):
        site.get_by_role("button", name=name).click()
        expect(site.locator(f".picture .{view} .view[data-painted$='L0|H4']")).to_have_count(2)
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
        expect(page.get_by_role("button", name="Keep for offline use (49 MB)")).to_be_visible()
        type_texts(page, "time flies", "")
        page.get_by_role("button", name="Load the others").tap()
        expect(page.locator(".map .not-loaded")).to_have_count(0, timeout=60_000)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        window.set_offline(True)
        page.reload()
        expect(page.locator(".picture .cell_map .view[data-painted$='L0|H4']")).to_have_count(2)
        type_texts(page, "time flies", "")
        expect(page.locator(".map .not-loaded")).to_have_count(0, timeout=60_000)
        assert_none(watch.end())
        page.get_by_label("Sentence A").fill("time flies unboundedly")
        expect(page.get_by_role("status")).to_contain_text("a part of it cannot be loaded (no network)")
