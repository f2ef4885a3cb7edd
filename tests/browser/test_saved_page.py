"""A page that was saved: opened from the disk without a network, it shows the numbers of the run and answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from playwright.sync_api import FloatRect, Locator, expect

import encoder
from encoder import Trace
from tests.browser.pages.axe import add_axe, violations
from tests.browser.pages.offline import HOSTILE
from tests.browser.pages.saved_page import SavedPage
from tests.browser.pages.window import Window
from tests.viz.made_up import random_weights
from viz import head_view
from viz.saved_page.document import document
from viz.saved_page.pages import page_of_traces, selection_of
from viz.saved_page.traces import Shown
from viz.theme import THEMES

A, B = "time flies like an arrow", "fruit flies like a banana"
ANSWER = "The model reads “flies” as a verb in A (93 %) and as a noun in B (96 %)."
PHONE = (390, 844)
Open = Callable[..., SavedPage]


@pytest.fixture(scope="module")
def trace() -> Trace:
    return encoder.load("bundled").trace(A, B)


@pytest.fixture(scope="module")
def file(trace: Trace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    page = page_of_traces({"pair": trace}, Shown(), view="heat map", selection=selection_of(head=4))
    path = tmp_path_factory.mktemp("saved") / "page.html"
    path.write_text(document(page), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sentences that were encoded separately, with an answer."""
    model = encoder.load("bundled")
    traces = {"A": model.trace(A), "B": model.trace(B)}
    page = page_of_traces(traces, Shown(), view="heat map", selection=selection_of(head=4), answer=ANSWER)
    path = tmp_path_factory.mktemp("saved") / "two.html"
    path.write_text(document(page), encoding="utf-8")
    return path


@pytest.fixture
def open_file(browser: Window) -> Iterator[Open]:
    with ExitStack() as tabs:

        def open_(path: Path, size: tuple[int, int] = (1280, 900), **options: Any) -> SavedPage:
            page = tabs.enter_context(browser.tab(viewport={"width": size[0], "height": size[1]}))
            opened = SavedPage(page, path, **options)
            tabs.callback(opened.close)
            return opened

        yield open_


def test_a_file_from_the_disk_shows_the_run_and_answers(file: Path, trace: Trace, open_file: Open) -> None:
    saved = open_file(file)
    page = saved.page
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{A} / {B}")
    saved.expect_painted("cell_map", "L0|H4")
    box = page.locator(".cell_map canvas.over").bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.6 * box["height"])
    tip = page.locator(".cell_map .tip")
    expect(tip).to_be_visible()
    row, column = map(int, (saved.view("cell_map").get_attribute("data-hovered") or "").split(","))
    expect(tip).to_contain_text(f"{trace.weights(0)[4, row, column]:.4f}")
    page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.6 * box["height"])
    card = page.get_by_role("dialog", name="The selected cell")
    expect(card).to_contain_text(re.compile(r"In layer 0, head 4, “.+ gives .+ % of its attention to “.+\."))
    expect(card.get_by_role("listitem")).to_have_count(5)
    expect(card.get_by_role("button", name="?")).to_have_count(0)  # what they open needs Python
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    page.keyboard.press("Escape")  # releases the cell

    saved.map.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    saved.expect_painted("cell_map", "L1|H5")
    page.keyboard.type("L3H7")
    saved.expect_painted("cell_map", "L3|H7")
    map_box = saved.map.bounding_box()
    page.mouse.click(map_box["x"] + map_box["width"] - 4, map_box["y"] + map_box["height"] - 4)
    saved.expect_painted("cell_map", "L5|H11")
    written = {(query, key): float(weight) for query, key, weight in saved.table()}
    expected = trace.weights(5)[11]
    for query in range(len(trace.tokens)):
        strongest = int(expected[query].argmax())
        names = [f"{trace.tokens.labels[at]}" for at in (query, strongest)]
        assert any(
            abs(weight - expected[query, strongest]) < 1e-4
            for (first, second), weight in written.items()
            if names[0] in first and names[1] in second
        )


