"""The app on a projector, on a phone, and at 200 %: what fits, what comes first, and what fingers can reach."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.pages.app_page import PHONE, TWO_FRAMES, VIEWS, App, AppPage, Open
from tests.browser.pages.window import Window

PROJECTOR, ENLARGED = (1280, 720), (640, 360)  # the second is the first at 200 %
FINGER = 40  # pixels
MAP_MARGIN, MAP_COLUMNS = 28, 13  # pixels beside the tiles; heads and their mean
COLOUR_BAR = 29  # pixels from the top of a heat map's canvas
NAMED = 18  # pixels of a tile whose layer and head are named

# Markup, links, formulas, scripts that are written from the right, and controls, around a word of both texts.
HOSTILE = {
    "A": "</script><script>alert(1)</script> flies 🙂 e\u0301 \u202eשלום ﷽",
    "B": "<img src=x onerror=alert(1)> flies $x^2$ **b** [l](http://192.0.2.1/) %{x} \x00 \x1b[31m \u200b [MASK] =1+1",
}

# Everything within a node, our own views' parts included.
PARTS = """const parts = (node) => [...node.querySelectorAll("*")].flatMap((part) =>
    [part, ...(part.shadowRoot ? parts(part.shadowRoot) : [])]);
"""
# What can be clicked in the main column and is smaller than a finger; tables and the tool bars of figures, which show
# for a mouse only, are Streamlit's and Plotly's own.
TOO_SMALL = (
    f"(least) => {{ {PARTS}"
    + """
    const foreign = "[data-testid=stDataFrame], [data-testid=stElementToolbar], .modebar";
    return parts(document.querySelector("[data-testid=stMain]"))
        .filter((part) => part.matches("button, summary, select, [role=radio], [role=option], [role=tab]"))
        .filter((part) => part.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
        .filter((part) => !part.closest(foreign))
        .filter((part) => {
            const { width, height } = part.getBoundingClientRect();
            return width && (width < least || height < least);
        })
        .map((part) => `${part.outerHTML.slice(0, 120)} ${JSON.stringify(part.getBoundingClientRect())}`);
}"""
)
# Choices and controls of the main column that go on in a second line, or beyond their edge.
CUT_OR_WRAPPED = (
    f"() => {{ {PARTS}"
    + """
    const rows = parts(document.querySelector("[data-testid=stMain]"))
        .filter((part) => part.matches(".tokens, .chips, .st-key-decoder_choices [role=radiogroup]"));
    return rows.filter((row) => {
        const items = parts(row).filter((part) => part.matches("[role=radio], .token, .tool"));
        const tops = new Set(items.map((item) => Math.round(item.getBoundingClientRect().top)));
        const right = row.getBoundingClientRect().right + 1;
        return tops.size > 1 || items.some((item) => item.getBoundingClientRect().right > right)
            || row.scrollWidth > row.clientWidth + 1;
    }).map((row) => row.outerHTML.slice(0, 120));
}"""
)

# Controls of the page's first rows whose text is cut, or of which a part lies under something else.
CUT_OR_COVERED = """() => {
    const rows = ".st-key-bar button, .st-key-views button, .st-key-inputs :is(button, input, textarea), .stMainMenu";
    const isCut = (part) => part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX !== "visible";
    const isCovered = (part, x, y) => {
        const top = document.elementFromPoint(x, y);
        return !top || !(part.contains(top) || top.contains(part));
    };
    return [...document.querySelectorAll(rows)].filter((part) => part.checkVisibility() && part.clientWidth)
        .filter((part) => {
            const { left, right, top, bottom } = part.getBoundingClientRect();
            const corners = [left + 3, right - 3].flatMap((x) => [top + 8, bottom - 8].map((y) => [x, y]));
            return [part, ...part.querySelectorAll("*")].some((one) => one.clientWidth > 1 && isCut(one))
                || corners.some(([x, y]) => isCovered(part, x, y));
        }).map((part) => `${part.textContent} ${part.value} ${part.outerHTML.slice(0, 200)}`);
}"""

# Texts of a figure that lie under its tool bar.
COVERED = """(chart) => {
    const bar = chart.querySelector(".modebar-group").getBoundingClientRect();
    return [...chart.querySelectorAll("svg text")].filter((text) => {
        const { left, right, top, bottom } = text.getBoundingClientRect();
        return left < bar.right && right > bar.left && top < bar.bottom && bottom > bar.top;
    }).map((text) => text.textContent);
}"""

# Whether a figure is as high as its place.
IS_WHOLE = """(figure) => {
    const part = document.querySelector(figure), drawn = part?.querySelector(".main-svg")?.getBoundingClientRect();
    return drawn && drawn.height <= Math.min(part.clientHeight, part.parentElement.clientHeight) + 1;
}"""


@pytest.fixture(scope="module")
def phone(browser: Window, app: App) -> Iterator[AppPage]:
    """A page on a phone, which the tests send from view to view."""
    at = AppPage(browser.new_page(viewport=PHONE, reduced_motion="reduce"), app.url)
    yield at.open()
    at.page.close()


@pytest.fixture
def on_phone(phone: AppPage) -> AppPage:
    return phone.front()


def box(part: Locator) -> dict[str, float]:
    found = part.bounding_box()
    assert found
    return {**found, "bottom": found["y"] + found["height"]}


def picture(at: AppPage) -> Locator:
    return at.page.locator(":is(.st-key-cell_map_pair, .st-key-head_view_pair) canvas").first


@pytest.mark.parametrize("view", ["heat map", "head view", "decoder"])
def test_on_a_projector_nothing_wraps_and_the_picture_and_its_controls_fit(visit_app: Open, view: str) -> None:
    at = visit_app(view=view, size=PROJECTOR)
    expect(at.picture()).to_be_visible()
    assert at.page.evaluate(CUT_OR_WRAPPED) == []
    at.assert_sound()
    if view == "decoder":
        return
    at.painted(".view[data-painted]", "L0|H4")
    assert box(picture(at))["bottom"] <= PROJECTOR[1]
    assert box(at.page.locator(".st-key-map_pair, .st-key-sentences").last)["bottom"] <= PROJECTOR[1]
    tiles = (box(at.page.locator(".st-key-map_pair canvas").first)["width"] - MAP_MARGIN) / MAP_COLUMNS
    assert tiles >= NAMED  # every layer and head is named


@pytest.fixture(scope="module")
def hostile(phone: AppPage) -> AppPage:
    """The page on a phone after hostile texts were typed."""
    for letter, text in HOSTILE.items():
        phone.text(letter).fill(text)
    phone.text("B").press("Control+Enter")
    expect(phone.strip.locator(".label").nth(1)).not_to_have_text("time")
    return phone.idle()


# What takes longest comes last, as it goes on beside the views after it.
@pytest.mark.parametrize("view", sorted(VIEWS, key="Similar because".__eq__))
def test_on_a_phone_every_view_fits_and_shows_hostile_texts_as_texts(hostile: AppPage, view: str) -> None:
    at = hostile.view(view)
    expect(at.picture().or_(at.page.get_by_text(re.compile("Pairs of words"))).first).to_be_visible()
    at.assert_sound()  # nothing is wider than the page
    assert at.page.evaluate(TOO_SMALL, FINGER) == []
    expect(at.page.locator("[data-testid=stMain] img, [data-testid=stMain] a[href*='192.0.2.1']")).to_have_count(0)
    if view != "Decoder":  # which has a text of its own
        assert {letter: at.text(letter).input_value() for letter in HOSTILE} == HOSTILE


def test_a_narrow_page_shows_the_picture_before_its_controls(on_phone: AppPage) -> None:
    at = on_phone.go(mode="pair")
    at.heat_map("L0 H4")
    for width, height in (ENLARGED, (PHONE["width"], PHONE["height"])):
        at.page.set_viewport_size({"width": width, "height": height})
        at.assert_sound()
        at.page.evaluate(TWO_FRAMES)
        shown, controls = box(picture(at)), box(at.page.locator(".st-key-map_pair"))
        assert shown["y"] < PHONE["height"]
        assert shown["bottom"] <= controls["y"]
        assert shown["width"] > 0.9 * (width - 32)
        assert len({round(box(chip)["y"]) for chip in at.strip.locator(".token").all()}) == 1
        tokens = at.strip.locator(".tokens")
        assert tokens.evaluate("({ scrollWidth, clientWidth }) => scrollWidth > clientWidth")
        at.strip.locator(".token").last.scroll_into_view_if_needed()
        expect(at.strip.locator(".token").last).to_be_in_viewport(ratio=0.95)


def test_the_controls_of_a_heat_map_do_not_cover_its_colour_bar(visit_app: Open) -> None:
    at = visit_app(size=(1100, 450), mode="separate")
    at.painted(".view:has(.stage)", "L0|H4")
    for width in (1100, 720, 640, 390):
        at.page.set_viewport_size({"width": width, "height": 450})
        at.assert_sound()
        at.page.evaluate(TWO_FRAMES)
        for stage in at.page.locator(".view .stage").all():
            canvas, controls = box(stage.locator("canvas.over")), box(stage.locator(".bar"))
            assert controls["bottom"] <= canvas["y"] + COLOUR_BAR, width


def test_at_every_width_the_top_of_the_page_is_readable_and_nothing_lies_over_it(visit_app: Open) -> None:
    at = visit_app(size=(1440, 900), view="models")
    for width in (1440, 1280, 1024, 960, 768, 720, 640, 600, 390):
        at.page.set_viewport_size({"width": width, "height": 800})
        at.page.evaluate(TWO_FRAMES)
        assert at.page.evaluate(CUT_OR_COVERED) == [], width
        at.assert_sound()


def test_on_a_phone_the_anatomys_matrices_scroll_and_are_not_squeezed(on_phone: AppPage) -> None:
    at = on_phone.go(view="anatomy", walk="scores")
    chart = at.page.locator("[class*=st-key-anatomy_scores]").first
    expect(chart.locator(".stPlotlyChart .main-svg").first).to_be_visible()
    cells = chart.locator(".heatmaplayer image").first
    assert box(cells)["width"] / 13 >= FINGER
    assert chart.evaluate("({ scrollWidth, clientWidth }) => scrollWidth > clientWidth")
    at.assert_sound()


@pytest.mark.parametrize(
    ("view", "charts"),
    [
        ("why here", ["why_here_score-proof_pair"]),
        ("compare", ["compare_attention-difference", "compare_aligned-words"]),
        ("why", ["why_words", "why_removals"]),
    ],
)
def test_on_a_phone_a_figures_tool_bar_covers_none_of_its_texts(
    on_phone: AppPage, view: str, charts: list[str]
) -> None:
    at = on_phone.go(view=view, query="2", key="1")
    for chart in charts:
        drawn = at.page.locator(f".st-key-{chart}")
        expect(drawn.locator(".main-svg text").first).to_be_visible()
        drawn.scroll_into_view_if_needed()
        drawn.hover()  # as a tap does, it brings the tool bar
        expect(drawn.locator(".modebar")).to_have_css("opacity", "1")
        assert drawn.evaluate(COVERED) == []
        at.page.wait_for_function(IS_WHOLE, arg=f".st-key-{chart}")
    at.assert_sound()


def test_on_a_phone_a_tables_tool_bar_has_a_line_of_its_own(on_phone: AppPage) -> None:
    at = on_phone.go(view="data")
    table = at.page.locator(".stDataFrame")
    table.hover()
    tools, title = table.get_by_test_id("stElementToolbar"), at.page.get_by_role("heading", name="Attention weights")
    expect(tools).to_have_css("opacity", "1")
    assert box(title)["bottom"] <= box(tools)["y"]
    assert box(tools)["bottom"] <= box(table)["y"]


def test_on_a_phone_the_words_of_a_prediction_do_not_overlap(on_phone: AppPage) -> None:
    at = on_phone.go(view="why")
    words = re.compile("^(the|film|was|not|good)$")
    drawn = at.page.locator(".st-key-why_words .main-svg text", has_text=words)
    expect(drawn.first).to_be_visible()
    places = [box(word) for word in drawn.all()]
    line = [place for place in places if place["y"] == places[0]["y"]]
    assert all(left["x"] + left["width"] + 8 < right["x"] for left, right in pairwise(line))


def test_on_a_phone_all_of_bertvizs_heads_can_be_reached(on_phone: AppPage) -> None:
    boxes = on_phone.go(view="bertviz", mode="pair").frame.get_by_role("checkbox")
    boxes.last.scroll_into_view_if_needed()
    expect(boxes.last).to_be_in_viewport(ratio=0.9)
