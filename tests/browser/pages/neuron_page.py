"""The neuron view on an empty page, and heads to show in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page, expect

from encoder import Trace
from encoder.measures.units import units_of
from tests.browser.pages import component_page
from tests.browser.pages.component_page import ComponentPage
from tests.browser.pages.offline import PAIR, Offline
from viz.payloads.message import Message
from viz.payloads.neurons import neurons_message

MODULES = [f"neuron_view/{name}.mjs" for name in ("maths", "layout")]
QUERY, KEY = 2, 8
HEAD = 7
ROW = 28  # pixels


class View(ComponentPage):
    """The neuron view on an empty page, with its functions as globals."""

    def __init__(self, offline: Offline) -> None:
        super().__init__(offline, "neuron_view", classes="neuron")
        self.globals(*MODULES, "shared/message.mjs", spread=True)
        self.page.evaluate("() => { window.message = (text) => messagesIn(bytes(text)).messages[0]; }")

    def draw(self, message: Message, **changes: Any) -> None:
        self.receive(message)
        self.look(**changes)
        expect(self.page.locator(".rows")).to_be_visible()

    def look(self, *, special: str = "show", **selection: Any) -> None:
        """At another query or key."""
        self.show(extra={"special": special}, **({"layer": 3, "head": HEAD} | selection))


def layer_of(trace: Trace, layer: int) -> Message:
    scaling = [trace.layers[layer].scaling]
    arrays = trace.queries(layer)[None], trace.keys(layer)[None]
    return neurons_message(*arrays, units_of(trace.tokens), run=trace.model_name, layers=[layer], scaling=scaling)


def made_up(labels: list[str], width: int = 64, bias: NDArray[np.float32] | None = None, seed: int = 0) -> Message:
    """A layer with these tokens, whose last head, H7, has random numbers."""
    count = len(labels)
    queries, keys = np.zeros((2, 1, HEAD + 1, count, width), np.float32)
    queries[0, HEAD], keys[0, HEAD] = np.random.default_rng(seed).normal(size=(2, count, width))
    units = component_page.units_of(labels, 7 if labels is PAIR else None)
    every = None if bias is None else np.broadcast_to(bias, (1, HEAD + 1, count, count))
    run = f"{hash((tuple(labels), width, seed))}"
    return neurons_message(queries, keys, units, run=run, layers=[3], scaling=[width**-0.5], bias=every)


def table(page: Page) -> list[list[str]]:
    page.evaluate("document.querySelector('.twin').open = true")
    page.wait_for_selector(".twin tbody tr")
    rows: list[list[str]] = page.evaluate(
        "[...document.querySelectorAll('.twin tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))"
    )
    return rows


def point(page: Page, x: float, row: float, *, click: bool = False) -> None:
    """Go to a row of the picture, with the mouse."""
    box = page.locator(".rows").bounding_box()
    assert box
    place = box["x"] + x, box["y"] + (row + 0.5) * ROW
    page.mouse.move(*place)
    if click:
        page.mouse.down()
        page.mouse.up()
