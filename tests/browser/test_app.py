"""The whole app in Chromium. On every page the fixture also refuses dialogs, errors and requests elsewhere."""

import csv
import io
import re
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numpy.testing import assert_allclose
from playwright.sync_api import Browser, Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.app_page import VIEWS, App, AppPage
from viz.components.store import MAX_ERROR
from viz.theme import THEMES, ThemeName, contrast

Open = Callable[..., AppPage]

A, B = "time flies like an arrow", "fruit flies like a banana"
PAIR = ["[CLS]", *A.split(), "[SEP]", *B.split(), "[SEP]"]
HEADS, LAYERS = 12, 6  # of the bundled model
ROW_ERROR = 1e-4  # of a row's sum: weights reach the browser in 16 bits
LINES = """lines => lines.filter((line) =>
    line.getAttribute('stroke-opacity') > 0 && getComputedStyle(line).visibility === 'visible').length"""


@pytest.fixture(scope="module")
def first_page(browser: Browser, app: App) -> Iterator[AppPage]:
    """The page as it opens, shared by the tests that only look at it."""
    at = AppPage(browser.new_page(viewport={"width": 1440, "height": 900}), app.url)
    yield at.open()
    at.page.close()


def test_the_watch_notices_trouble(browser: Browser, app: App) -> None:
    at = AppPage(browser.new_page(), app.url)
    at.page.set_content(f"<img src=http://192.0.2.1/x.png><img src={app.url}/favicon.png><script>alert(1)</script>")
    at.page.evaluate("setTimeout(() => { throw new Error('late'); })")
    at.page.evaluate("console.error('bad')")
    at.page.close()
    assert {"request: http://192.0.2.1/x.png", "dialog: 1", "error: late", "bad"} <= set(at.trouble)
    assert not any(app.url in trouble for trouble in at.trouble)


# --- what a newcomer sees ---


def test_first_page_shows_real_attention(first_page: AppPage, app: App) -> None:
    at = first_page
    assert at.selection == {}
    assert at.page.title() == "Headlight"
    expect(at.strip.locator(".label")).to_have_text(PAIR)
    expect(at.strip.locator(".id")).to_have_text(
        ["101", "2051", "10029", "2066", "2019", "8612", "102", "5909", "10029", "2066", "1037", "15212", "102"]
    )
    expect(at.strip.locator(".badge")).to_have_text(["A", "B"])
    expect(at.strip.locator(".word").nth(7)).to_have_text("Bfruit5909")
    shown = at.heat_map("L0 H4")
    assert shown.labels == PAIR
    assert [len(row) for row in shown.values] == [13] * 13
    assert_allclose([sum(row) for row in shown.values], 1, atol=ROW_ERROR)
    assert shown.values[8][7] > 0.5  # the second "flies" looks at "fruit"
    assert app.asked == []
    at.assert_sound()


# --- every view and every widget ---


def test_every_view_opens_by_a_click(open_app: Open) -> None:
    at = open_app()
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
            expect(at.page.locator(".js-plotly-plot")).to_have_count(4)
        for size in ((1920, 1080), (1440, 900)):
            at.page.set_viewport_size({"width": size[0], "height": size[1]})
            at.assert_sound()
    at.heat_map("L0 H4")


def test_bertviz_draws_the_selected_head_and_answers_hover(open_app: Open) -> None:
    at = open_app(view="bertviz", head="7", layer="2")
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


def test_bertviz_has_a_picture_for_every_head(open_app: Open) -> None:
    at = open_app(view="bertviz", bertviz="model view")
    expect(at.frame.locator(".attn_background")).to_have_count(LAYERS * HEADS)
    expect(at.frame.locator("svg line")).to_have_count(LAYERS * HEADS * 13 * 13)
    at.frame.locator("#attn_background_3_5 ~ rect").click()
    expect(at.frame.locator("text.detail")).to_have_text("Layer 3, Head 5")


def test_layer_and_head_lead_every_view(open_app: Open) -> None:
    at = open_app()
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
    expect(at.option("Layer", "5")).to_be_disabled()
    assert at.view("Heat map").heat_map("L3 H7").values == head.values


def test_words_and_special_tokens_change_rows_and_columns(open_app: Open) -> None:
    at = open_app(a="unbelievably tokenized", b="")
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


