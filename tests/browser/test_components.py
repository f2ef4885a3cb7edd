"""The components in Chromium, with no server and every request refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages.offline import HOSTILE, PAIR, Offline
from tests.browser.pages.touch import touching
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


def test_head_view_draws_every_line_and_the_chosen_head(offline: Offline) -> None:
    page = offline.open(view(head_view_html))
    expect(page.locator("#attention line")).to_have_count(3 * 13 * 13)
    expect(page.locator("#left text")).to_have_text(PAIR)
    expect(page.locator("#layer")).to_have_value("1")
    boxes = page.get_by_role("checkbox")
    assert [box.get_attribute("aria-checked") for box in boxes.all()] == ["false", "false", "true"]
    opacities = "lines => lines.map(line => Number(line.getAttribute('stroke-opacity')))"
    assert max(page.locator("[head-index='0'] line").evaluate_all(opacities)) == 0
    assert max(page.locator("[head-index='2'] line").evaluate_all(opacities)) > 0


def test_head_boxes_answer_click_and_keys(offline: Offline) -> None:
    page = offline.open(view(head_view_html))
    first = page.get_by_role("checkbox").first
    first.click()
    expect(first).to_have_attribute("aria-checked", "true")
    first.press("Enter")
    expect(first).to_have_attribute("aria-checked", "false")


@pytest.mark.parametrize(
    ("index", "left", "right"), [(1, PAIR[:7], PAIR[:7]), (3, PAIR[:7], PAIR[7:]), (4, PAIR[7:], PAIR[:7])]
)
def test_filter_shows_one_block_of_the_pair(offline: Offline, index: int, left: list[str], right: list[str]) -> None:
    page = offline.open(view(head_view_html))
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


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("make", [head_view_html, model_view_html])
def test_text_has_the_colour_of_the_theme(offline: Offline, make: Callable[..., str], theme: ThemeName) -> None:
    page = offline.open(view(make, theme=theme))
    colour = "([name, value]) => { document.body.style.setProperty(name, value); return 0; }"
    assert page.evaluate(colour, ["outline-color", THEMES[theme].text]) == 0
    expected = page.evaluate("getComputedStyle(document.body).outlineColor")
    expect(page.locator("svg text:not(.head-number)").first).to_have_css("fill", expected)
    page.evaluate(colour, ["outline-color", THEMES[theme].background])
    expect(page.locator("body")).to_have_css(
        "background-color", page.evaluate("getComputedStyle(document.body).outlineColor")
    )


@pytest.mark.parametrize(
    ("make", "height"), [(head_view_html, head_view_height(13)), (model_view_html, model_view_height(13, 2, 3))]
)
@pytest.mark.parametrize("width", [700, 1600])
def test_nothing_scrolls_at_the_promised_height(
    offline: Offline, make: Callable[..., str], height: int, width: int
) -> None:
    offline.page.set_viewport_size({"width": width, "height": height})
    page = offline.open(view(make))
    expect(page.locator("svg line").first).to_be_attached()
    sizes = "[document.body.scrollHeight - innerHeight, document.body.scrollWidth - innerWidth]"
    assert max(page.evaluate(sizes)) <= 0


# --- token strip ---

HOST = """<!doctype html><style>:root { --st-text-color: #111; --st-background-color: #fff; }</style>
<div id="host"></div>
<script type="module">
import mount from "/components/token_strip/view.mjs";
const parentElement = document.getElementById("host").attachShadow({ mode: "open" });
const root = document.createElement("div");
root.className = "view strip";
parentElement.append(root);
window.show = (data) => { window.cleanup = mount({ data, parentElement }); };
window.ready = true;
</script>"""


def strip_data(labels: list[str] = PAIR, n_sentences: int = 2) -> dict[str, Any]:
    tokens, sentence, word = [], 0, -1
    for position, label in enumerate(labels):
        special = label in ("[CLS]", "[SEP]")
        continues = label.startswith("##")
        word += not special and not continues
        owner = {"word": None if special else word, "sentence": None if special else sentence}
        flags = {"continues": continues, "special": special, "type": sentence}
        tokens.append({"label": label, "piece": label, "id": 100 + position, "position": position} | owner | flags)
        sentence += label == "[SEP]"
    return {
        "tokens": tokens,
        "words": [t["label"] for t in tokens if t["word"] is not None],
        "tags": [],
        "n_sentences": n_sentences,
    }


@pytest.fixture
def strip(offline: Offline) -> Page:
    page = offline.open(HOST)
    page.wait_for_function("window.ready")
    return page


def test_strip_shows_pieces_ids_and_sentence_letters(strip: Page) -> None:
    strip.evaluate("show", strip_data())
    expect(strip.locator(".label")).to_have_text(PAIR)
    expect(strip.locator(".id")).to_have_text([str(100 + position) for position in range(13)])
    expect(strip.locator(".badge")).to_have_text(["A", "B"])
    expect(strip.locator(".token.special")).to_have_text(["[CLS] 100", "[SEP] 106", "[SEP] 112"])


def test_a_piece_of_a_right_to_left_word_is_marked_on_the_left_as_in_the_pictures(strip: Page) -> None:
    strip.evaluate("show", strip_data(["[CLS]", "م", "##ر", "[SEP]"], 1))
    left_edges = """label => [0, 2].map((start) => {
        const range = document.createRange();
        range.setStart(label.firstChild, start);
        range.setEnd(label.firstChild, start + 1);
        return range.getBoundingClientRect().left;
    })"""
    mark, letter = strip.locator(".label").nth(2).evaluate(left_edges)
    assert mark < letter


def test_a_tap_on_a_token_tells_of_it_until_something_else_is_touched(strip: Page) -> None:
    strip.evaluate("show", strip_data())
    box = strip.locator(".token").nth(2).bounding_box()
    assert box
    with touching(strip) as tap:
        tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(strip.locator(".tip")).to_contain_text("position2")
        strip.evaluate("() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))")
        expect(strip.locator(".tip")).to_be_visible()
        tap(box["x"], box["y"] + 300)
        expect(strip.locator(".tip")).to_be_hidden()


def test_words_that_stay_keep_their_elements(strip: Page) -> None:
    """Else each key of a long text would lay out all of its tokens anew."""
    strip.evaluate("show", strip_data(["[CLS]", "time", "fl", "[SEP]"], 1))
    words = "() => [...document.getElementById('host').shadowRoot.querySelectorAll('.word')]"
    before = strip.evaluate_handle(words)
    for labels in (["[CLS]", "time", "flies", "like", "[SEP]"], ["[CLS]", "time", "fl", "##aw", "[SEP]"]):
        strip.evaluate("show", strip_data(labels, 1))
        expect(strip.locator(".label")).to_have_text(labels)
        kept = strip.evaluate(f"before => ({words})().map((word) => before.includes(word))", before)
        assert kept == [label in ("[CLS]", "time") for label in labels if not label.startswith("##")]


def test_strip_is_readable_from_afar(strip: Page) -> None:
    strip.evaluate("show", strip_data())
    size = "element => parseFloat(getComputedStyle(element).fontSize)"
    assert strip.locator(".label").first.evaluate(size) >= 14
    assert strip.locator(".id").first.evaluate(size) >= 12


def test_strip_joins_the_pieces_of_a_word(strip: Page) -> None:
    strip.evaluate("show", strip_data(["[CLS]", "un", "##fair", "[SEP]"], 1))
    expect(strip.locator(".word").nth(1)).to_have_text("un 101##fair 102")
    expect(strip.locator(".badge")).to_have_count(0)
    first, second = (strip.locator(".token").nth(index).bounding_box() for index in (1, 2))
    assert first
    assert second
    assert abs(first["x"] + first["width"] - second["x"]) < 1


def test_strip_shows_every_piece_of_a_word_that_is_wider_than_it(strip: Page) -> None:
    pieces = ["dona", "##uda", "##mp", "##ele", "##kt", "##riz", "##itate", "##werk", "##beam", "##schaft"]
    strip.evaluate("show", strip_data(["[CLS]", *pieces, *pieces[1:], *pieces[1:], "[SEP]"], 1))
    width = "list => [list.scrollWidth, list.clientWidth]"
    needed, wide = strip.locator(".tokens").evaluate(width)
    assert needed <= wide
    cut = "labels => labels.filter(label => label.scrollWidth > label.clientWidth).map(label => label.textContent)"
    assert strip.locator(".label").evaluate_all(cut) == []
    assert strip.locator(".word").nth(1).evaluate(width)[0] <= wide


def test_strip_tooltip_follows_pointer_and_keys(strip: Page) -> None:
    strip.evaluate("show", strip_data())
    tip = strip.locator(".tip")
    expect(tip).to_be_hidden()
    strip.locator(".token").nth(2).hover()
    expect(tip).to_contain_text("flies")
    expect(tip).to_contain_text("token type")
    strip.mouse.move(5, 900)
    expect(tip).to_be_hidden()
    strip.keyboard.press("Tab")
    strip.keyboard.press("ArrowRight")
    expect(strip.locator(".token").nth(1)).to_be_focused()
    expect(tip).to_contain_text("time")
    strip.keyboard.press("End")
    expect(strip.locator(".token").nth(12)).to_be_focused()
    strip.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    expect(strip.locator('.token[tabindex="0"]')).to_have_count(1)


def test_strip_drawn_again_is_the_same_strip(strip: Page) -> None:
    strip.evaluate("show", strip_data())
    strip.evaluate("document.getElementById('host').shadowRoot.querySelector('.token').mark = true")
    strip.evaluate("show", strip_data())
    assert strip.evaluate("document.getElementById('host').shadowRoot.querySelector('.token').mark")
    strip.evaluate("show", strip_data(["[CLS]", "light", "[SEP]"], 1))
    expect(strip.locator(".token")).to_have_count(3)
    expect(strip.locator(".tip")).to_have_count(1)
    strip.locator(".token").nth(1).hover()
    expect(strip.locator(".tip")).to_be_visible()
    strip.evaluate("cleanup()")
    expect(strip.locator(".tip")).to_be_hidden()


def test_strip_is_drawn_again_in_another_element(strip: Page) -> None:
    strip.evaluate("show", strip_data())
    strip.evaluate("window.first = window.cleanup")
    strip.evaluate(
        """() => {
            const root = document.getElementById("host").shadowRoot.querySelector(".view");
            root.replaceWith(root.cloneNode());
        }"""
    )
    expect(strip.locator(".token")).to_have_count(0)
    strip.evaluate("show", strip_data())
    expect(strip.locator(".token")).to_have_count(13)
    strip.evaluate("first()")  # of the element that is gone
    strip.locator(".token").nth(1).hover()
    expect(strip.locator(".tip")).to_be_visible()


def test_strip_shows_hostile_tokens_as_text(strip: Page) -> None:
    strip.evaluate("show", strip_data(HOSTILE, 1))
    expect(strip.locator(".label").nth(2)).to_have_text("<img src=x onerror=alert(1)>")
    strip.locator(".token").nth(1).hover()
    expect(strip.locator(".tip")).to_contain_text("</script><script>alert(1)</script>")
    expect(strip.locator("img")).to_have_count(0)


def test_long_strip_scrolls_inside(strip: Page) -> None:
    strip.evaluate("show", strip_data(["word"] * 512, 1))
    expect(strip.locator(".token")).to_have_count(512)
    box = strip.locator(".tokens").bounding_box()
    assert box
    assert box["height"] < 130
    rows = strip.locator(".token").evaluate_all(
        "(tokens) => tokens.map((token) => token.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])"
    )
    bottom = box["y"] + box["height"]
    assert [row for row in rows if row[0] < bottom < row[1]] == [], "no row is cut"
    strip.locator(".token").first.focus()
    strip.keyboard.press("End")
    expect(strip.locator(".token").last).to_be_in_viewport()
