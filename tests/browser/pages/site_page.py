"""A page without a server in a browser: served from its folder, watched, and its numbers compared with Python's."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page, expect

from encoder import Trace
from encoder.measures.unit_attention import attention_in_layer
from encoder.measures.units import Level, Special, Units, units_of
from tests.browser.pages.watch import Watch, assert_none
from tests.browser.pages.window import Window
from viz.payloads.layer import STEPS, unit_extras
from viz.payloads.runs import heads_of_trace

MOST, MOST_OTHERS = 5e-4, 2e-3  # of a weight, and of other numbers, with matrices in 16 bits
WAIT: Final = 60_000  # milliseconds for what the model gives
SIZE: Final = {"width": 1440, "height": 900}
STORED: Final = """([name, array]) => {
    const { tensors, extras } = window[Symbol.for("headlight.store")].messages.get(name).message;
    const { values, shape } = tensors[array];
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    return { shape, extras, base64: bytes.toBase64?.() ?? btoa(String.fromCharCode(...bytes)) };
}"""
DRAWN: Final = """([run, chart]) => {
    const figure = document.querySelectorAll(`.run [data-plot="${chart}"]`)[run].parentElement;
    return figure.querySelector(".plot").data;
}"""


class Evaluates(Protocol):
    """A page of Playwright, or one in another browser."""

    def evaluate(self, expression: str, arg: Any = None) -> Any: ...


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *_: object) -> None:
        """Nothing: the test's own output is enough."""


@contextmanager
def serving_site(folder: Path) -> Iterator[str]:
    """The address of the site in a folder, while the folder above it is served."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder.parent))) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/{folder.name}/"
        server.shutdown()


def open_page(page: Page, address: str) -> Watch:
    watch = Watch(page, address)
    page.goto(address)
    expect(page.locator("html[data-complete]")).to_be_attached()
    return watch


@contextmanager
def watched_page(browser: Window, address: str) -> Iterator[Page]:
    """The page, which asks nobody else, and nothing goes wrong."""
    with browser.tab(viewport=SIZE) as page:  # type: ignore[arg-type]
        watch = open_page(page, address)
        yield page
        page.goto("about:blank")
        assert_none(watch.end())


def expect_answer(page: Page, number: int) -> None:
    expect(page.locator(f"form[data-answered='{number}']")).to_be_attached(timeout=WAIT)


def load_the_others(page: Page) -> None:
    page.get_by_role("button", name="Load the others").first.click()
    expect(page.locator(".map .not-loaded")).to_have_count(0, timeout=WAIT)


def expect_numbers_of(
    page: Evaluates, run: str, trace: Trace, *, level: Level = "wordpieces", special: Special = "show"
) -> None:
    """The page has the layers and the map of a run of Python."""
    units, pieces = (units_of(trace.tokens, level=each, special=special) for each in (level, "wordpieces"))
    for layer in range(trace.num_layers):
        _expect_attention(page, f"{run}.attention-L{layer}", *attention_in_layer(trace, layer, units, special), units)
        _, hidden = attention_in_layer(trace, layer, pieces, special)
        arrays = {"query": trace.queries(layer), "key": trace.keys(layer)}
        for name, wanted in (arrays | ({} if special == "show" else {"removed": hidden})).items():
            numbers = _stored(page, f"{run}.neurons-L{layer}", name, "<f4")[0]
            np.testing.assert_allclose(numbers, wanted, rtol=0, atol=MOST_OTHERS)
    profiles, extras = _stored(page, f"{run}.map of {trace.num_layers}-0", "profiles", "<f4")
    measures = heads_of_trace(trace, units, special).measures
    assert extras["measures"] == list(measures)
    np.testing.assert_allclose(profiles, np.stack([*measures.values()], axis=-1), rtol=0, atol=MOST_OTHERS)


def _expect_attention(
    page: Evaluates, message: str, weights: NDArray[np.float32], removed: NDArray[np.float32], units: Units
) -> None:
    roots, extras = _stored(page, message, "weights", "<u2")
    np.testing.assert_allclose((roots / STEPS) ** 2, weights, rtol=0, atol=MOST)
    assert {name: extras[name] for name in unit_extras(units)} == unit_extras(units)
    if not any(units.special):
        np.testing.assert_allclose(_stored(page, message, "removed", "<f4")[0], removed, rtol=0, atol=2 * MOST)


def _stored(page: Evaluates, name: str, array: str, kind: str) -> tuple[NDArray[Any], dict[str, Any]]:
    """An array in the store of the page's views, and the extras of its message."""
    found = page.evaluate(STORED, [name, array])
    return np.frombuffer(base64.b64decode(found["base64"]), kind).reshape(found["shape"]), found["extras"]