def test_pair_and_separate_are_two_ways_of_running(open_app: Open) -> None:
    at = open_app()
    pair = at.heat_map("L0 H4")
    at.choose("Two sentences are encoded", "Separately", mode="separate")
    expect(at.strip).to_have_count(2)
    expect(at.page.get_by_role("heading", name="Sentence B")).to_be_visible()
    expect(at.page.locator(".stage")).to_have_count(2)
    first = at.heat_map("L0 H4", after=pair)
    assert first.labels == PAIR[:7]
    left, right = (box.bounding_box() for box in at.page.locator(".stage").all())
    assert left
    assert right
    assert left["x"] + left["width"] <= right["x"]
    at.assert_sound()
    at.choose("Two sentences are encoded", "As a pair", mode=None)
    expect(at.strip).to_have_count(1)
    assert at.heat_map("L0 H4", after=first) == pair


def test_untrained_model_says_so_and_the_selectors_follow_it(open_app: Open) -> None:
    at = open_app(layer="5", head="11")
    trained = at.heat_map("L5 H11")
    at.pick("Model", "From scratch, untrained").selected(model="scratch-untrained")
    layers, heads = at.choice("Layer").count(), at.choice("Head").count() - 1
    untrained = at.heat_map(f"L{min(5, layers - 1)} H{min(11, heads - 1)}", after=trained)
    assert untrained.values != trained.values
    expect(at.page.get_by_text(f"{layers} layers × {heads} heads")).to_be_visible()
    at.view("Predictions")
    expect(at.page.get_by_text("UNTRAINED.")).to_be_visible()
    expect(at.picture()).to_be_visible()
    at.assert_sound()


def test_typed_text_is_encoded_by_button_keys_and_blur(open_app: Open) -> None:
    at = open_app()
    shown = at.heat_map("L0 H4")
    ways: dict[str, Callable[[], None]] = {
        "dogs bark": at.page.get_by_role("button", name="Show attention").click,
        "cats sleep": lambda: at.page.keyboard.press("Control+Enter"),
        "cows eat": at.page.get_by_role("heading", name="Headlight").click,
    }
    for text, commit in ways.items():
        at.text("A").click()
        at.page.keyboard.press("Control+A")
        at.page.keyboard.type(text)
        commit()
        at.selected(a=text, b=B)
        expect(at.strip.locator(".label").nth(2)).to_have_text(text.split()[1])
        shown = at.heat_map("L0 H4", after=shown)
        assert shown.labels[1:3] == text.split()
        expect(at.text("A")).to_have_value(text)


class SlowAnswers:
    """Between the server and a page: answers can be held back, so that the browser sends what is out of date."""

    def __init__(self, page: Page) -> None:
        self.holding = False
        self.held: list[str | bytes] = []
        page.route_web_socket("**/_stcore/stream", self._connect)

    def _connect(self, browser: WebSocketRoute) -> None:
        self.browser = browser
        server = browser.connect_to_server()
        browser.on_message(server.send)
        server.on_message(lambda message: self.held.append(message) if self.holding else browser.send(message))

    def wait_for_a_run(self, page: Page) -> None:
        until = time.monotonic() + 30
        while time.monotonic() < until:
            if any(ForwardMsg.FromString(message).HasField("script_finished") for message in self.held):
                return
            page.evaluate("0")  # lets Playwright hear of messages
        raise TimeoutError("the server did not finish a run")

    def release(self) -> None:
        self.holding = False
        for message in self.held:
            self.browser.send(message)
        self.held.clear()


@pytest.mark.parametrize("finished", [False, True], ids=["cut short", "finished"])
def test_what_is_typed_before_the_page_has_answered_is_kept(browser: Browser, app: App, finished: bool) -> None:
    page = browser.new_page()
    answers = SlowAnswers(page)
    at = AppPage(page, app.url).open()
    at.heat_map("L0 H4")
    answers.holding = True
    at.text("A").fill("dogs bark")
    at.text("B").focus()  # commits A
    if finished:
        answers.wait_for_a_run(page)
    at.text("B").fill("cats sleep")
    at.text("B").press("Control+Enter")
    answers.release()
    at.selected(a="dogs bark", b="cats sleep")
    expect(at.strip.locator(".label")).to_have_text(["[CLS]", "dogs", "bark", "[SEP]", "cats", "sleep", "[SEP]"])
    at.assert_sound()
    page.close()


def test_example_fills_both_sentences(open_app: Open) -> None:
    at = open_app()
    at.pick("Example", "bark: tree or dog?").selected(b="the dogs bark at every stranger who walks past")
    expect(at.text("A")).to_have_value("the bark of the old oak was rough and brown")
    expect(at.text("B")).to_have_value("the dogs bark at every stranger who walks past")
    expect(at.strip.locator(".label").nth(2)).to_have_text("bark")
    expect(at.page.get_by_text("a noun in A, a verb in B.")).to_be_visible()


# --- numbers, files ---


