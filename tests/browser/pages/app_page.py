"""Headlight in a browser, as the tests use it: what a person clicks and reads, and a watch on what nobody may see."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from playwright.sync_api import FrameLocator, Locator, Page, TimeoutError, ViewportSize, expect

from tests.browser.pages.server import Server
from tests.browser.pages.watch import TroubleError, Watch, assert_none

GROUPS = {
    "look": ("Tokens", "Heat map", "Head view", "Model view", "Neuron view", "Models side by side"),
    "ask": ("Word lens", "Predictions", "Why this prediction?", "Why here?", "Similar because", "Compare"),
    "learn": ("Anatomy", "Decoder", "Norms"),
}
EXPORTS = {"BertViz": "Open in BertViz", "Data": "The raw numbers (Data)"}  # in the menu of exports
VIEWS = (*(view for views in GROUPS.values() for view in views), *EXPORTS)
SETTINGS = ("Read the sentences", "Show the text as", "[CLS] and [SEP]")  # choices in the popover
IN_ADDRESS = {
    "Heat map": None,
    "Models side by side": "models",
    "Why this prediction?": "why",
    "Why here?": "why here",
}  # others: in small letters
A, B = "time flies like an arrow", "fruit flies like a banana"  # what the page shows at first
WAIT = 30_000  # milliseconds; only a failing test waits so long, also on a busy machine
TO_START = 90_000  # the first page waits for torch and transformers
expect.set_options(timeout=WAIT)
SMALL: ViewportSize = {"width": 1440, "height": 900}
LARGE: ViewportSize = {"width": 1920, "height": 1080}
PHONE: ViewportSize = {"width": 390, "height": 844}

# The first heat map on the page once it has painted a head, and not the message `before`: its tokens and the weights
# that it was sent, out of the store that all views share.
HEAT_MAP = """([painted, before, words]) => {
    const within = (node) => node.querySelector(".view[data-painted] > .stage")?.parentElement
        ?? [...node.querySelectorAll("*")].map(({ shadowRoot }) => shadowRoot && within(shadowRoot)).find(Boolean);
    const [id, layer, head] = within(document)?.dataset.painted.split("|") ?? [];
    if (!id || id === before || `${layer} ${head}` !== painted) return null;
    const { tensors: { weights: { shape: [heads, count], values } }, extras } =
        window[Symbol.for("headlight.store")].messages.get(id).message;
    if (words && words.some((word, at) => extras.labels[at + 1] !== word)) return null;
    const [first, last] = head === "Hmean" ? [0, heads] : [Number(head.slice(1)), Number(head.slice(1)) + 1];
    const weight = (query, key) => {
        let sum = 0;
        for (let at = first; at < last; at++) sum += (values[(at * count + query) * count + key] / 65535) ** 2;
        return sum / (last - first);
    };
    const all = extras.labels.map((_, at) => at);
    return { id, labels: extras.labels, values: all.map((query) => all.map((key) => weight(query, key))) };
}"""
# Where a cell of a chart is once it stays there for ten frames: a fold that opens moves it, and a chart may be rendered
# again after the script has run.
CELL = """async ([key, row, column]) => {
    const place = () => {
        const graph = document.querySelector(`.st-key-${key} .js-plotly-plot`);
        graph.scrollIntoView({ block: "center" });
        const box = graph.getBoundingClientRect(), layout = graph._fullLayout;
        const at = (axis, value) => axis._offset + axis.d2p(value);
        return [box.x + at(layout.xaxis, column), box.y + at(layout.yaxis, row)];
    };
    let found = place();
    for (let still = 0; still < 10; ) {
        await new Promise(requestAnimationFrame);
        const now = place();
        still = now.every((value, axis) => value === found[axis]) ? still + 1 : 0;
        found = now;
    }
    return found;
}"""
# The page's own scroller and Streamlit's, which is another; what is cut off is as bad as what scrolls.
TOO_WIDE = """() => {
    const main = document.querySelector('[data-testid=stMain]');
    const edge = main.getBoundingClientRect().left + main.clientWidth + 1;
    const ours = [...main.querySelectorAll('*')].flatMap(({ shadowRoot }) =>
        shadowRoot ? [...shadowRoot.querySelectorAll('canvas:not(.frame *), .strip')] : []);
    const others = main.querySelectorAll('.js-plotly-plot .main-svg, iframe, [data-testid=stDataFrame]');
    const pictures = [...others, ...ours];
    const scrolling = [document.scrollingElement, main].filter((box) => box.scrollWidth > box.clientWidth);
    const scrolls = (box) => getComputedStyle(box.closest('.stElementContainer') ?? box).overflowX === 'auto';
    const isCut = (box) => box.checkVisibility() && box.getBoundingClientRect().right > edge && !scrolls(box);
    return [...scrolling, ...pictures.filter(isCut)].map((box) => box.outerHTML.slice(0, 80));
}"""
# Goes to an address within the page, as the browser's way back does.
GO_TO = """(address) => {
    history.pushState(null, "", address);
    dispatchEvent(new PopStateEvent("popstate", { state: null }));
}"""
TWO_FRAMES = "new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))"
# What a person leaves on a page beside the address: the caret, and how far it was scrolled.
LET_GO = """() => {
    document.activeElement.blur();
    document.querySelector("[data-testid=stMain]").scrollTo(0, 0);
}"""


# Whether the server has read all that was chosen.
READ = """() => [...window[Symbol.for("headlight.selections")].values()].every(({ unread }) => unread === null)"""


@dataclass
class App:
    """The running app, and what it asked of the world, which is this machine's recorder."""

    server: Server
    asked: list[str]

    @property
    def url(self) -> str:
        return self.server.url

    def tracebacks(self) -> int:
        return self.server.log.read_text(encoding="utf-8").count("Traceback")

    def assert_no_new_tracebacks(self, tracebacks: int) -> None:
        """Fail where the log has other than this many tracebacks."""
        if self.tracebacks() != tracebacks:
            raise TroubleError(self.server.log.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class HeatMap:
    """What the heat map drew; `id` is that of the layer's message."""

    id: str
    labels: list[str]
    values: list[list[float]]


class AppPage:
    """A page of the app. `trouble` is what must not happen: requests elsewhere, dialogs, errors."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.watch = Watch(page, url)
        page.set_default_timeout(WAIT)

    @property
    def trouble(self) -> list[str]:
        return self.watch.trouble

    # --- going places ---

    def front(self) -> AppPage:
        """Show this tab: behind another one it would draw a frame a second."""
        self.page.bring_to_front()
        return self

    def open(self, **selection: str) -> AppPage:
        self.page.goto(f"{self.url}/?{urlencode(selection)}" if selection else self.url)
        expect(self.views).to_be_visible(timeout=TO_START)
        self.idle(TO_START)
        # While models are loading, a line at the end of the page asks for a run every half second.
        expect(self.page.locator(".st-key-loading", has_text="Loading")).to_have_count(0, timeout=TO_START)
        return self.idle()

    def go(self, **selection: str) -> AppPage:
        """Open a link without loading the page: its session goes on, with what it and the tab keep."""
        self.let_go()
        self._settled()  # a run that began before would write its own address over this one
        self.page.evaluate(GO_TO, f"/?{urlencode(selection | {'visit': ''})}")
        self.selected(visit=None)  # the app has read the address: it removes names that it does not know
        return self._settled()

    def let_go(self) -> None:
        """Leave the page, once the server has what was typed and chosen: none of it goes into the next test."""
        self.page.evaluate(LET_GO)
        self.page.wait_for_function(READ)

    def _settled(self) -> AppPage:
        """Wait until the page knows that the script runs, and then has painted what the script sent."""
        for _ in range(2):
            self.page.evaluate(TWO_FRAMES)
            self.idle()
        return self

    def idle(self, timeout: float = WAIT) -> AppPage:
        """Wait until the script has run. Not enough by itself after a click, which takes a moment to start it."""
        self.page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]', timeout=timeout)
        self.page.wait_for_selector(".view:not([data-mounted])", state="detached")  # their code may still be loading
        return self

    @property
    def selection(self) -> dict[str, str]:
        """The parameters of the address."""
        return dict(parse_qsl(urlsplit(self.page.url).query, keep_blank_values=True))

    def selected(self, **wanted: str | None) -> AppPage:
        """Wait until the address has these parameters (None: does not have it) and the page is drawn."""

        def has(address: str) -> bool:
            now = dict(parse_qsl(urlsplit(address).query, keep_blank_values=True))
            return all(now.get(name) == value for name, value in wanted.items())

        try:
            self.page.wait_for_url(has)
        except TimeoutError as error:
            said = [text for text in self.page.get_by_role("status").all_inner_texts() if text]
            said += [shown.get_attribute("aria-label") or "" for shown in self.page.locator(".map canvas").all()]
            text = f"The address is {self.page.url}, and the page says {said}. Trouble: {self.trouble}"
            raise AssertionError(text) from error
        return self.idle()

    # --- widgets ---

    def choice(self, group: str) -> Locator:
        """The options of a segmented control."""
        return self.page.get_by_role("radiogroup", name=group, exact=True).get_by_role("radio")

    def option(self, group: str, name: str) -> Locator:
        if group in SETTINGS:
            self.open_settings()
        return self.page.get_by_role("radiogroup", name=group, exact=True).get_by_role("radio", name=name, exact=True)

    def choose(self, group: str, name: str, **wanted: str | None) -> AppPage:
        self.option(group, name).click()
        self.selected(**wanted)
        expect(self.option(group, name)).to_be_checked()
        return self

    def layer(self, layer: int) -> AppPage:
        """Choose a layer on the map, and wait until the address has it."""
        self.type_on_map(f"L{layer}")
        return self.selected(layer=str(layer) if layer != 0 else None)

    def head(self, head: int | str) -> AppPage:
        """Choose a head on the map, or the "mean", and wait until the address has it."""
        self.type_on_map("M" if head == "mean" else f"H{head}")
        return self.selected(head=str(head) if head != 4 else None)

    @property
    def map(self) -> Locator:
        """The small map of all heads, the first of them where there are two."""
        return self.page.locator(".map canvas").first

    def type_on_map(self, keys: str) -> None:
        self.map.focus()
        for key in keys:
            self.page.keyboard.press(key)

    def assert_chosen(self, name: str) -> None:
        """Wait until the map frames that head, as in "L3 H7"."""
        expect(self.map).to_have_attribute("aria-label", re.compile(f"; {re.escape(name)} is chosen"))

    def open_settings(self) -> None:
        """Open the popover of the settings, unless it is open."""
        if self.page.get_by_test_id("stPopoverBody").count() == 0:
            self.page.get_by_role("button", name="Settings").click()
            expect(self.page.get_by_test_id("stPopoverBody")).to_be_visible()

    def close_settings(self) -> None:
        self.page.keyboard.press("Escape")
        expect(self.page.get_by_test_id("stPopoverBody")).to_have_count(0)

    def select(self, label: str) -> Locator:
        """A select box of Streamlit."""
        return self.page.get_by_role("combobox", name=label, exact=True)

    @property
    def views(self) -> Locator:
        """The button that opens the list of views."""
        return self.page.get_by_role("button", name=re.compile("^View: "))

    def view(self, name: str) -> AppPage:
        """Choose a view from the list, or from the menu of exports."""
        if name in EXPORTS:
            self.view("Heat map").page.get_by_role("button", name="Export").click()
            self.page.get_by_role("button", name=EXPORTS[name]).click()
        else:
            self.views.click()
            self.page.get_by_role("menuitem", name=re.compile(f"^{re.escape(name)}( |$)")).click()
        self.selected(view=IN_ADDRESS.get(name, name.lower()))
        return self.assert_view(name)

    def assert_view(self, name: str) -> AppPage:
        """Wait until the page names a view as the open one."""
        expect(self.views).to_have_accessible_name(re.compile(f"^View: {re.escape(name)}( |$)"))
        return self

    def pick(self, box: str, option: str) -> AppPage:
        """Choose from a select box with the mouse."""
        self.select(box).click()
        self.page.get_by_role("option", name=option, exact=True).click()
        return self

    def text(self, letter: str) -> Locator:
        return self.page.get_by_role("textbox", name=re.compile(f"^Sentence {letter}"))

    # --- pictures ---

    @property
    def strip(self) -> Locator:
        return self.page.locator(".strip")

    @property
    def frame(self) -> FrameLocator:
        """BertViz's frame."""
        return self.page.frame_locator("[data-testid='stIFrame']")

    def picture(self) -> Locator:
        """The first picture of the view that is open, whichever it is."""
        tables = "[data-testid='stDataFrame'], .token-rows"
        drawn = f".js-plotly-plot .main-svg, [data-testid='stIFrame'], {tables}, [data-painted]"
        return self.page.locator(f".st-key-workspace :is({drawn})").first

    def painted(self, view: str, what: str) -> AppPage:
        """Wait until a view of ours, by its class, has painted "L3|H7" of any text."""
        expect(self.page.locator(view).last).to_have_attribute("data-painted", re.compile(f"{re.escape(what)}$"))
        return self

    def heat_map(self, title: str, *, after: HeatMap | None = None, words: Sequence[str] | None = None) -> HeatMap:
        """The heat map, once it shows the head with that title, and another layer or text than `after`.

        Args:
            words: its first words, where it is to show them.
        """
        painted = title.replace(", mean over heads", " Hmean")
        shown = self.page.wait_for_function(HEAT_MAP, arg=[painted, after and after.id, words])
        self.idle()
        return HeatMap(**shown.json_value())

    def place_of_cell(self, chart: str, row: int, column: int) -> tuple[float, float]:
        """Where a cell of a heat map of Plotly is in the window, by the key of the chart."""
        expect(self.page.locator(f".st-key-{chart} .heatmaplayer image")).to_be_visible()
        x, y = self.page.evaluate(CELL, [chart, row, column])
        return x, y

    def click_cell(self, chart: str, row: int, column: int) -> AppPage:
        """Click on a cell of a heat map of Plotly."""
        self.page.mouse.click(*self.place_of_cell(chart, row, column))
        return self

    @property
    def cells(self) -> Locator:
        """The first heat map's cells and labels, which answer the pointer and the keys."""
        return self.page.locator(".stage canvas.over").first

    def download(self, click: Callable[[], Any]) -> tuple[str, str]:
        """Name and text of the file that a click brings."""
        with self.page.expect_download() as waiting:
            click()
        return waiting.value.suggested_filename, Path(waiting.value.path()).read_text(encoding="utf-8")

    def assert_sound(self) -> None:
        """No traceback on the page, nothing wider than the window, none of the trouble."""
        expect(self.page.get_by_test_id("stException")).to_have_count(0)
        self.assert_fits()
        assert_none(self.trouble)

    def assert_fits(self) -> None:
        try:
            self.page.wait_for_function(f"({TOO_WIDE})().length === 0", timeout=5_000)
        except TimeoutError:
            too_wide = self.page.evaluate(TOO_WIDE)
            assert not too_wide, too_wide
            raise


Open = Callable[..., AppPage]  # the fixture `open_app`: keywords are the link's parameters
