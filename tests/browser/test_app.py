"""The whole app in Chromium. On every page the fixture also refuses dialogs, errors and requests elsewhere."""

import csv
import io
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.testing import assert_allclose
from playwright.sync_api import Page, Route, expect

from tests.browser.pages.app_page import TO_START, VIEWS, App, AppPage, Open
from tests.browser.pages.offline import PAIR
from tests.browser.pages.window import Window
from viz.payloads.layer import MAX_ERROR

HEADS, LAYERS = 12, 6  # of the bundled model
ONE = PAIR[:7]  # sentence A alone
ROW_ERROR = 1e-4  # of a row's sum: weights reach the browser in 16 bits
LINES = """lines => lines.filter((line) =>
    line.getAttribute('stroke-opacity') > 0 && getComputedStyle(line).visibility === 'visible').length"""


@pytest.fixture(scope="module")
def first_page(browser: Window, app: App) -> Iterator[AppPage]:
    """The page as it opens, shared by the tests that only look at it."""
    at = AppPage(browser.new_window(viewport={"width": 1440, "height": 900}), app.url)
    yield at.open()
    at.page.context.close()


def test_the_watch_notices_trouble(browser: Window, app: App) -> None:
    at = AppPage(browser.new_page(), app.url)
    at.page.set_content(f"<img src=http://192.0.2.1/x.png><img src={app.url}/favicon.png><script>alert(1)</script>")
    at.page.evaluate("setTimeout(() => { throw new Error('late'); })")
    at.page.evaluate("console.error('bad')")
    at.page.close()
    assert {"request: http://192.0.2.1/x.png", "dialog: 1", "error: late", "bad"} <= set(at.trouble)
    assert not any(app.url in trouble for trouble in at.trouble)


# --- what a newcomer sees ---


@pytest.mark.parametrize(("view", "below"), [("norms", "Show attention"), ("decoder", "Write")])
def test_code_that_comes_late_moves_nothing(browser: Window, app: App, view: str, below: str) -> None:
    late: list[Route] = []
    places = """below => [...document.querySelectorAll("button, .js-plotly-plot, [data-testid=stSlider]")]
        .filter((part) => part.matches(":not(button)") || part.textContent.includes(below))
        .map((part) => part.getBoundingClientRect().top)"""
    with browser.tab(viewport={"width": 1440, "height": 900}) as page:
        page.route("**/views.js*", lambda route: late.append(route))  # noqa: PLW0108 (Playwright marks what it is given)
        page.goto(f"{app.url}/?view={view}", wait_until="commit")
        expect(page.get_by_role("button", name=below)).to_be_visible(timeout=TO_START)
        expect(page.locator(".js-plotly-plot, [data-testid=stSlider]").first).to_be_visible(timeout=TO_START)
        at = AppPage(page, app.url)
        page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
        before = page.evaluate(places, below)
        for route in late:
            route.continue_()
        at.idle()
        assert page.evaluate(places, below) == before
        page.unroute_all()
        at.watch.end()


def test_first_page_shows_real_attention(first_page: AppPage, app: App) -> None:
    at = first_page
    assert at.selection == {}
    assert at.page.title() == "Headlight"
    expect(at.strip.locator(".label")).to_have_text([*ONE, "[CLS]", *PAIR[7:]])
    expect(at.strip.first.locator(".id")).to_have_text(["101", "2051", "10029", "2066", "2019", "8612", "102"])
    expect(at.strip.locator(".badge")).to_have_text(["A", "B"])
    expect(at.strip.last.locator(".word").nth(1)).to_have_text("Bfruit 5909")
    shown = at.heat_map("L0 H4")
    assert shown.labels == ONE
    assert [len(row) for row in shown.values] == [7] * 7
    assert_allclose([sum(row) for row in shown.values], 1, atol=ROW_ERROR)
    assert shown.values[2][1] > 0.75  # "flies" looks at "time"
    assert app.asked == []
    at.assert_sound()


# --- every view and every widget ---


def test_every_view_opens_by_a_click(visit_app: Open) -> None:
    at = visit_app()
    headings = {
        "Norms": "L2 norm of each hidden state",
        "Predictions": "The model itself was never trained on sentiment",
        "Data": "Attention weights, L0 H4",
    }
    for view in (*VIEWS[1:], VIEWS[0]):
        at.view(view)
        if view in headings:
            expect(at.page.get_by_text(headings[view]).first).to_be_visible()
        expect(at.picture()).to_be_visible()
        if view == "Norms":
            expect(at.page.locator(".js-plotly-plot")).to_have_count(8)
        at.assert_sound_in_both_sizes()
    at.heat_map("L0 H4")