def test_hover_names_both_tokens_and_the_value(first_page: AppPage) -> None:
    at = first_page
    shown = at.heat_map("L0 H4")
    at.cells.hover()  # the middle of the picture
    tip = at.page.locator(".tip:popover-open")
    row, column = (int(position) for position in re.findall(r"position (\d+)", tip.inner_text()))
    expect(tip.locator(".line")).to_have_text(
        [
            f"from {PAIR[row]} · position {row}",
            f"to {PAIR[column]} · position {column}",
            f"attention weight {shown.values[row][column]:.4f}",
        ]
    )


def test_picture_downloads_as_svg_with_its_numbers(first_page: AppPage) -> None:
    at = first_page
    shown = at.heat_map("L0 H4")
    name, text = at.download(at.page.get_by_role("button", name="SVG").click)
    assert name == "attention-L0-H4.svg"
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"L0 H4", "attention weight", "query (from) ↓", "key (to) →"} <= set(texts)
    assert [label for label in texts if label in PAIR] == PAIR + PAIR
    numbers = [float(text) for text in texts if text and re.fullmatch(r"\d\.\d\d", text)]
    assert_allclose(np.reshape(numbers, (13, 13)), shown.values, atol=0.0051)


def test_a_selected_cell_reaches_the_address_and_every_view(open_app: Open) -> None:
    at = open_app(layer="3", head="7")
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


def test_matrix_downloads_as_csv(open_app: Open) -> None:
    at = open_app(layer="3", head="7")
    shown = at.heat_map("L3 H7")
    at.view("Data")
    expect(at.page.get_by_test_id("stDataFrame")).to_be_visible()
    name, text = at.download(at.page.get_by_test_id("stDownloadButton").get_by_role("button").click)
    assert name == "attention-L3-H7.csv"
    header, *rows = csv.reader(io.StringIO(text))
    assert header[1:] == [row[0] for row in rows] == [f"{i}: {token}" for i, token in enumerate(PAIR)]
    assert_allclose([[float(number) for number in row[1:]] for row in rows], shown.values, atol=MAX_ERROR)


# --- themes ---

# Colours of an element's text and of what is behind it, as "#rrggbb"; a canvas blends what is not opaque.
COLOURS = """(element, [text, page]) => {
    const canvas = document.createElement('canvas');
    const paint = canvas.getContext('2d', { willReadFrequently: true });
    const hex = () => '#' + [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3)
        .map((part) => part.toString(16).padStart(2, '0')).join('');
    const behind = [];
    for (let box = element; box; box = box.parentElement ?? box.getRootNode().host) {
        behind.unshift(getComputedStyle(box).backgroundColor);
    }
    const brush = (colour) => { paint.fillStyle = colour; paint.fillRect(0, 0, 1, 1); return hex(); };
    const paper = [page, ...behind].map(brush).at(-1);
    return [brush(getComputedStyle(element)[text]), paper];
}"""


# Whether the heat map has a pixel of about that colour.
STRONGEST = """(wanted) => {
    const within = (node) => node.querySelector(".stage canvas:not(.over)")
        ?? [...node.querySelectorAll("*")].map(({ shadowRoot }) => shadowRoot && within(shadowRoot)).find(Boolean);
    const canvas = within(document);
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    for (let at = 0; at < data.length; at += 4) {
        if (wanted.every((channel, index) => Math.abs(channel - data[at + index]) < 8)) return true;
    }
    return false;
}"""


def assert_theme(at: AppPage, theme: ThemeName) -> None:
    page = THEMES[theme].background
    app = at.page.get_by_test_id("stApp")
    red, green, blue = (int(page[i : i + 2], 16) for i in (1, 3, 5))
    expect(app).to_have_css("background-color", f"rgb({red}, {green}, {blue})")
    texts = [
        *((at.strip.locator(".token .label").nth(i), "color") for i in (0, 1, 8)),
        *((at.strip.locator(".token .id").nth(i), "color") for i in (0, 1, 8)),
        (at.page.locator(".how"), "color"),
        (at.option("Layer", "3"), "color"),
        (at.option("Layer", "0"), "color"),
        (at.page.get_by_text("How to read it."), "color"),
    ]
    for locator, text in texts:
        ink, paper = locator.evaluate(COLOURS, [text, page])
        assert contrast(ink, paper) >= 4.5, (locator, ink, paper)
    at.assert_sound()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_page_follows_the_browsers_theme(open_app: Open, theme: ThemeName) -> None:
    at = open_app(scheme=theme)
    at.heat_map("L0 H4")
    assert_theme(at, theme)
    at.view("BertViz")
    ink, paper = at.frame.locator("#left text").first.evaluate(COLOURS, ["fill", THEMES[theme].background])
    assert paper == THEMES[theme].background.lower()
    assert contrast(ink, paper) >= 7


