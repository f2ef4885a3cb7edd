"""A page without a server, as `http.server` serves it: the example at once, and typed texts with Python's numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import encoder
from encoder.atlas.reader import shipped_atlas
from encoder.attribution.explaining import explain
from encoder.measures.similarity import cosines_by_layer, l2_norms
from encoder.measures.units import occurrence_states, unit_states, units_of
from encoder.shipped.probes import word_classes
from tests.browser.pages.site_page import (
    DRAWN,
    MOST,
    MOST_OTHERS,
    expect_answer,
    expect_numbers_of,
    load_the_others,
    open_page,
    serving_site,
    watched_page,
)
from tests.browser.pages.watch import assert_none
from tests.browser.pages.window import Window
from viz.examples import EXAMPLES
from viz.payloads.head_cards import cards
from viz.site.command import main
from viz.state.address import from_query, to_query
from viz.state.selection import DEFAULT, Pins, Place, Texts, WordLens

pytestmark = pytest.mark.usefixtures("operators_read_once")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("site") / "below" / "it"
    assert main(["build", "--out", str(made), "--lessons"]) == 0
    return made


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    """Another one for each test, for which the browser has cached nothing."""
    with serving_site(folder) as address:
        yield address


@pytest.fixture
def site(browser: Window, address: str) -> Iterator[Page]:
    with watched_page(browser, address) as page:
        yield page


def type_texts(page: Page, a: str, b: str) -> str:
    """The name of the run of sentence A, once the page has both."""
    page.get_by_role("textbox", name="Sentence B").fill(b)
    page.get_by_role("textbox", name="Sentence A").fill(a)
    expect_answer(page, 2)
    return "text 2 A"


def choose(page: Page, **values: str) -> None:
    for name, value in values.items():
        page.locator(f"select[name={name}]").select_option(value, force=True)


def test_the_example_shows_before_the_model_is_requested(site: Page) -> None:
    expect(site.get_by_role("heading", level=1)).to_have_text(EXAMPLES[0].question)
    expect(site.locator(".picture .cell_map .view[data-painted$='L0|H4']")).to_have_count(2)
    asked = site.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    assert not [name for name in asked if name.endswith(".packed")]
    card = site.locator(".map .head_card")
    expect(card).to_contain_text("What layer 0, head 4 usually does")
    site.locator(".map .head_map canvas").first.press("ArrowRight")
    atlas = shipped_atlas("bundled")
    assert atlas is not None
    expect(card).to_contain_text(" ".join(cards(atlas)["lines"]["0.5"]))
    site.get_by_role("button", name="Present").click()
    expect(site.locator("form")).to_be_hidden()
    site.keyboard.press("ArrowRight")
    expect(site.locator(".stage .seen")).to_contain_text("layer 0 · head 6")
    site.keyboard.press("Escape")
    expect(site.locator("form")).to_be_visible()


def test_a_typed_text_is_drawn_with_the_numbers_of_python(site: Page) -> None:
    a, b = "the bank raised its rates", "<img src=x onerror=alert(1)> \u202e🙂"
    run = type_texts(site, a, b)
    expect(site.locator(".map .not-loaded")).to_have_text(["1 of 6 layers is loaded. Load the others (21 MB)"] * 2)
    load_the_others(site)
    model = encoder.load("bundled")
    expect_numbers_of(site, run, model.trace(a))
    expect_numbers_of(site, run.replace("A", "B"), model.trace(b))
    expect(site.get_by_role("heading", level=1)).to_have_text(f"{a} / {b}")
    expect(site.locator("h1 bdi")).to_have_text([a, b])
    tags = [tag for text in (a, b) for tag in word_classes(model.trace(text)).likeliest(model.num_layers)]
    expect(site.locator(".strips .tag:not(:empty)")).to_have_text(tags)
    choose(site, tags="0")
    embedded = [tag for text in (a, b) for tag in word_classes(model.trace(text)).likeliest(0)]
    expect(site.locator(".strips .tag:not(:empty)")).to_have_text(embedded)
    for name, view in (("Heat map", "cell_map"), ("Head view", "head_view"), ("Neuron view", "neuron_view")):
        site.get_by_role("button", name=name).click()
        expect(site.locator(f".picture .{view} .view[data-painted$='L0|H4']")).to_have_count(2)
    site.get_by_role("button", name="Model view").click()
    expect(site.locator(".picture .head_map canvas")).not_to_have_count(0)
    site.get_by_role("button", name="Norms").click()
    expect(site.locator(".picture .plot .main-svg").first).to_be_visible()
    for index, text in enumerate((a, b)):
        norms = site.evaluate(DRAWN, [index, "hidden-states"])[0]["z"]
        np.testing.assert_allclose(norms, l2_norms(model.trace(text).hidden_states), rtol=0, atol=10 * MOST)
    site.get_by_role("button", name="Predictions").click()
    prediction = model.trace(a).prediction
    likeliest = prediction.labels[prediction.logits.argmax()]
    expect(site.locator(".run .subheading").first).to_contain_text(f"The model says {likeliest}")
    site.get_by_role("button", name="Why this prediction?").click()
    expect(site.locator(".run .heading").first).to_contain_text(f"“{likeliest}” rather than", timeout=60_000)
    expect(site.locator(".run [data-plot=words]")).to_have_count(2, timeout=60_000)
    expect(site.locator(".run .plot .main-svg").first).to_be_visible()
    removed = [
        re.search("<br>(.+) probability", hover) for hover in site.evaluate(DRAWN, [0, "words"])[0]["hovertemplate"]
    ]
    lost = [float(found[1].replace("\u2212", "-")) for found in removed if found]
    wanted = explain(model, a, "leave-one-out", level="wordpieces").values
    np.testing.assert_allclose(lost, wanted, rtol=0, atol=MOST_OTHERS)
    site.get_by_role("button", name="Word lens").click()
    expect(site.locator(".view-answer")).to_have_text(
        "The word lens needs two sentences that share a word. It reads each sentence alone."
    )


def test_the_word_that_two_texts_share_has_the_numbers_of_python_and_ends_with_them(site: Page) -> None:
    site.get_by_role("button", name="Word lens").click()
    expect(site.locator(".view-answer .subheading")).to_have_text(
        "The model reads “flies” as a verb in A (93 %) and as a noun in B (96 %)."
    )
    site.evaluate(
        "() => document.querySelectorAll('template[data-answer]').forEach((each) => each.dataset.before = '')"
    )
    texts = "the bank raised its rates", "the bank of the river, at this rate"
    type_texts(site, *texts)
    expect(site.locator(".view-answer .main-svg").first).to_be_visible()
    expect(site.locator(".view-answer figcaption").first).to_have_text("“bank” in A")
    expect(site.locator(".view-answer")).to_have_attribute("aria-busy", "false")
    expect(site.locator("template[data-before]")).to_have_count(0)
    model = encoder.load("bundled")
    a, b = (occurrence_states(model.trace(text).hidden_states, [2]) for text in texts)
    curve = site.evaluate(
        "document.querySelector('[data-plot=parting]').parentElement.querySelector('.plot').data.at(-2).y"
    )
    np.testing.assert_allclose(curve, cosines_by_layer(a, b), rtol=0, atol=MOST)
    site.locator(".strips .token", has_text="rates").click()
    expect(site.locator(".view-answer figcaption").nth(1)).to_have_text("“rate” in B")
    expect(site.locator(".strips .token.chosen .label")).to_have_text(["rates", "rate"])
    expect(site).to_have_url(re.compile("at_a=4"))
    site.locator(".strips .token", has_text="raised").click()
    expect(site.locator(".view-answer")).to_contain_text("“raised” is not in sentence B.")


def test_texts_that_were_typed_on_are_not_read_to_the_end_and_an_empty_one_is_refused(site: Page) -> None:
    site.evaluate("""() => {
        window.whole = [];
        window.Worker = class extends Worker {
            constructor(...given) {
                super(...given);
                this.addEventListener("message", ({ data }) => data.what === "map" && window.whole.push(data.number));
            }
        };
    }""")
    type_texts(site, "time flies", "")
    load_the_others(site)
    site.evaluate("""async () => {
        window.whole.length = 0;
        const [field] = document.getElementsByName("a");
        for (const words of [97, 98, 99, 100]) {
            field.value = "flies ".repeat(words);
            field.dispatchEvent(new Event("input", { bubbles: true }));
            await new Promise((done) => setTimeout(done)); // so that it is asked for
        }
    }""")
    expect_answer(site, 6)
    assert site.evaluate("window.whole") == [6]
    site.get_by_role("textbox", name="Sentence A").fill("  ")
    expect(site.get_by_role("status")).to_have_text("Sentence A is empty: type a word.", timeout=60_000)
    site.get_by_role("button", name="Norms").click()
    expect(site.locator(".picture .plot .main-svg").first).to_be_visible()


def test_no_other_view_is_shown_while_words_are_removed(site: Page) -> None:
    type_texts(site, "a good film " * 8, "")
    site.get_by_role("button", name="Norms").click()
    expect(site.locator(".picture [data-plot=cosines]")).to_be_attached()
    site.get_by_role("button", name="Why this prediction?").click()
    expect(site.locator(".picture [data-plot=cosines]")).to_have_count(0, timeout=500)
    expect(site.locator(".picture [data-plot=words]")).to_be_attached(timeout=60_000)


def test_a_pair_in_words_without_special_tokens_has_the_numbers_of_python(site: Page) -> None:
    a, b = "She doesn't own a Ukulele.", "Unbelievably, he sold cafe\u0301s!"
    type_texts(site, a, b)
    load_the_others(site)
    site.get_by_text("Settings").click()
    choose(site, mode="pair")
    expect_answer(site, 3)
    trace = encoder.load("bundled").trace(a, b)
    expect_numbers_of(site, "text 3 pair", trace)
    choose(site, level="words", special="renormalise")
    expect_answer(site, 5)
    expect_numbers_of(site, "text 5 pair", trace, level="words", special="renormalise")
    expect(site.locator(".picture .cell_map .removed")).to_contain_text("The rows are scaled to add up to 1 again.")
    expect(site.locator(".explanation")).to_contain_text("Over both sentences, each row adds up to 1.")
    site.get_by_role("radio", name="B→A").click()
    expect(site.locator(".picture .view[data-painted^='text 5 pair']")).to_have_count(1)


def test_silenced_heads_change_the_run_as_in_python(site: Page) -> None:
    site.get_by_role("button", name="Silence layer 0, head 4").click()
    expect(site.get_by_role("status")).to_contain_text("changes most", timeout=60_000)
    model, silenced = encoder.load("bundled"), [(0, 4)]
    moved = []
    for letter, text in zip("AB", (EXAMPLES[0].a, EXAMPLES[0].b), strict=True):
        trace = model.trace(text, silenced_heads=silenced)
        expect_numbers_of(site, f"text 1 {letter}", trace)
        units = units_of(trace.tokens, level="words", special="hide")
        before, after = (unit_states(run.hidden_states[-1], units) for run in (model.trace(text), trace))
        distances = 1 - cosines_by_layer(before[None], after[None])[0]
        moved.append((units.labels[distances.argmax()], letter, distances.max()))
    said = site.get_by_role("status").inner_text()
    found = re.findall(r"“(\w+)” in (\w) changes most: .*? to the one with all heads is (\d\.\d{3})", said)
    assert [each[:2] for each in found] == [each[:2] for each in moved]
    assert [float(each[2]) for each in found] == pytest.approx([each[2] for each in moved], abs=MOST)
    expect(site.locator("header")).to_contain_text("Switched off in this run: layer 0, head 4.")
    site.get_by_role("button", name="Use all heads").click()
    expect(site.get_by_role("heading", level=1)).to_have_text(EXAMPLES[0].question)


def test_links_of_the_page_and_of_the_app_open_the_same(site: Page) -> None:
    selection = replace(
        DEFAULT,
        texts=Texts(a="time flies & “<b>”", b="100 % + #", mode="pair"),
        view="head view",
        place=Place(layer=3, head=-1, pins=Pins(query=2, key=5, run="A")),
        level="words",
        special="hide",
        word_lens=WordLens(silenced=((0, 4), (2, 1))),
    )
    home = site.url
    site.goto(f"{home}?{urlencode(to_query(selection))}")
    expect_answer(site, 1)
    expect(site.locator(".picture .head_view .view[data-painted$='L3|Hmean']")).to_have_count(1)
    assert site.evaluate("document.querySelector('select[name=level]').value") == "words"
    site.get_by_role("button", name="Copy link").click()
    copied = dict(parse_qsl(urlsplit(site.url).fragment, keep_blank_values=True))
    assert from_query(copied)[0] == selection
    site.goto(f"{home}#{urlencode(to_query(replace(selection, view='anatomy')))}")
    expect(site.get_by_role("status")).to_contain_text("the view “anatomy”, which this page does not have")
    expect(site.locator(".picture .cell_map")).to_have_count(1)


def test_an_example_is_typed_for_the_visitor(site: Page) -> None:
    example = next(each for each in EXAMPLES if each.layer)
    site.get_by_role("combobox", name="Example").select_option(example.title)
    expect(site.get_by_role("heading", level=1)).to_have_text(example.question, timeout=60_000)
    expect(site.locator("header")).to_contain_text(example.answer)
    expect(site.locator(f".picture .view[data-painted$='L{example.layer}|H{example.head}']")).to_have_count(2)
    site.get_by_role("textbox", name="Sentence B").fill("another text")
    expect(site.get_by_role("heading", level=1)).to_have_text(f"{example.a} / another text")
    expect(site.get_by_role("combobox", name="Example")).to_have_value("")


def test_a_text_that_is_cached_is_read_without_a_network(browser: Window, address: str) -> None:
    """On a phone, whose visitor opens a deeper layer by a tap; in a window of its own, as a tab shares the network."""
    size = {"width": 390, "height": 844}
    with browser.new_context(viewport=size, has_touch=True, is_mobile=True, device_scale_factor=3) as window:
        page = window.new_page()
        watch = open_page(page, address)
        expect(page.get_by_role("button", name="Keep for offline use (48 MB)")).to_be_visible()
        type_texts(page, "time flies", "")
        page.get_by_role("button", name="Load the others").tap()
        expect(page.locator(".map .not-loaded")).to_have_count(0, timeout=60_000)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        window.set_offline(True)
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("time flies")  # which the address names
        expect_answer(page, 1)
        expect(page.locator(".picture .cell_map .view[data-painted$='L0|H4']")).to_have_count(1)
        expect(page.locator(".map .not-loaded")).to_have_count(0, timeout=60_000)
        assert_none(watch.end())
        page.get_by_role("textbox", name="Sentence A").fill("time flies unboundedly")
        expect(page.get_by_role("status")).to_contain_text("a part of it cannot be loaded (no network)")
