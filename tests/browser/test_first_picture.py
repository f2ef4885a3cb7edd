"""The picture in the page's HTML, before Streamlit's code is there, and how the page's own takes its place."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.pages.app_page import TO_START, TWO_FRAMES, App, AppPage
from tests.browser.pages.window import Window
from viz.theme import THEMES, ThemeName

FIRST, OWN = "#first-picture", ".st-key-cell_map_pair"
PAINTED = ".view[data-painted]"
STREAMLITS_CODE = "**/static/js/index.*.js"
FONT = "**/static/media/SourceSansVF-Upright*"
SIZES = [(1440, 900), (1280, 720), (390, 844)]
PIXELS = "canvas => canvas.toDataURL()"
HAS_FONT = "() => [...document.fonts].some(({ family, status }) => /Source Sans/.test(family) && status === 'loaded')"


class HeldBack:
    """A page whose browser waits for Streamlit's code, and for other files, until they are let through."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self._routes: dict[str, list[Route]] = {}
        self.hold_back(STREAMLITS_CODE)

    def hold_back(self, files: str) -> None:
        routes: list[Route] = []
        self._routes[files] = routes

        def hold(route: Route) -> None:
            routes.append(route)

        self.page.route(files, hold)

    def open(self, path: str = "/") -> None:
        self.page.goto(self.url + path, wait_until="commit")

    def let_through(self, files: str) -> None:
        for route in self._routes.pop(files):
            route.continue_()

    def drawn(self) -> AppPage:
        """The page, once it has its own picture."""
        self.let_through(STREAMLITS_CODE)
        expect(self.page.locator(f"{OWN} {PAINTED}")).to_be_visible(timeout=TO_START)
        return AppPage(self.page, self.url).idle(TO_START)

    def box(self, place: str) -> dict[str, float]:
        box = self.page.locator(f"{place} {PAINTED}").bounding_box()
        assert box
        return dict(box)


def window(size: tuple[int, int] = SIZES[0], scheme: ThemeName = "light") -> dict[str, Any]:
    width, height = size
    return {"viewport": {"width": width, "height": height}, "color_scheme": scheme, "reduced_motion": "reduce"}


@pytest.fixture
def held(browser: Window, app: App, request: pytest.FixtureRequest) -> Iterator[HeldBack]:
    """A window of its own, as it keeps a theme and a width; parameters are Chromium's."""
    with browser.new_context(**getattr(request, "param", window())) as context:
        yield HeldBack(context.new_page(), app.url)


@pytest.mark.parametrize("held", [window(size) for size in SIZES], indirect=True)
def test_the_pages_own_picture_comes_where_the_first_one_is(held: HeldBack) -> None:
    held.open()
    expect(held.page.locator(f"{FIRST} {PAINTED}")).to_be_visible()
    expect(held.page.locator(OWN)).to_have_count(0)
    first = held.box(FIRST)
    held.page.wait_for_function(HAS_FONT)
    held.page.evaluate(TWO_FRAMES)  # it is drawn again then
    canvas = held.page.locator(f"{FIRST} canvas").first
    pixels = canvas.evaluate(PIXELS)
    held.drawn()
    expect(held.page.locator(FIRST)).to_have_count(0)
    assert held.box(OWN) == pytest.approx(first, abs=0.5)
    if held.page.viewport_size == {"width": 1440, "height": 900}:  # others differ by a fraction of a pixel
        assert held.page.locator(f"{OWN} canvas").first.evaluate(PIXELS) == pixels


@pytest.mark.parametrize(
    ("held", "kept", "theme"),
    [
        (window(scheme="light"), None, "light"),
        (window(scheme="dark"), None, "dark"),
        (window(scheme="dark"), '"Light"', "light"),
        (window(scheme="light"), '"Dark"', "dark"),
    ],
    indirect=["held"],
)
def test_it_has_the_theme_that_the_page_will_have(held: HeldBack, kept: str | None, theme: ThemeName) -> None:
    if kept:
        held.page.add_init_script(f"localStorage.setItem('stActiveTheme-/-v2', '{kept}')")
    held.open()
    expect(held.page.locator(FIRST)).to_have_attribute("data-theme", theme)
    paper = held.page.locator(f"{FIRST} > div").evaluate("box => getComputedStyle(box).backgroundColor")
    at = held.drawn()
    expect(at.page.get_by_test_id("stApp")).to_have_css("background-color", paper)
    assert "#{:02x}{:02x}{:02x}".format(*map(int, paper[4:-1].split(","))) == THEMES[theme].background.lower()


def test_a_cell_that_is_clicked_before_the_page_is_there_is_chosen_on_the_page(held: HeldBack) -> None:
    held.open()
    over = held.page.locator(f"{FIRST} canvas.over")
    over.hover(position={"x": 300, "y": 300})
    expect(held.page.locator(f"{FIRST} .tip")).to_be_visible()
    over.click(position={"x": 300, "y": 300})
    at = held.drawn()
    at.page.wait_for_function("() => /query=\\d+&key=\\d+/.test(location.search)")
    at.assert_sound()


def test_a_sidebar_of_another_width_moves_it(held: HeldBack) -> None:
    held.page.add_init_script("localStorage.setItem('sidebarWidth', '400')")
    held.open()
    expect(held.page.locator(f"{FIRST} {PAINTED}")).to_be_visible()
    first = held.box(FIRST)
    held.drawn()
    assert held.box(OWN) == pytest.approx(first, abs=0.5)


def test_a_link_waits_for_what_it_names(held: HeldBack) -> None:
    held.open("/?layer=2")
    expect(held.page.locator(FIRST)).to_have_count(0)


def test_it_goes_where_the_page_has_no_picture(held: HeldBack) -> None:
    held.page.route("**/headlight.cell_map/entry.mjs", lambda route: route.abort())
    held.open()
    expect(held.page.locator(f"{FIRST} {PAINTED}")).to_be_visible()
    held.let_through(STREAMLITS_CODE)
    expect(held.page.locator(FIRST)).to_have_count(0, timeout=TO_START)


def test_its_letters_are_drawn_again_in_the_pages_font(held: HeldBack) -> None:
    held.hold_back(FONT)
    held.open()
    expect(held.page.locator(f"{FIRST} {PAINTED}")).to_be_visible()
    canvas = held.page.locator(f"{FIRST} canvas").first
    before = canvas.evaluate(PIXELS)
    held.let_through(FONT)
    held.page.wait_for_function(
        "([canvas, before]) => canvas.toDataURL() !== before", arg=[canvas.element_handle(), before]
    )