def test_theme_is_switched_in_the_menu(open_app: Open) -> None:
    at = open_app()
    at.heat_map("L0 H4")
    assert_theme(at, "light")
    for name in ("Dark", "Light"):
        at.page.get_by_test_id("stMainMenuButton").click()
        at.page.get_by_test_id(f"stMainMenuItem-theme-{name}").click()
        at.page.keyboard.press("Escape")
        theme: ThemeName = "dark" if name == "Dark" else "light"
        assert_theme(at, theme)
        at.page.wait_for_function(
            STRONGEST, arg=[int(THEMES[theme].sequential[-1][1][i : i + 2], 16) for i in (1, 3, 5)]
        )


# --- links ---


def test_link_restores_everything(open_app: Open) -> None:
    at = open_app()
    at.pick("Model", "From scratch, BERT's weights").selected(model="scratch-bert")
    at.text("A").fill("läuft 100% & more = ? #+ 日本")
    at.text("A").press("Control+Enter")
    at.selected(a="läuft 100% & more = ? #+ 日本")
    at.choose("Two sentences are encoded", "Separately", mode="separate")
    at.choose("Rows and columns", "Words", level="words")
    at.choose("Special tokens", "Renormalise", special="renormalise")
    at.layer(2).head("mean")
    drawn = at.heat_map("L2, mean over heads")
    link = at.page.url

    other = open_app()
    other.page.goto(link)
    assert other.heat_map("L2, mean over heads") == drawn
    assert other.page.url == link
    expect(other.text("A")).to_have_value("läuft 100% & more = ? #+ 日本")
    expect(other.text("B")).to_have_value(B)
    expect(other.page.get_by_role("combobox", name="Model", exact=True)).to_have_value("From scratch, BERT's weights")
    for group, name in [
        ("Two sentences are encoded", "Separately"),
        ("Rows and columns", "Words"),
        ("Special tokens", "Renormalise"),
        ("Layer", "2"),
        ("Head", "mean"),
        ("View", "Heat map"),
    ]:
        expect(other.option(group, name)).to_be_checked()
    at.view("Norms")
    other.page.goto(at.page.url)
    expect(other.option("View", "Norms")).to_be_checked()


def test_back_and_forward_restore_the_page(open_app: Open) -> None:
    at = open_app()
    first = at.heat_map("L0 H4")
    third = at.layer(3).heat_map("L3 H4")
    at.view("Norms")
    at.page.go_back()
    assert at.heat_map("L3 H4") == third
    expect(at.option("View", "Heat map")).to_be_checked()
    at.page.go_back()
    assert at.heat_map("L0 H4") == first
    expect(at.option("Layer", "0")).to_be_checked()
    at.page.go_forward()
    assert at.heat_map("L3 H4") == third
    expect(at.option("Layer", "3")).to_be_checked()
    at.head(7).heat_map("L3 H7")  # the page is alive


def test_nonsense_in_a_link_is_named_and_the_page_shown(open_app: Open) -> None:
    nonsense = "<img src=x onerror=alert(1)>"
    at = open_app(layer="99", head="two", view=nonsense, special="", mode="![](http://192.0.2.1/x.png)", other="1")
    at.heat_map("L5 H4")  # layer 99 is taken for the last
    warnings = at.page.get_by_test_id("stAlert")
    expect(warnings.filter(has_text="Link:")).to_have_count(4)
    expect(warnings.filter(has_text=nonsense)).to_be_visible()
    expect(at.page.locator("[data-testid=stMain] img")).to_have_count(0)
    at.assert_sound()
    at.layer(2).heat_map("L2 H4")
    expect(warnings).to_have_count(0)


def test_link_to_a_foreign_model_waits_for_a_click(open_app: Open, app: App) -> None:
    assert app.asked == []
    at = open_app(model="somebody/some-model", layer="2")
    at.heat_map("L2 H4")
    expect(at.page.get_by_text("The page goes on with Pretrained BERT (bundled).")).to_be_visible()
    load = at.page.get_by_role("button", name="Load it")
    expect(load).to_be_visible()
    at.layer(3).heat_map("L3 H4")
    assert app.asked == []
    load.click()
    expect(at.page.get_by_role("button", name="Try again")).to_be_visible(timeout=60_000)
    at.idle()
    assert any("somebody/some-model" in asked for asked in app.asked)
    app.asked.clear()
    expect(at.page.get_by_test_id("stSidebar").get_by_test_id("stAlert")).to_contain_text("somebody/some-model")
    at.layer(4).heat_map("L4 H4")
    assert app.asked == []
    at.assert_sound()


