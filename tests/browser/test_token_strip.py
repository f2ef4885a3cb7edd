"""The token strip alone on an empty page."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.pages.offline import HOSTILE, PAIR, Offline
from tests.browser.pages.touch import touching

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


def test_pieces_ids_and_sentence_letters_are_readable_from_afar(strip: Page) -> None:
    strip.evaluate("show", strip_data())
    expect(strip.locator(".label")).to_have_text(PAIR)
    expect(strip.locator(".id")).to_have_text([str(100 + position) for position in range(13)])
    expect(strip.locator(".badge")).to_have_text(["A", "B"])
    expect(strip.locator(".token.special")).to_have_text(["[CLS] 100", "[SEP] 106", "[SEP] 112"])
    size = "element => parseFloat(getComputedStyle(element).fontSize)"
    assert strip.locator(".label").first.evaluate(size) >= 14
    assert strip.locator(".id").first.evaluate(size) >= 12


def test_a_piece_of_a_right_to_left_word_is_marked_on_the_side_of_the_one_before(strip: Page) -> None:
    strip.evaluate("show", strip_data(["[CLS]", "م", "##ر", "[SEP]"], 1))
    left_edges = """label => [0, 2].map((start) => {
        const range = document.createRange();
        range.setStart(label.firstChild, start);
        range.setEnd(label.firstChild, start + 1);
        return range.getBoundingClientRect().left;
    })"""
    before, piece = strip.locator(".label").nth(1), strip.locator(".label").nth(2)
    mark, letter = piece.evaluate(left_edges)
    boxes = before.bounding_box(), piece.bounding_box()
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["x"] > boxes[1]["x"]
    assert mark > letter


def test_a_tap_on_a_token_tells_of_it_until_something_else_is_touched(strip: Page) -> None:
    strip.evaluate("show", strip_data())
    box = strip.locator(".token").nth(2).bounding_box()
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


def test_joins_the_pieces_of_a_word(strip: Page) -> None:
    strip.evaluate("show", strip_data(["[CLS]", "un", "##fair", "[SEP]"], 1))
    expect(strip.locator(".word").nth(1)).to_have_text("un 101##fair 102")
    expect(strip.locator(".badge")).to_have_count(0)
    first, second = (strip.locator(".token").nth(index).bounding_box() for index in (1, 2))
    assert abs(first["x"] + first["width"] - second["x"]) < 1


def test_shows_every_piece_of_a_word_that_is_wider_than_it(strip: Page) -> None:
    pieces = ["dona", "##uda", "##mp", "##ele", "##kt", "##riz", "##itate", "##werk", "##beam", "##schaft"]
    strip.evaluate("show", strip_data(["[CLS]", *pieces, *pieces[1:], *pieces[1:], "[SEP]"], 1))
    width = "list => [list.scrollWidth, list.clientWidth]"
    needed, wide = strip.locator(".tokens").evaluate(width)
    assert needed <= wide
    cut = "labels => labels.filter(label => label.scrollWidth > label.clientWidth).map(label => label.textContent)"
    assert strip.locator(".label").evaluate_all(cut) == []
    assert strip.locator(".word").nth(1).evaluate(width)[0] <= wide


def test_a_card_opens_on_a_click_or_by_keys_and_not_where_the_pointer_rests(strip: Page) -> None:
    strip.evaluate("show", strip_data())
    tip = strip.locator(".tip")
    expect(tip).to_be_hidden()
    strip.locator(".token").nth(2).hover()
    expect(tip).to_be_hidden()
    strip.locator(".token").nth(2).click()
    expect(tip).to_contain_text("flies")
    expect(tip).to_contain_text("token type")
    strip.locator(".token").nth(2).click()
    expect(tip).to_be_hidden()
    strip.locator(".token").first.focus()
    strip.keyboard.press("ArrowRight")
    expect(strip.locator(".token").nth(1)).to_be_focused()
    expect(tip).to_contain_text("time")
    strip.keyboard.press("End")
    expect(strip.locator(".token").nth(12)).to_be_focused()
    strip.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    expect(strip.locator('.token[tabindex="0"]')).to_have_count(1)


def test_drawn_again_is_the_same_strip_but_in_another_element(strip: Page) -> None:
    strip.evaluate("show", strip_data())
    strip.evaluate("document.getElementById('host').shadowRoot.querySelector('.token').mark = true")
    strip.evaluate("show", strip_data())
    assert strip.evaluate("document.getElementById('host').shadowRoot.querySelector('.token').mark")
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
    strip.locator(".token").nth(1).click()
    expect(strip.locator(".tip")).to_be_visible()
    strip.evaluate("cleanup()")
    expect(strip.locator(".tip")).to_be_hidden()


def test_shows_hostile_tokens_as_text(strip: Page) -> None:
    strip.evaluate("show", strip_data(HOSTILE, 1))
    expect(strip.locator(".label").nth(2)).to_have_text("<img src=x onerror=alert(1)>")
    strip.locator(".token").nth(1).click()
    expect(strip.locator(".tip")).to_contain_text("</script><script>alert(1)</script>")
    expect(strip.locator("img")).to_have_count(0)


def test_a_long_strip_says_how_many_tokens_are_below_and_shows_all(strip: Page) -> None:
    strip.evaluate("show", strip_data(["word"] * 512, 1))
    expect(strip.locator(".token")).to_have_count(512)
    box = strip.locator(".tokens").bounding_box()
    assert box["height"] < 130
    rows = strip.locator(".token").evaluate_all(
        "(tokens) => tokens.map((token) => token.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])"
    )
    bottom = box["y"] + box["height"]
    assert [row for row in rows if row[0] < bottom < row[1]] == [], "no row is cut"
    more = strip.locator(".more")
    expect(more).to_have_text(f"{sum(row[0] >= bottom for row in rows)} more tokens: show all")
    more.click()
    expect(more).to_have_text("Show fewer tokens")
    tokens = strip.locator(".tokens")
    assert tokens.evaluate("({ scrollHeight, clientHeight }) => scrollHeight === clientHeight")
    more.click()
    strip.locator(".token").first.focus()
    strip.keyboard.press("End")
    expect(strip.locator(".token").last).to_be_in_viewport()
