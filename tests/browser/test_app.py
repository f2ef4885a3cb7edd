"""The whole app in Chromium. On every page the fixture also refuses dialogs, errors and requests elsewhere."""

import re

from numpy.testing import assert_allclose
from playwright.sync_api import Page, Route, expect

from tests.browser.pages.app_page import TO_START, App, AppPage, Open
from tests.browser.pages.offline import PAIR
from tests.browser.pages.window import Window
from viz.theme import THEMES

ONE = PAIR[:7]  # sentence A alone
ROW_ERROR = 1e-4  # of a row's sum: weights reach the browser in 16 bits

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


def test_the_watch_notices_trouble(browser: Window, app: App) -> None:
    at = AppPage(browser.new_page(), app.url)
    at.page.set_content(f"<img src=http://192.0.2.1/x.png><img src={app.url}/favicon.png><script>alert(1)</script>")
    at.page.evaluate("setTimeout(() => { throw new Error('late'); })")
    at.page.evaluate("console.error('bad')")
    at.page.close()
    assert {"request: http://192.0.2.1/x.png", "dialog: 1", "error: late", "bad"} <= set(at.trouble)
    assert not any(app.url in trouble for trouble in at.trouble)


# --- what a newcomer sees ---


def test_code_that_comes_late_moves_nothing(browser: Window, app: App) -> None:
    late: list[Route] = []
    places = """[...document.querySelectorAll("button, .js-plotly-plot")]
        .filter((part) => part.matches(":not(button)") || part.textContent.includes("Present"))
        .map((part) => part.getBoundingClientRect().top)"""
    with browser.tab(viewport={"width": 1440, "height": 900}) as page:
        page.route("**/views.js*", lambda route: late.append(route))  # noqa: PLW0108 (Playwright marks what it is given)
        page.goto(f"{app.url}/?view=norms", wait_until="commit")
        expect(page.get_by_role("button", name="Present")).to_be_visible(timeout=TO_START)
        expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=TO_START)
        at = AppPage(page, app.url)
        page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
        before = page.evaluate(places)
        for route in late:
            route.continue_()
        at.idle()
        assert page.evaluate(places) == before
        page.unroute_all()
        at.watch.end()


def test_first_page_shows_real_attention(open_app: Open, app: App) -> None:
    at = open_app()
    assert at.selection == {}
    assert at.page.title() == "Headlight"
    expect(at.strip.locator(".label")).to_have_text([*ONE, "[CLS]", *PAIR[7:]])
    expect(at.strip.first.locator(".tag")).to_have_text(["", "NOUN", "VERB", "ADP", "DET", "NOUN", ""])
    expect(at.strip.locator(".badge")).to_have_text(["A", "B"])
    expect(at.strip.last.locator(".word").nth(1)).to_have_text(re.compile("^Bfruit NOUN"))
    shown = at.heat_map("L0 H4")
    assert shown.labels == ONE
    assert [len(row) for row in shown.values] == [7] * 7
    assert_allclose([sum(row) for row in shown.values], 1, atol=ROW_ERROR)
    assert shown.values[2][1] > 0.75  # "flies" looks at "time"
    assert app.asked == []
    at.assert_sound()


# --- numbers, files ---


def test_a_selected_cell_reaches_the_address_and_another_view(visit_app: Open) -> None:
    at = visit_app(mode="pair")
    at.layer(3).head(7).heat_map("L3 H7")
    at.cells.click()
    at.page.wait_for_url(re.compile("query=.*key=|key=.*query="))
    query, key = (int(at.idle().selection[name]) for name in ("query", "key"))
    at.view("Neuron view").painted(".neuron", "L3|H7")
    expect(at.page.locator(".numbers")).to_contain_text(f"{PAIR[query]} → {PAIR[key]}")
    at.view("Heat map").heat_map("L3 H7")
    at.cells.press("Escape")  # closes the card
    at.cells.press("Escape")
    at.selected(query=None, key=None)
    at.cells.press("ArrowDown")
    at.cells.press("Enter")
    at.selected(query="0", key="0")
    at.assert_sound()


def test_the_theme_is_switched_in_the_menu(open_app: Open) -> None:
    at = open_app(mode="pair")
    at.heat_map("L0 H4")
    for theme in (THEMES["dark"], THEMES["light"]):
        at.page.get_by_test_id("stMainMenuButton").click()
        at.page.get_by_test_id(f"stMainMenuItem-theme-{theme.name.title()}").click()
        at.page.keyboard.press("Escape")
        background, ink = (
            [int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in (theme.background, theme.sequential[-1][1])
        )
        rgb = f"rgb({', '.join(map(str, background))})"
        expect(at.page.get_by_test_id("stApp")).to_have_css("background-color", rgb)
        at.page.wait_for_function(STRONGEST, arg=ink)
        at.assert_sound()


# --- what stays where it is ---


def test_a_long_text_leaves_its_picture_on_the_screen(visit_app: Open) -> None:
    at = visit_app(mode="pair")
    at.text("A").fill("two pages of a book " * 200)
    at.text("A").press("Control+Enter")
    expect(at.page.get_by_text("Sentence A is too long")).to_be_visible()
    at.idle()
    for picture in (".stage canvas.over", ".head-view .pane"):
        box = at.page.locator(picture).bounding_box()
        seen = min(box["y"] + box["height"], 900) - box["y"]
        assert seen >= 480
        assert seen >= 0.75 * box["height"]
        at.view("Head view")


def place(page: Page, selector: str) -> tuple[int, int]:
    box = page.locator(selector).first.bounding_box()
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
    at.view("BertViz").head(3)
    before = place(at.page, "[data-testid=stIFrame]")
    at.layer(1).head(9)
    expect(at.frame.get_by_role("checkbox", checked=True)).to_have_attribute("aria-label", "Head 9")
    assert place(at.page, "[data-testid=stIFrame]") == before
