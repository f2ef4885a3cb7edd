"""The app in light and in dark."""

import pytest
from playwright.sync_api import expect

from tests.browser.pages.app_page import AppPage, Open
from viz.theme import THEMES, ThemeName, contrast

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
        (at.page.locator(".keys"), "color"),
        (at.option("From → to", "all"), "color"),
        (at.option("From → to", "A→B"), "color"),
        (at.page.get_by_text("How to read it."), "color"),
    ]
    for locator, text in texts:
        ink, paper = locator.evaluate(COLOURS, [text, page])
        assert contrast(ink, paper) >= 4.5, (locator, ink, paper)
    at.assert_sound()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_page_follows_the_browsers_theme(visit_app: Open, theme: ThemeName) -> None:
    at = visit_app(scheme=theme, mode="pair")
    at.heat_map("L0 H4")
    assert_theme(at, theme)
    at.view("BertViz")
    ink, paper = at.frame.locator("#left text").first.evaluate(COLOURS, ["fill", THEMES[theme].background])
    assert paper == THEMES[theme].background.lower()
    assert contrast(ink, paper) >= 7


def test_theme_is_switched_in_the_menu(open_app: Open) -> None:
    at = open_app(mode="pair")
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