# --- what bad input gets ---

SCRIPT, IMAGE = "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>"
HOSTILE = {
    "markup": (SCRIPT, f"{IMAGE} $x^2$ **bold** [link](http://192.0.2.1/) %{{x}} &lt; :material/error:"),
    "scripts and controls": (
        "🙂 👩‍👩‍👧 e\u0301 \u202eshalom שלום مرحبا \u2066 日本語 中文 한국어 ﷽",
        "a\x00b \x07 \x1b[31m \x7f \u200b \ufeff \u2028 x [MASK] [SEP] =1+1 \ufffd",
    ),
    "10,000 words": (" ".join(f"word{i % 7}" for i in range(10_000)), ""),
    "100 kB without a space": ("x" * 100_000, "y" * 100_000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_stay_texts_in_every_view(open_app: Open, name: str) -> None:
    at = open_app()
    a, b = HOSTILE[name]
    at.text("A").fill(a)
    at.text("B").fill(b)
    at.text("B").press("Control+Enter")
    expect(at.strip.locator(".label").nth(1)).not_to_have_text("time")
    at.idle()
    for view in VIEWS:
        at.view(view)
        if view != "Predictions":
            expect(at.picture().or_(at.page.get_by_text("BertViz draws up to")).first).to_be_visible()
        at.assert_sound()
        at.page.set_viewport_size({"width": 1920, "height": 1080})
        at.assert_sound()
        at.page.set_viewport_size({"width": 1440, "height": 900})
    expect(at.page.locator("[data-testid=stMain] img, [data-testid=stMain] a[href*='192.0.2.1']")).to_have_count(0)
    assert at.text("A").input_value() == a
    assert at.text("B").input_value() == b


def test_nothing_to_encode_is_said_and_the_page_recovers(open_app: Open) -> None:
    at = open_app(layer="3")
    alert = at.page.get_by_test_id("stMain").get_by_test_id("stAlert")
    for a, b in [("", B), (" \t\n ", "  ")]:
        at.text("A").fill(a)
        at.text("B").fill(b)
        at.text("B").press("Control+Enter")
        at.selected(a=a, b=b)
        expect(alert).to_contain_text("entence A")
        at.assert_sound()
        assert (at.text("A").input_value(), at.text("B").input_value()) == (a, b)
    at.text("A").fill("light")
    at.text("A").press("Control+Enter")
    expect(alert).to_have_count(0)
    assert at.heat_map("L3 H4").labels == ["[CLS]", "light", "[SEP]"]


@pytest.mark.parametrize(("view", "picture"), [("heat map", ".stage canvas.over"), ("head view", ".head-view .pane")])
def test_a_long_text_leaves_its_picture_on_the_screen(open_app: Open, view: str, picture: str) -> None:
    at = open_app(view=view)
    at.text("A").fill("two pages of a book " * 200)
    at.text("A").press("Control+Enter")
    expect(at.page.get_by_text("Sentence A is too long")).to_be_visible()
    at.idle()
    box = at.page.locator(picture).bounding_box()
    assert box
    seen = min(box["y"] + box["height"], 900) - box["y"]
    assert seen >= 480
    assert seen >= 0.75 * box["height"]


# --- nothing jumps ---


def place(page: Page, selector: str) -> tuple[int, int]:
    box = page.locator(selector).first.bounding_box()
    assert box
    return round(box["x"]), round(box["y"])


def test_nothing_moves_when_layer_and_head_change(open_app: Open) -> None:
    at = open_app()
    things = [".stage", ".stage canvas.over", ".strip", "[role=radiogroup]"]
    at.heat_map("L0 H4")
    before = [place(at.page, thing) for thing in things]
    at.layer(5).heat_map("L5 H4")
    assert [place(at.page, thing) for thing in things] == before
    at.head("mean").heat_map("L5, mean over heads")
    assert [place(at.page, thing) for thing in things] == before
    controls = place(at.page, "[role=radiogroup][aria-label=Head]")
    for view in (view for view in VIEWS if view != "Word lens"):  # it has a strip and a map for each sentence
        at.view(view)
        assert place(at.page, "[role=radiogroup][aria-label=Head]") == controls, view
    at.view("BertViz").head(3)
    before = place(at.page, "[data-testid=stIFrame]")
    at.layer(1).head(9)
    expect(at.frame.get_by_role("checkbox", checked=True)).to_have_attribute("aria-label", "Head 9")
    assert place(at.page, "[data-testid=stIFrame]") == before
