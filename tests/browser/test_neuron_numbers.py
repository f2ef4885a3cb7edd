"""The neuron view's functions in Chromium: its numbers against the trace, how they are written, what is where."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page

from encoder import Backend, Trace
from tests.browser.pages.component_page import text_of
from tests.browser.pages.neuron_page import View, head_of, made_up
from tests.browser.pages.offline import HOSTILE, Offline
from viz.theme import THEMES


@pytest.fixture
def host(offline: Offline) -> Page:
    return View(offline).page


@pytest.fixture(scope="module")
def trace(bundled: Backend) -> Trace:
    return bundled.trace("time flies like an arrow", "fruit flies like a banana")


@pytest.mark.parametrize(("layer", "head"), [(0, 4), (2, 11), (5, 0)])
def test_weights_are_those_of_the_trace(host: Page, trace: Trace, layer: int, head: int) -> None:
    code = """text => {
        const head = headOf(blob(text));
        return head.labels.map((_, query) => {
            const { scores, weights } = attend(head, query);
            return [[...scores], [...weights]];
        });
    }"""
    scores, weights = np.moveaxis(np.array(host.evaluate(code, text_of(head_of(trace, layer, head)))), 1, 0)
    np.testing.assert_allclose(scores, trace.scores(layer)[head], atol=1e-4)
    np.testing.assert_allclose(weights, trace.weights(layer)[head], atol=1e-5)


def test_a_key_that_may_not_be_attended_gets_nothing(host: Page) -> None:
    bias = np.where(np.tri(6, k=-1, dtype=bool), np.float32(0), np.float32(-np.inf))
    code = "text => [0, 3].map(query => [...attend(headOf(blob(text)), query).weights])"
    nothing, half = host.evaluate(code, text_of(made_up(HOSTILE, bias=bias)))
    assert nothing == [0] * 6
    assert half[3:] == [0] * 3
    assert sum(half) == pytest.approx(1)
    shown = host.evaluate(
        "text => { const h = headOf(blob(text)); return formula(h, 3, 4, attend(h, 3)).numbers.slice(-2); }",
        text_of(made_up(HOSTILE, bias=bias)),
    )
    assert shown == ["− bias ∞ = −∞", "softmax → 0.000"]


def test_numbers_are_written_as_people_write_them(host: Page) -> None:
    assert host.evaluate("[-1.5, -0.001, -Infinity, 12.345].map(value => written(value))") == [
        "−1.50",
        "0.00",
        "−∞",
        "12.35",
    ]
    assert host.evaluate("[0, 0.0001, 0.0005, 1].map(weightText)") == ["0.000", "< 0.001", "0.001", "1.000"]
    assert host.evaluate("[[1, 32], [32 ** -0.5, 32], [0.125, 32]].map(([s, k]) => scalingText(s, k))") == [
        {"rule": "", "step": ""},
        {"rule": " / √32", "step": " / 5.66"},
        {"rule": " × 0.125", "step": " × 0.125"},
    ]


def test_choice_and_order_of_tokens(host: Page) -> None:
    frame = "{length: 5, special: [true, false, true, false, true], b_start: 3}"
    kept = f"(hidden, sentences) => shownPositions({frame}, {{hidden, sentences}})"
    assert host.evaluate(f"({kept})(false, 'all')") == {"queries": [0, 1, 2, 3, 4], "keys": [0, 1, 2, 3, 4]}
    assert host.evaluate(f"({kept})(true, 'A→B')") == {"queries": [1], "keys": [3]}
    assert host.evaluate("[3, 4, -1].map(pin => chosenQuery([0, 1, 3], [true, true, true, false], pin))") == [3, 3, 3]
    assert host.evaluate("[0, -1].map(pin => chosenQuery([0, 2], [true, true, true], pin))") == [0, 0]
    assert host.evaluate("[keyOrder([0, 2, 3], [.1, .9, .5, .5], true), strongest([0, 2, 3], [.1, .9, .5, .5])]") == [
        [2, 3, 0],
        2,
    ]
    assert host.evaluate("dimensionsBySize([9, 9, 9, 1, -3, 2], 1, 3)") == [1, 2, 0]
    assert host.evaluate("shownWeights([.5, .25, .25], [1, 2], [true, false, false], true)") == {
        "shares": [1, 0.5, 0.5],
        "missing": 0.5,
    }
    assert host.evaluate("[limitOf([0, 0]), limitOf([1, -4]), limitOf([-9, ...Array(100).fill(2)])]") == [1, 1, 2]


@pytest.mark.parametrize(("dimensions", "least"), [(32, 6), (64, 4)])
def test_bands_are_legible_in_the_page_s_column(host: Page, dimensions: int, least: int) -> None:
    options = {"width": 820, "dimensions": dimensions, "widestLabel": 70, "left": 8}
    layout = host.evaluate("layoutOf", options)
    assert layout["cell"] >= least
    assert layout["right"] <= 820
    columns = "([layout, ...places]) => places.map(x => columnAt(layout, x))"
    last = layout["product"] + (dimensions - 0.5) * layout["cell"]
    assert host.evaluate(columns, [layout, layout["key"] + 1, last, layout["key"] - 1]) == [0, dimensions - 1, None]


def test_zero_is_the_middle_of_the_colours(host: Page) -> None:
    assert host.evaluate("[-9, -1, 0, 1, 9].map(value => colourOf(['a', 'b', 'c'], value, 1))") == list("aabcc")
    for theme in THEMES.values():
        shades = host.evaluate("shadesOf", [list(stop) for stop in theme.diverging])
        ends = [shades[0], shades[127], shades[254]]
        assert ends == [theme.diverging[at][1].lower() for at in (0, 8, 16)]


def test_rows_walk_and_scroll_to_their_ends(host: Page) -> None:
    keys = ["ArrowUp", "ArrowDown", "PageDown", "Home", "End", "x"]
    assert host.evaluate("keys => keys.map(key => moved(key, 1, 40, 15))", keys) == [0, 2, 16, 0, 39, None]
    assert host.evaluate("[neighbour([4, 6], 6, 1), neighbour([4, 6], 6, -1)]") == [6, 4]
    window = "{width: 1000, height: 500}"
    tip = f"top => tipPlace({{left: 990, top, bottom: top + 28}}, {{width: 100, height: 50}}, {window})"
    assert [host.evaluate(tip, top) for top in (0, 460)] == [{"left": 896, "top": 32}, {"left": 896, "top": 406}]
    assert host.evaluate("[scrolledTo(50, 100, 20, 10), scrolledTo(0, 100, 95, 10), scrolledTo(5, 100, 50, 10)]") == [
        20,
        5,
        5,
    ]
