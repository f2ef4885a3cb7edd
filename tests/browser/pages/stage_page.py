"""The page before an audience, as the tests use it."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import FloatRect, Locator, Page, TimeoutError, expect

from tests.browser.pages.app_page import AppPage

# Notes the height of every text that a canvas writes, in pixels of the window, by its text.
WATCH_TEXTS = """() => {
    if (window.heights) return;
    window.heights = new Map();
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        const size = parseFloat(this.font.match(/([\\d.]+)px/)[1]);
        const { a, b } = this.getTransform();
        window.heights.set(text, size * Math.hypot(a, b) / window.devicePixelRatio);
        return fillText.call(this, text, x, y);
    };
}"""
CHIPS = """(labels) => labels.map((label) => parseFloat(getComputedStyle(label).fontSize) * label.currentCSSZoom)"""
BOXES = """() => Object.fromEntries(Object.entries({
    line: ".line", words: ".st-key-stage_words", strip: ".tokens", picture: ".st-key-workspace",
}).map(([name, selector]) => {
    const within = (node) => node.querySelector(selector)
        ?? [...node.querySelectorAll("*")].map(({ shadowRoot }) => shadowRoot && within(shadowRoot)).find(Boolean);
    const box = within(document)?.getBoundingClientRect();
    return [name, box && [box.left, box.top, box.width, name === "picture" ? 0 : box.height].map(Math.round)];
}))"""


# Resolves when a part has been at the same place for a number of frames: the page is enlarged in several steps.
STILL = """(part) => new Promise((done) => {
    let [last, frames] = ["", 0];
    const look = () => {
        const now = JSON.stringify(part.getBoundingClientRect());
        frames = now === last ? frames + 1 : 0;
        last = now;
        if (frames < 10) requestAnimationFrame(look); else done();
    };
    look();
})"""


# The pictures of the workspace that are not between the upper edge of the window and a tour's words.
CUT = """() => {
    const kinds = ".js-plotly-plot .svg-container, canvas.over, .map canvas, [data-testid=stDataFrame]";
    const within = (node) => [...node.querySelectorAll("*")].flatMap((part) => [
        ...(part.matches(kinds) && part.checkVisibility() ? [part] : []),
        ...(part.shadowRoot ? within(part.shadowRoot) : []),
    ]);
    const edge = (part) => document.querySelector(part).getBoundingClientRect();
    const [above, below] = [edge(".st-key-stage").bottom, edge(".st-key-stage_words").top];
    const boxes = within(document.querySelector(".st-key-workspace")).map((part) => part.getBoundingClientRect());
    const cut = boxes.filter(({ left, top, right, bottom }) =>
        left < 0 || right > innerWidth + 1 || top < above - 1 || bottom > below + 1);
    return boxes.length ? cut.map((box) => JSON.stringify({ ...box.toJSON(), above, below })) : ["no picture"];
}"""


# Pixels of a tour's words that are below their room.
WORDS_BELOW = """() => (({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(
    document.querySelector(".st-key-stage_words"),
)"""


# The texts of the workspace that another text lies over.
OVERLAPS = """() => {
    const texts = [...document.querySelectorAll(
        ".st-key-workspace :is([data-testid=stMarkdownContainer], [data-testid=stCaptionContainer]) > *",
    )]
        .filter((text) => text.checkVisibility() && text.textContent.trim())
        .map((text) => [text.textContent.slice(0, 40), text.getBoundingClientRect()]);
    return texts.flatMap(([text, a], index) => texts.slice(index + 1)
        .filter(([, b]) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4
            && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 4)
        .map(([other]) => [text, other]));
}"""


# What is illegible in the charts and formulas of the workspace. Sizes are in pixels of the smallest window, 720 high.
# Data labels and slanted ticks are not looked at. A window higher than 16:9 has room below.
CROWDED = """() => {
    const [PLOT, TEXT, EMPTY, LARGE] = [120, 13, 60, 200].map((pixels) => pixels * innerHeight / 720);
    const seen = (selector, root = document.querySelector(".st-key-workspace")) =>
        [...root.querySelectorAll(selector)].filter((part) => part.checkVisibility({ visibilityProperty: true }));
    const box = (part) => part.getBoundingClientRect();
    const isCut = (formula) => seen(".base", formula).some((part) => box(part).right > box(formula).right + 1);
    const faults = seen(".katex-display").filter(isCut)
        .map((part) => `cut formula: ${part.textContent.slice(0, 40)}`);
    const plots = seen(".js-plotly-plot:has(.xtick, .ytick)");
    const lowest = Math.min(...plots.map((chart) => box(chart.querySelector(".nsewdrag") ?? chart).height));
    if (lowest < PLOT) faults.push(`a plot of ${Math.round(lowest)} pixels`);
    const parts = seen(".js-plotly-plot, canvas, .stMarkdown, .python-code");
    const spare = Math.max(0, innerHeight - innerWidth * 720 / 1280);
    const ends = Math.max(...parts.map((part) => box(part).bottom)) + spare;
    const empty = box(document.querySelector(".st-key-stage_words")).top - ends;
    if (lowest < LARGE && empty > EMPTY) faults.push(`${Math.round(empty)} empty pixels below a low plot`);
    for (const chart of plots) {
        const frame = box(chart.closest(".stElementContainer"));
        const texts = seen("text:not(.bartext, .textpoint text, .hoverlayer text)", chart)
            .filter((text) => text.textContent.trim() && box(text).height)
            .map((text) => ({ text, says: text.textContent, ...box(text).toJSON() }));
        for (const { says, left, right } of texts) {
            if (left < frame.left - 3 || right > frame.right + 3) faults.push(`cut: ${says}`);
        }
        const level = texts.filter(({ text }) => !/rotate\\(-?[1-9]/.test(text.getAttribute("transform") ?? ""));
        for (const [index, a] of level.entries()) {
            if (a.height < TEXT) faults.push(`${Math.round(a.height)} pixels: ${a.says}`);
            for (const b of level.slice(index + 1)) {
                const [wide, high] = [["left", "right"], ["top", "bottom"]]
                    .map(([from, to]) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]));
                if (wide > 1 && high > 0.4 * Math.min(a.height, b.height)) faults.push(`${a.says} over ${b.says}`);
            }
        }
    }
    return faults;
}"""


class StagePage:
    """A page that is shown to an audience, and its keys."""

    def __init__(self, at: AppPage) -> None:
        self.at = at
        self.page: Page = at.page

    @property
    def line(self) -> Locator:
        """What is said of the picture."""
        return self.page.locator(".line .seen")

    @property
    def words(self) -> Locator:
        """What a tour says."""
        return self.page.locator(".st-key-stage_words")

    @property
    def shown_pictures(self) -> Locator:
        """The pictures of the view, without those that are hidden until the answer."""
        pictures = self.page.locator(".st-key-workspace :is(canvas.over, .js-plotly-plot .svg-container)")
        return pictures.filter(visible=True)

    @property
    def sentences(self) -> Locator:
        """What the view says of its pictures."""
        return self.page.locator(".st-key-workspace [data-testid=stMarkdownContainer]")

    def box_of(self, part: Locator) -> FloatRect:
        """Where a part of the page is, once it stands still."""
        part.evaluate(STILL)
        box = part.bounding_box()
        assert box
        return box

    @property
    def cards(self) -> Locator:
        """The hover cards that are open: of our own views, and of Plotly's figures."""
        return self.page.locator(".tip:popover-open, .hoverlayer .hovertext")

    def assert_no_card(self) -> None:
        """No hover card is open once the picture stands still."""
        self.at.picture().evaluate(STILL)
        expect(self.cards).to_have_count(0)

    def press(self, *keys: str) -> StagePage:
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def begin(self) -> StagePage:
        self.press("p")
        return self.wait_until_begun()

    def wait_until_begun(self) -> StagePage:
        expect(self.line).to_be_visible()
        expect(self.page.locator(".st-key-opening")).to_be_hidden()
        self.at.idle()
        return self

    def smallest_token(self, view: str, tokens: list[str], painted: str, key: str) -> float:
        """Height of the smallest token text on the page, once a key has made the picture show a head."""
        self.page.evaluate(WATCH_TEXTS)
        self.press(key)
        self.at.painted(view, painted)
        self.page.wait_for_function("(tokens) => tokens.every((token) => heights.has(token))", arg=tokens)
        heights: dict[str, float] = dict(self.page.evaluate("() => [...window.heights]"))
        chips: list[float] = self.page.locator(".token .label").evaluate_all(CHIPS)
        return min(chips + [heights[token] for token in tokens])

    def assert_figure_fits_and_tells(self, name: str) -> None:
        """The first Plotly figure is as large as its place, and tells of the column over whose tick the pointer is."""
        figure = self.page.locator(".js-plotly-plot").first
        tick = self.box_of(figure.locator(".xtick text").nth(2))
        cells = self.box_of(figure.locator(".nsewdrag").first)
        self.page.mouse.move(tick["x"] + tick["width"] / 2, cells["y"] + 20)  # a tour's words cover the lower part
        expect(figure.locator(".hoverlayer")).to_contain_text(name)
        drawn = self.box_of(self.page.locator(".main-svg").first)
        place = self.box_of(self.page.locator(".stElementContainer:has(.main-svg)").first)
        for side in ("width", "height"):
            assert 0.97 * place[side] <= drawn[side] <= place[side] + 2, "a figure fills its place and is not cut off"

    def assert_first_figure_is_seen(self) -> None:
        """All of the first Plotly figure is between the upper edge of the page and the words of the tour."""
        drawn, words = self.box_of(self.page.locator(".main-svg").first), self.box_of(self.words)
        assert drawn["y"] >= 0
        assert drawn["y"] + drawn["height"] <= words["y"]

    def wait_until_still(self) -> None:
        """Wait until the picture stands still in a window of another size."""
        self.at.picture().evaluate(STILL)

    def assert_pictures_are_whole(self) -> None:
        """All pictures are in view as a whole."""
        try:
            self.page.wait_for_function(f"({CUT})().length === 0", timeout=10_000)  # a job may be drawing its picture
        except TimeoutError:
            assert self.page.evaluate(CUT) == []
            raise

    def assert_charts_are_legible(self) -> None:
        """No chart is low or crowded, and no formula is cut."""
        try:
            self.page.wait_for_function(f"({CROWDED})().length === 0", timeout=5_000)  # a formula may be being fitted
        except TimeoutError:
            faults = self.page.evaluate(CROWDED)
            assert faults == [], faults
            raise

    def assert_words_are_whole(self) -> None:
        """All that a tour says is in view."""
        expect(self.words).to_be_in_viewport(ratio=1)
        try:
            self.page.wait_for_function(f"({WORDS_BELOW})() <= 0", timeout=10_000)
        except TimeoutError:
            assert self.page.evaluate(WORDS_BELOW) <= 0, self.words.inner_text()
            raise

    def boxes(self) -> dict[str, Any]:
        """Where the parts of the stage are; of the picture its upper edge and its width."""
        boxes: dict[str, Any] = self.page.evaluate(BOXES)
        return boxes

    def assert_fits(self) -> None:
        """Nothing is wider or higher than the window."""
        self.at.assert_fits()
        self.page.wait_for_function(
            "() => { const main = document.querySelector('[data-testid=stMain]');"
            " return main.scrollHeight <= main.clientHeight; }"
        )
