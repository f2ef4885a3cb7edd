"""The benchmark's clock and counters, in a page without a server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.pages.offline import Offline

SCRIPT = Path(__file__).parents[2] / "bench" / "page.js"
# A component in a shadow root, as Streamlit mounts it; a click draws another picture.
PAGE = """<button>draw</button><textarea></textarea><div class="box st-key-head_view_pair"><div></div></div><script>
    const shadow = document.querySelector(".box div").attachShadow({ mode: "open" });
    shadow.innerHTML = '<div class="view" style="width: 100px; height: 50px"></div>';
    const view = shadow.querySelector(".view");
    view.dataset.painted = "a|L0|H1";
    const draw = () => setTimeout(() => { view.dataset.painted = "b|L0|H1"; }, 50);
    document.querySelector("button").addEventListener("click", draw);
    document.querySelector("textarea").addEventListener("keydown", (event) => event.key === "Enter" && draw());
</script>"""


@pytest.fixture
def page(offline: Offline) -> Iterator[Page]:
    page = offline.open(PAGE)
    page.add_script_tag(path=SCRIPT)
    return page


def test_the_clock_runs_from_a_click_or_enter_to_the_next_paint(page: Page) -> None:
    page.evaluate("bench.arm('head view')")
    page.locator("textarea").press("x")
    assert page.evaluate("bench.done") is None
    page.locator("textarea").press("Enter")
    page.wait_for_function("bench.done")
    assert page.evaluate("bench.done.seconds") >= 0.05
    assert page.evaluate("bench.pictures['head view']()") == "b|L0|H1"


@pytest.mark.parametrize(("start", "wanted"), [("x", "B|L0| H1"), ("input", "")])
def test_the_clock_of_typed_text_waits_for_what_starts_and_ends_it(page: Page, start: str, wanted: str) -> None:
    page.evaluate("([start, wanted]) => bench.arm('head view', start, wanted || undefined)", [start, wanted])
    page.get_by_role("button").click()
    page.wait_for_function("bench.pictures['head view']() === 'b|L0|H1'")
    assert page.evaluate("bench.done") is None
    page.evaluate("bench.pictures['head view'] = () => 'b|l0|h1'")
    page.locator("textarea").fill("time flies") if start == "input" else page.locator("textarea").press("x")
    page.wait_for_function("bench.done")


def test_a_typed_text_is_known_with_the_signs_that_also_join_wordpieces(page: Page) -> None:
    page.evaluate("""() => {
        document.querySelector(".box").className = "st-key-cell_map_pair";
        const labels = ["[CLS]", "#", "#", "head", "##light", "[SEP]"];
        const messages = new Map([["a", { message: { extras: { labels } } }]]);
        window[Symbol.for("headlight.store")] = { messages };
    }""")
    assert page.evaluate("bench.pictures['typed text']()") == "##headlight"
    assert page.evaluate("bench.shows('typed text', '## Headlight')")


def test_a_chart_is_known_by_its_numbers_and_words_once_it_is_drawn(page: Page) -> None:
    chart = """({ numbers, isDrawn }) => {
        document.querySelector(".st-key-why_words")?.remove();
        const holder = Object.assign(document.createElement("div"), { className: "st-key-why_words" });
        const plot = Object.assign(document.createElement("div"), { className: "js-plotly-plot" });
        plot.data = [{ x: numbers }];
        plot.layout = { annotations: [{ text: "word" }] };
        if (isDrawn) plot.calcdata = [];
        holder.append(plot);
        document.body.append(holder);
        return bench.pictures.why();
    }"""
    assert page.evaluate(chart, {"numbers": [1, 2], "isDrawn": False}) == ""
    drawn = page.evaluate(chart, {"numbers": [1, 2], "isDrawn": True})
    assert page.evaluate(chart, {"numbers": [1, 2], "isDrawn": True}) == drawn != ""
    assert page.evaluate(chart, {"numbers": [1, 3], "isDrawn": True}) != drawn


def test_frames_are_counted_while_the_mouse_moves(page: Page) -> None:
    page.evaluate("bench.watchFrames('head_view_pair')")
    page.wait_for_function("bench.frames.lengths.length > 4")
    seen = page.evaluate("bench.stopFrames()")
    assert len(seen["lengths"]) > 3
    assert min(seen["lengths"]) > 0
    assert page.evaluate("bench.box('head_view_pair').width") == 100