def test_bertviz_draws_the_selected_head_and_answers_hover(visit_app: Open) -> None:
    at = visit_app(view="bertviz", head="7", layer="2")
    lines = at.frame.locator("#attention line")
    expect(lines).to_have_count(HEADS * 13 * 13)
    boxes = at.frame.get_by_role("checkbox")
    assert [box.get_attribute("aria-checked") for box in boxes.all()] == [str(head == 7).lower() for head in range(12)]
    before = lines.evaluate_all(LINES)
    assert at.frame.locator("[head-index='6'] line").evaluate_all(LINES) == 0
    assert 0 < before <= 13 * 13
    assert at.frame.locator("[head-index='7'] line").evaluate_all(LINES) == before
    at.frame.locator("#left text").get_by_text("arrow").hover()
    expect(at.frame.locator("#attention")).to_have_attribute("visibility", "hidden")
    of_arrow = at.frame.locator("line[left-token-index='5']").evaluate_all(LINES)
    assert lines.evaluate_all(LINES) == of_arrow
    assert 0 < of_arrow <= 13
    expect(at.frame.get_by_text("Layer 2", exact=True)).to_be_visible()


def test_bertviz_has_a_picture_for_every_head(visit_app: Open) -> None:
    at = visit_app(view="bertviz", bertviz="model view")
    expect(at.frame.locator(".attn_background")).to_have_count(LAYERS * HEADS)
    expect(at.frame.locator("svg line")).to_have_count(LAYERS * HEADS * 13 * 13)
    at.frame.locator("#attn_background_3_5 ~ rect").click()
    expect(at.frame.locator("text.detail")).to_have_text("Layer 3, Head 5")


def test_layer_and_head_lead_every_view(visit_app: Open) -> None:
    at = visit_app(mode="pair")
    first = at.heat_map("L0 H4")
    layer = at.layer(3).heat_map("L3 H4")
    head = at.head(7).heat_map("L3 H7")
    mean = at.head("mean").heat_map("L3, mean over heads")
    pictures = [first.values, layer.values, head.values, mean.values]
    assert all(one != other for i, one in enumerate(pictures) for other in pictures[:i])
    assert_allclose([sum(row) for row in mean.values], 1, atol=ROW_ERROR)
    at.view("Data")
    expect(at.page.get_by_text("Attention weights, L3, mean over heads")).to_be_visible()
    at.head(7).view("Head view").painted(".head-view", "L3|H7")
    at.view("Neuron view").painted(".neuron", "L3|H7")
    at.view("BertViz")
    expect(at.frame.get_by_text("Layer 3", exact=True)).to_be_visible()
    expect(at.frame.get_by_role("checkbox", checked=True)).to_have_attribute("aria-label", "Head 7")
    at.view("Norms")
    expect(at.map).to_have_attribute("aria-disabled", "true")
    assert at.view("Heat map").heat_map("L3 H7").values == head.values


def test_words_and_special_tokens_change_rows_and_columns(visit_app: Open) -> None:
    at = visit_app(a="unbelievably tokenized", b="")
    pieces = at.heat_map("L0 H4")
    at.choose("Rows and columns", "Words", level="words")
    words = at.heat_map("L0 H4", after=pieces)
    assert words.labels == ["[CLS]", "unbelievably", "tokenized", "[SEP]"] != pieces.labels
    assert_allclose([sum(row) for row in words.values], 1, atol=ROW_ERROR)
    at.choose("Special tokens", "Hide", special="hide")
    hidden = at.heat_map("L0 H4", after=words)
    assert hidden.labels == ["unbelievably", "tokenized"]
    assert max(sum(row) for row in hidden.values) < 0.99
    at.choose("Special tokens", "Renormalise", special="renormalise")
    assert_allclose([sum(row) for row in at.heat_map("L0 H4", after=hidden).values], 1, atol=ROW_ERROR)
    expect(at.page.get_by_text("Special tokens are hidden.")).to_be_visible()


def test_pair_and_separate_are_two_ways_of_running(visit_app: Open) -> None:
    at = visit_app(mode="pair")
    pair = at.heat_map("L0 H4")
    assert pair.labels == PAIR
    at.choose("Two sentences are encoded", "Separately", mode=None)
    expect(at.strip).to_have_count(2)
    expect(at.page.get_by_role("heading", name="Sentence B")).to_be_visible()
    expect(at.page.locator(".stage")).to_have_count(2)
    first = at.heat_map("L0 H4", after=pair)
    assert first.labels == ONE
    left, right = (box.bounding_box() for box in at.page.locator(".stage").all())
    assert left
    assert right
    assert left["x"] + left["width"] <= right["x"]
    at.assert_sound()
    at.choose("Two sentences are encoded", "As a pair", mode="pair")
    expect(at.strip).to_have_count(1)
    assert at.heat_map("L0 H4", after=first) == pair