def test_every_view_opens_by_its_key_and_keeps_layer_and_head(file: Path, trace: Trace, open_file: Open) -> None:
    saved = open_file(file)
    page = saved.page
    page.keyboard.press("3")
    saved.expect_painted("head_view", "L0|H4")
    expect(page.get_by_role("button", name="Head view")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("4")
    saved.expect_painted("head_map", "L0|H4")
    page.locator(".picture .head_map canvas").focus()
    page.keyboard.press("ArrowDown")
    page.get_by_role("button", name="Neuron view").click()
    neurons = saved.view("neuron_view")
    expect(neurons.locator(".title")).to_have_text("L1 H4")
    rows = saved.table()
    query = trace.tokens.special.index(False)
    for key, cells in enumerate(rows):
        assert abs(float(cells[4]) - trace.weights(1)[4, query, key]) < 1e-4
    page.keyboard.press("Escape")
    page.locator("body").press("6")
    plots = page.locator(".plot.js-plotly-plot .main-svg:first-child")
    expect(plots).to_have_count(3)
    lengths = np.linalg.norm(trace.hidden_states, axis=-1)
    drawn = page.locator(".plot").first.evaluate("plot => [...plot._fullData[0].z].map(row => [...row])")
    np.testing.assert_allclose(drawn, lengths, rtol=1e-5)
    corner = page.locator(".plot").first.locator(".nsewdrag")
    corner.hover(position={"x": 5, "y": 5})
    expect(page.locator(".hoverlayer .hovertext")).to_contain_text("[CLS]")
    ink = "text => getComputedStyle(text).fill"
    tick = page.locator(".plot").first.locator(".ytick text").first
    light = tick.evaluate(ink)
    page.get_by_role("button", name="Dark", exact=True).click()
    page.wait_for_function(
        "ink => getComputedStyle(document.querySelector('.plot .ytick text')).fill !== ink", arg=light
    )
    page.locator(".picture").locator("summary", has_text="Norms and cosines").click()
    expect(page.locator(".picture .twin th[scope=row]").first).to_have_text("0: [CLS]")
    expect(page.locator(".explanation")).to_contain_text("a cosine of 1 means")
    page.locator(".explanation").get_by_role("button", name="cosine", exact=True).click()
    definition = page.locator(".definition:popover-open")
    expect(definition).to_contain_text("cosine: ")
    page.keyboard.press("1")
    expect(definition).to_have_count(0)


def test_the_theme_is_the_browsers_and_can_be_switched(file: Path, open_file: Open) -> None:
    saved = open_file(file, scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    rgb = {
        name: f"rgb({', '.join(str(int(theme.background[i : i + 2], 16)) for i in (1, 3, 5))})"
        for name, theme in THEMES.items()
    }
    assert saved.page.evaluate(background) == rgb["dark"]
    saved.page.get_by_role("button", name="Light", exact=True).click()
    assert saved.page.evaluate(background) == rgb["light"]
    saved.expect_painted("cell_map", "L0|H4")


def test_no_connection_is_allowed(file: Path, open_file: Open) -> None:
    saved = open_file(file)
    attempt = "fetch('https://example.org/').then(() => 'sent', (error) => error.name)"
    assert saved.page.evaluate(attempt) == "TypeError"
    assert any("Content Security Policy" in trouble for trouble in saved.watch.trouble)
    saved.watch.trouble.clear()


def test_hostile_tokens_stay_text(open_file: Open, tmp_path: Path) -> None:
    weights = random_weights(len(HOSTILE), heads=2)[None]
    saved = open_file(head_view([weights], HOSTILE).save(tmp_path / "hostile.html"))
    saved.expect_painted("head_view", "L0|H0.1")
    assert any("</script><script>alert(1)</script>" in cell for row in saved.table() for cell in row)


def test_a_page_of_some_layers_calls_them_by_their_numbers(open_file: Open, tmp_path: Path) -> None:
    layers = [random_weights(5, heads=4, seed=layer)[None] for layer in range(12)]
    saved = open_file(head_view(layers, list("abcde"), include_layers=[3, 8], heads=[1]).save(tmp_path / "some.html"))
    saved.expect_painted("head_view", "L3|H1")
    said = re.compile("^Map of 2 layers with 4 heads each; L3 H1 is chosen. .* type 3 for head 3, L8 for layer 8")
    expect(saved.map).to_have_attribute("aria-label", said)
    saved.map.focus()
    saved.page.keyboard.press("ArrowDown")
    saved.expect_painted("head_view", "L8|H1")


def test_two_sentences_stand_side_by_side_at_one_scale(two: Path, open_file: Open) -> None:
    saved = open_file(two, (1280, 720))
    expect(saved.page.get_by_role("heading", level=1)).to_have_text(ANSWER)
    saved.expect_painted("cell_map", "L0|H4", count=2)
    canvases = saved.page.locator(".picture .cell_map canvas.over")
    first, second = (box_of(canvases.nth(index)) for index in range(2))
    assert [first[side] for side in ("y", "width", "height")] == [second[side] for side in ("y", "width", "height")]
    assert first["x"] + first["width"] <= second["x"]
    assert second["y"] + second["height"] <= 720
    maps = saved.page.locator(".maps .head_map canvas")
    expect(maps).to_have_count(2)
    maps.nth(1).focus()
    saved.page.keyboard.press("ArrowDown")
    saved.expect_painted("cell_map", "L1|H4", count=2)
    saved.page.get_by_role("button", name="Model view").click()
    expect(saved.page.locator(".maps")).to_be_hidden()


def test_a_phone_has_the_picture_on_its_first_screen(two: Path, open_file: Open) -> None:
    saved = open_file(two, PHONE)
    saved.expect_painted("cell_map", "L0|H4", count=2)
    first = box_of(saved.page.locator(".picture .cell_map canvas.over").first)
    assert first["y"] + first["height"] <= PHONE[1]
    for key in "123456":
        saved.page.keyboard.press(key)
        assert saved.page.evaluate("document.documentElement.scrollWidth") == PHONE[0]


def test_a_row_of_views_fades_where_it_goes_on(two: Path, open_file: Open) -> None:
    saved = open_file(two, PHONE)
    views = saved.page.locator(".views")
    mask = "row => getComputedStyle(row).maskPosition"
    assert views.evaluate(mask) == "-40px 0px, -40px 0px"  # at the right edge
    views.evaluate("row => row.scrollTo({ left: row.scrollWidth, behavior: 'instant' })")
    expect(views).to_have_css("mask-position", "0px 0px, 0px 0px")
    saved.page.set_viewport_size({"width": 1280, "height": 900})
    expect(views).to_have_css("mask-image", "none")


# The second size is the first at 200 %.
@pytest.mark.parametrize(("size", "scheme"), [((1280, 720), "dark"), ((640, 360), "light")])
def test_axe_finds_nothing_in_a_saved_page(
    two: Path, size: tuple[int, int], scheme: Literal["light", "dark"], open_file: Open
) -> None:
    saved = open_file(two, size, scheme=scheme)
    add_axe(saved.page)
    for key in "123456":
        saved.page.keyboard.press(key)
        assert violations(saved) == []


def box_of(element: Locator) -> FloatRect:
    box = element.bounding_box()
    assert box
    return box
