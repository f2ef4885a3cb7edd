"""The benchmark's clock and counters, in a page without a server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.pages.window import Window

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
def page(browser: Window) -> Iterator[Page]:
    page = browser.new_page()
    page.add_init_script(path=str(SCRIPT))
    page.route("http://127.0.0.1/", lambda route: route.fulfill(body=PAGE, content_type="text/html"))
    page.goto("http://127.0.0.1/")
    yield page
    page.close()


def test_clock_runs_from_the_click_until_another_picture_is_painted(page: Page) -> None:
    assert page.evaluate("bench.pictures['head view']()") == "a|L0|H1"
    page.evaluate("bench.arm('head view')")
    page.get_by_role("button").click()
    page.wait_for_function("bench.done")
    assert page.evaluate("bench.done.seconds") >= 0.05
    assert page.evaluate("bench.pictures['head view']()") == "b|L0|H1"


def test_clock_of_a_text_starts_with_enter_and_not_with_typing(page: Page) -> None:
    page.evaluate("bench.arm('head view')")
    page.locator("textarea").press("x")
    assert page.evaluate("bench.done") is None
    page.locator("textarea").press("Enter")
    page.wait_for_function("bench.done")
    assert page.evaluate("bench.done.seconds") >= 0.05


def test_clock_of_a_key_runs_until_the_wanted_picture_is_painted(page: Page) -> None:
    page.evaluate("bench.arm('head view', 'x', 'B|L0| H1')")
    page.locator("textarea").press("Enter")
    page.wait_for_function("bench.pictures['head view']() === 'b|L0|H1'")
    assert page.evaluate("bench.done") is None
    page.evaluate("bench.pictures['head view'] = () => 'b|l0|h1'")
    page.locator("textarea").press("x")
    page.wait_for_function("bench.done")


def test_clock_of_a_text_as_a_whole_starts_when_it_is_put_into_the_field(page: Page) -> None:
    page.evaluate("bench.arm('head view', 'input')")
    page.get_by_role("button").click()
    page.wait_for_function("bench.pictures['head view']() === 'b|L0|H1'")
    assert page.evaluate("bench.done") is None
    page.evaluate("bench.pictures['head view'] = () => 'c|L0|H1'")
    page.locator("textarea").fill("time flies")
    page.wait_for_function("bench.done")


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


def test_first_picture_has_a_time_of_day(page: Page) -> None:
    before = page.evaluate("Date.now() / 1000")
    page.evaluate("bench.first('head view')")
    page.wait_for_function("bench.done")
    assert abs(page.evaluate("bench.done.seconds") - before) < 60


def test_pictures_that_are_not_there_are_empty(page: Page) -> None:
    kinds = ("heat map", "model view", "map", "bertviz", "strip", "text", "typed text", "bare")
    assert [page.evaluate("kind => bench.pictures[kind]()", kind) for kind in kinds] == [""] * len(kinds)


def test_frames_are_counted_while_the_mouse_moves(page: Page) -> None:
    page.evaluate("bench.watchFrames('head_view_pair')")
    page.wait_for_function("bench.frames.lengths.length > 4")
    seen = page.evaluate("bench.stopFrames()")
    assert len(seen["lengths"]) > 3
    assert min(seen["lengths"]) > 0
    assert page.evaluate("bench.box('head_view_pair').width") == 100