def test_untrained_model_says_so_and_the_selectors_follow_it(visit_app: Open) -> None:
    at = visit_app(layer="5", head="11")
    trained = at.heat_map("L5 H11")
    at.pick("Model", "From scratch, untrained").selected(model="scratch-untrained")
    untrained = at.heat_map("L3 H3", after=trained)
    assert untrained.values != trained.values
    expect(at.page.get_by_text("4 layers × 4 heads")).to_be_visible()
    expect(at.map).to_have_attribute("aria-label", re.compile("^Map of 4 layers with 4 heads each; L3 H3 is chosen"))
    at.view("Predictions")
    expect(at.page.get_by_text("UNTRAINED.")).to_be_visible()
    expect(at.picture()).to_be_visible()
    at.assert_sound()


# --- numbers, files ---


def test_hover_names_both_tokens_and_the_value(first_page: AppPage) -> None:
    at = first_page
    shown = at.heat_map("L0 H4")
    at.cells.hover()  # the middle of the picture
    tip = at.page.locator(".tip:popover-open")
    row, column = (int(position) for position in re.findall(r"position (\d+)", tip.inner_text()))
    expect(tip.locator(".line")).to_have_text(
        [
            f"from {ONE[row]} · position {row}",
            f"to {ONE[column]} · position {column}",
            f"attention weight {shown.values[row][column]:.4f}",
        ]
    )


def test_picture_downloads_as_svg_with_its_numbers(first_page: AppPage) -> None:
    at = first_page
    shown = at.heat_map("L0 H4")
    name, text = at.download(at.page.get_by_role("button", name="SVG").first.click)
    assert name == "attention-L0-H4.svg"
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"L0 H4", "attention weight", "query (from) ↓", "key (to) →"} <= set(texts)
    assert [label for label in texts if label in ONE] == ONE + ONE
    numbers = [float(text) for text in texts if text and re.fullmatch(r"\d\.\d\d", text)]
    assert_allclose(np.reshape(numbers, (7, 7)), shown.values, atol=0.0051)


def test_a_selected_cell_reaches_the_address_and_every_view(visit_app: Open) -> None:
    at = visit_app(layer="3", head="7")
    at.heat_map("L3 H7")
    at.cells.click()
    at.page.wait_for_url(re.compile("query=.*key=|key=.*query="))
    query, key = (int(at.idle().selection[name]) for name in ("query", "key"))
    at.view("Head view")
    expect(at.page.locator(".said")).to_contain_text(f"{PAIR[query]} ({query}) looks at")
    at.view("Neuron view")
    expect(at.page.locator(".numbers")).to_contain_text(f"{PAIR[query]} → {PAIR[key]}")
    at.view("Heat map").heat_map("L3 H7")
    at.cells.press("Escape")
    at.selected(query=None, key=None)
    at.cells.press("ArrowDown")
    at.cells.press("Enter")
    at.selected(query="0", key="0")
    at.assert_sound()


def test_matrix_downloads_as_csv(visit_app: Open) -> None:
    at = visit_app(layer="3", head="7")
    shown = at.heat_map("L3 H7")
    at.view("Data")
    expect(at.page.get_by_test_id("stDataFrame")).to_be_visible()
    name, text = at.download(at.page.get_by_test_id("stDownloadButton").get_by_role("button").click)
    assert name == "attention-L3-H7.csv"
    header, *rows = csv.reader(io.StringIO(text))
    assert header[1:] == [row[0] for row in rows] == [f"{i}: {token}" for i, token in enumerate(PAIR)]
    assert_allclose([[float(number) for number in row[1:]] for row in rows], shown.values, atol=MAX_ERROR)


# --- nothing jumps ---


def place(page: Page, selector: str) -> tuple[int, int]:
    box = page.locator(selector).first.bounding_box()
    assert box
    return round(box["x"]), round(box["y"])


def test_nothing_moves_when_layer_and_head_change(visit_app: Open) -> None:
    at = visit_app(mode="pair")
    things = [".stage", ".stage canvas.over", ".strip", "[role=radiogroup]"]
    at.heat_map("L0 H4")
    before = [place(at.page, thing) for thing in things]
    at.layer(5).heat_map("L5 H4")
    assert [place(at.page, thing) for thing in things] == before
    at.head("mean").heat_map("L5, mean over heads")
    assert [place(at.page, thing) for thing in things] == before
    controls = place(at.page, "[role=radiogroup][aria-label^=From]")
    several = ("Word lens", "Similar because", "Compare", "Decoder")  # have a strip for each of two texts
    for view in (view for view in VIEWS if view not in several):
        at.view(view)
        assert place(at.page, "[role=radiogroup][aria-label^=From]") == controls, view
    at.view("BertViz").head(3)
    before = place(at.page, "[data-testid=stIFrame]")
    at.layer(1).head(9)
    expect(at.frame.get_by_role("checkbox", checked=True)).to_have_attribute("aria-label", "Head 9")
    assert place(at.page, "[data-testid=stIFrame]") == before
