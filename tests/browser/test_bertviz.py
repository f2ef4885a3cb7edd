"""BertViz's two views alone on an empty page, with every request refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.pages.offline import HOSTILE, PAIR, Offline
from viz.components.bertviz import head_view_height, head_view_html, model_view_height, model_view_html
from viz.theme import THEMES, ThemeName


def view(make: Callable[..., str], labels: list[str] = PAIR, theme: ThemeName = "light", **changes: Any) -> str:
    n = len(labels)
    scores = np.exp(np.random.default_rng(0).normal(size=(2, 3, n, n)))
    weights = (scores / scores.sum(-1, keepdims=True)).astype(np.float32)
    options: dict[str, Any] = {
        "sentence_b_start": 7 if labels is PAIR else None,
        "layer": 1,
        "heads": [2],
        "include_layers": [0, 1],
        "theme": THEMES[theme],
    }
    return make(weights, labels, **(options | changes))


def test_head_view_draws_every_line_and_its_boxes_choose_heads(offline: Offline) -> None:
    page = offline.open(view(head_view_html))
    expect(page.locator("#attention line")).to_have_count(3 * 13 * 13)
    expect(page.locator("#left text")).to_have_text(PAIR)
    expect(page.locator("#layer")).to_have_value("1")
    boxes = page.get_by_role("checkbox")
    assert [box.get_attribute("aria-checked") for box in boxes.all()] == ["false", "false", "true"]
    opacities = "lines => lines.map(line => Number(line.getAttribute('stroke-opacity')))"
    assert max(page.locator("[head-index='0'] line").evaluate_all(opacities)) == 0
    assert max(page.locator("[head-index='2'] line").evaluate_all(opacities)) > 0
    first = page.get_by_role("checkbox").first
    first.click()
    expect(first).to_have_attribute("aria-checked", "true")
    first.press("Enter")
    expect(first).to_have_attribute("aria-checked", "false")


def test_filter_shows_one_block_of_the_pair(offline: Offline) -> None:
    page = offline.open(view(head_view_html))
    for index, left, right in ((1, PAIR[:7], PAIR[:7]), (3, PAIR[:7], PAIR[7:]), (4, PAIR[7:], PAIR[:7])):
        page.locator("#filter").select_option(str(index))
        expect(page.locator("#left text")).to_have_text(left)
        expect(page.locator("#right text")).to_have_text(right)
        expect(page.locator("#attention line")).to_have_count(3 * len(left) * len(right))
        expect(page.locator(".head-number")).to_have_text(["0", "1", "2"])


def test_model_view_draws_all_heads_and_enlarges_one(offline: Offline) -> None:
    page = offline.open(view(model_view_html))
    expect(page.locator(".attn_background")).to_have_count(6)
    expect(page.locator("svg line")).to_have_count(6 * 13 * 13)
    page.locator("#attn_background_0_1 ~ rect").click()
    expect(page.locator("text.detail")).to_have_text("Layer 0, Head 1")
    expect(page.locator(".detail text.token")).to_have_text(PAIR + PAIR)
    page.locator("#filter").select_option("3")
    expect(page.locator("svg line")).to_have_count(6 * 7 * 6)


@pytest.mark.parametrize("make", [head_view_html, model_view_html])
def test_hostile_labels_run_nothing(offline: Offline, make: Callable[..., str]) -> None:
    page = offline.open(view(make, HOSTILE))
    if make is model_view_html:
        page.locator("#attn_background_0_1 ~ rect").click()
    expect(page.get_by_text("<img src=x onerror=aler…").first).to_be_visible()
    expect(page.locator("img")).to_have_count(0)
    expect(page.get_by_text("⟨U+202E⟩abc⟨U+0000⟩").first).to_be_visible()


@pytest.mark.parametrize(
    ("make", "height"), [(head_view_html, head_view_height(13)), (model_view_html, model_view_height(13, 2, 3))]
)
def test_text_has_the_colour_of_the_theme_and_nothing_scrolls(
    offline: Offline, make: Callable[..., str], height: int
) -> None:
    page = offline.open(view(make, theme="dark"))
    colour = "([name, value]) => { document.body.style.setProperty(name, value); return 0; }"
    assert page.evaluate(colour, ["outline-color", THEMES["dark"].text]) == 0
    expected = page.evaluate("getComputedStyle(document.body).outlineColor")
    expect(page.locator("svg text:not(.head-number)").first).to_have_css("fill", expected)
    for width in (700, 1600):
        page.set_viewport_size({"width": width, "height": height})
        sizes = "[document.body.scrollHeight - innerHeight, document.body.scrollWidth - innerWidth]"
        assert max(page.evaluate(sizes)) <= 0
