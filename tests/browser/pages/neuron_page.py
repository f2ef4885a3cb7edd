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
from viz.payloads.head import head_message
from viz.payloads.message import Message

MODULES = [f"neuron_view/{name}.mjs" for name in ("maths", "layout")]
QUERY, KEY = 2, 8
ROW = 28  # pixels


class View(ComponentPage):
    """The neuron view on an empty page, with its functions as globals."""

    def __init__(self, offline: Offline) -> None:
        super().__init__(offline, "neuron_view", classes="neuron")
        self.globals(*MODULES, "shared/message.mjs", spread=True)
        self.page.evaluate("() => { window.message = (text) => parseMessage(bytes(text)); }")

    def draw(self, message: Message, **changes: Any) -> None:
        self.receive(message)
        self.look(**changes)
        expect(self.page.locator(".rows")).to_be_visible()

    def look(self, *, special: str = "show", **selection: Any) -> None:
        """At another query or key."""
        self.show(extra={"special": special}, **({"layer": 3, "head": 7} | selection))


def head_of(trace: Trace, layer: int, head: int) -> Message:
    arrays = trace.queries(layer)[head], trace.keys(layer)[head]
    scaling = trace.layers[layer].scaling
    return head_message(*arrays, units_of(trace.tokens), layer=layer, head=head, scaling=scaling)


def made_up(labels: list[str], width: int = 64, bias: NDArray[np.float32] | None = None, seed: int = 0) -> Message:
    """A head of random numbers with these tokens."""
    count = len(labels)
    query, key = np.random.default_rng(seed).normal(size=(2, count, width)).astype(np.float32)
    units = component_page.units_of(labels, 7 if labels is PAIR else None)
    return head_message(query, key, units, layer=3, head=7, scaling=width**-0.5, bias=bias)


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
