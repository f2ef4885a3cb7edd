"""The neuron view alone on an empty page, and in the app."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from encoder import Backend, Trace
from encoder.measures.units import units_of
from tests.browser.pages import component_page
from tests.browser.pages.app_page import Open
from tests.browser.pages.component_page import ComponentPage, text_of
from tests.browser.pages.offline import PAIR, Offline
from viz.payloads.layer import neurons_message
from viz.payloads.message import Message

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


def made_up(labels: list[str], width: int = 64, seed: int = 0) -> Message:
    """A layer with these tokens, whose last head, H7, has random numbers."""
    count = len(labels)
    queries, keys = np.zeros((2, 1, HEAD + 1, count, width), np.float32)
    queries[0, HEAD], keys[0, HEAD] = np.random.default_rng(seed).normal(size=(2, count, width))
    units = component_page.units_of(labels, 7 if labels is PAIR else None)
    run = f"{hash((tuple(labels), width, seed))}"
    return neurons_message(queries, keys, units, run=run, layers=[3], scaling=[width**-0.5])


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
    place = box["x"] + x, box["y"] + (row + 0.5) * ROW
    page.mouse.move(*place)
    if click:
        page.mouse.down()
        page.mouse.up()


@pytest.fixture
def view(offline: Offline) -> View:
    return View(offline)


@pytest.fixture
def host(view: View) -> Page:
    return view.page


@pytest.fixture(scope="module")
def trace(bundled: Backend) -> Trace:
    return bundled.trace("time flies like an arrow", "fruit flies like a banana")


# --- the view ---


def test_first_paint_shows_the_first_word_and_its_strongest_key(view: View, host: Page, trace: Trace) -> None:
    view.draw(layer_of(trace, 0), layer=0, head=4)
    expect(host.locator(".title")).to_have_text("L0 H4")
    expect(host.locator(".query")).to_have_text(PAIR)
    expect(host.locator(".query[aria-selected=true]")).to_have_text("time")
    dots = trace.queries(0)[4][1] @ trace.keys(0)[4].T
    best = int(np.argmax(dots))
    weight = trace.weights(0)[4, 1, best]
    said = (
        f"time → {PAIR[best]}:  q · k = {dots[best]:.2f},  / 5.66 = {dots[best] / 32**0.5:.2f},  softmax → {weight:.3f}"
    )
    expect(host.locator(".numbers")).to_have_text(said)
    expect(host.locator(".rule")).to_have_text("weight = softmax( q · k / √32 )")
    rows = table(host)
    assert [row[0] for row in rows] == PAIR
    np.testing.assert_allclose([float(row[4]) for row in rows], trace.weights(0)[4, 1], atol=1e-5)


def test_hover_tells_key_and_dimension_and_sends_nothing(view: View, host: Page) -> None:
    view.draw(made_up(PAIR))
    point(host, 20, KEY)
    expect(host.locator(".numbers")).to_contain_text("time → flies")
    expect(host.locator(".tip")).to_be_hidden()
    point(host, 200, 9)  # in the band of the keys
    expect(host.locator(".tip")).to_contain_text("time → like")
    expect(host.locator(".tip")).to_contain_text("q × k = ")
    host.mouse.move(5, 990)
    expect(host.locator(".tip")).to_be_hidden()
    assert view.sent == []


def test_click_pins_a_key_and_the_next_click_releases_it(view: View, host: Page) -> None:
    view.draw(made_up(PAIR))
    point(host, 20, KEY, click=True)
    point(host, 20, 3)
    expect(host.locator(".numbers")).to_contain_text("time → like")
    host.mouse.move(5, 990)
    expect(host.locator(".numbers")).to_contain_text("time → flies")
    point(host, 20, KEY, click=True)
    assert view.sent == [{"query": 1, "key": KEY, "pinned_in": "A"}, {"query": 1, "key": -1, "pinned_in": "A"}]


def test_click_chooses_a_query_and_keeps_the_key(view: View, host: Page) -> None:
    view.draw(made_up(PAIR), key=KEY)
    host.locator(".query").nth(QUERY).click()
    expect(host.locator(".query[aria-selected=true]")).to_have_text("flies")
    expect(host.locator(".numbers")).to_contain_text("flies → flies")
    host.locator(".query").nth(QUERY).click()
    assert view.sent == [{"query": QUERY, "key": KEY, "pinned_in": "A"}]


def test_keys_walk_queries_keys_and_dimensions(view: View, host: Page) -> None:
    view.draw(made_up(PAIR))
    host.locator(".query[aria-selected=true]").focus()
    host.keyboard.press("ArrowRight")
    expect(host.locator(".query[aria-selected=true]")).to_be_focused()
    expect(host.locator(".query[aria-selected=true]")).to_have_text("flies")
    host.keyboard.press("ArrowDown")
    expect(host.locator(".numbers")).to_contain_text("flies → [CLS]")
    host.locator(".scroller").focus()
    host.keyboard.press("End")
    expect(host.locator(".numbers")).to_contain_text("flies → [SEP]")
    expect(host.locator(".spoken")).to_contain_text("flies to [SEP]: q · k = ")
    host.keyboard.press("Shift+ArrowRight")
    expect(host.locator(".tip")).to_contain_text("dimension 0, flies → [SEP]")
    host.keyboard.press("Shift+ArrowRight")
    expect(host.locator(".tip")).to_contain_text("dimension 1, flies → [SEP]")
    host.keyboard.press("Enter")
    host.keyboard.press("Escape")
    expect(host.locator(".tip")).to_be_hidden()
    host.keyboard.press("Escape")
    host.keyboard.press("Escape")
    pinned = [(sent["query"], sent["key"]) for sent in view.sent]
    assert pinned == [(2, -1), (2, 12), (2, -1), (-1, -1)]


def test_keys_and_dimensions_can_be_sorted(view: View, host: Page) -> None:
    view.draw(made_up(PAIR))
    host.get_by_role("button", name="Keys by weight").click()
    weights = [float(row[4]) for row in table(host)]
    assert weights == sorted(weights, reverse=True)
    assert sum(weights) == pytest.approx(1, abs=1e-4)
    host.get_by_role("button", name="Dimensions by").click()
    largest = host.evaluate(
        "text => { const h = headOf(message(text), 7); const r = attend(h, 1);"
        " return dimensionsBySize(r.products, strongest([...h.labels.keys()], r.weights), 64)[0]; }",
        text_of(made_up(PAIR)),
    )
    host.locator(".scroller").focus()
    host.keyboard.press("Shift+ArrowRight")
    expect(host.locator(".tip")).to_contain_text(f"dimension {largest},")
    host.evaluate("remove()")
    view.draw(made_up(PAIR, seed=1))
    expect(host.get_by_role("button", name="Keys by weight")).to_have_attribute("aria-pressed", "true")


def test_512_tokens_scroll_inside_and_stay_where_they_are(view: View, host: Page) -> None:
    view.draw(made_up(["[CLS]", *[f"word{index}" for index in range(510)], "[SEP]"]))
    canvas = host.locator(".rows").bounding_box()
    assert canvas["height"] < 500
    host.locator(".scroller").focus()
    host.keyboard.press("End")
    expect(host.locator(".numbers")).to_contain_text("word0 → [SEP]")
    host.wait_for_function("document.querySelector('.scroller').scrollTop > 510 * ROW - 500")
    top = host.evaluate("document.querySelector('.scroller').scrollTop")
    view.look(query=QUERY)
    expect(host.locator(".numbers")).to_contain_text("word1 →")
    assert host.evaluate("document.querySelector('.scroller').scrollTop") == top


def test_a_mean_over_heads_has_no_picture_until_a_head_is_chosen(view: View, host: Page) -> None:
    view.draw(made_up(PAIR))
    view.look(head=-1)
    expect(host.locator(".rule")).to_contain_text("choose one head")
    expect(host.locator(".queries")).to_be_hidden()
    view.look(head=7)
    expect(host.locator(".query[aria-selected=true]")).to_have_text("time")
    expect(host.locator(".title")).to_have_text("L3 H7")


def test_where_no_token_is_left_it_says_so(view: View, host: Page) -> None:
    view.draw(made_up(PAIR))
    lone = made_up(["[CLS]", "[SEP]"])
    view.receive(lone)
    view.look(special="hide")
    expect(host.locator(".rule")).to_have_text("No token is left to show.")
    expect(host.locator(".bar, .rows, .numbers, .twin")).to_have_count(4)
    assert not any(part.is_visible() for part in host.locator(".bar, .rows, .twin").all())


def test_what_a_tour_points_at_is_ringed_and_scrolled_to(view: View, host: Page) -> None:
    labels = [f"token{position}" for position in range(60)]
    points = [
        {"kind": "cell", "run": "pair", "query": [QUERY], "key": [40]},
        {"kind": "token", "run": "pair", "token": [45]},
        {"kind": "token", "run": "A", "token": [3]},
    ]
    view.draw(made_up(labels), query=QUERY, points=points)
    expect(host.locator(".query.pointed")).to_have_text(["token2", "token45"])
    assert host.locator(".scroller").evaluate("(scroller) => scroller.scrollTop") > 24 * ROW
    view.look(query=QUERY, points=[])
    expect(host.locator(".query.pointed")).to_have_count(0)


# --- in the app ---


def test_app_keeps_the_two_sentences_apart(visit_app: Open) -> None:
    app = visit_app(view="neuron view", mode="separate", query="2", key="3", pinned_in="A")
    views = app.page.locator(".neuron")
    expect(views.locator(".query[aria-selected=true]")).to_have_text(["flies", "flies"])
    views.nth(1).locator(".query").nth(5).click()
    app.selected(query="5", key=None, pinned_in="B")
    expect(views.locator(".query[aria-selected=true]")).to_have_text(["flies", "banana"])
    app.assert_sound()
