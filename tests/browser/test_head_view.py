"""The head view in Chromium: its functions, the component alone with every request refused, and in the running app."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from encoder.trace import FloatArray
from tests.browser.app_page import AppPage
from tests.browser.component_page import ComponentPage, attention, units_of
from tests.browser.offline import HOSTILE, PAIR, Offline
from viz.components.store import layer_message
from viz.theme import THEMES, ThemeName

HEADS = 4
MODULES = [f"head_view/{name}.mjs" for name in ("lines", "layout", "focus", "draw", "words", "saved")]
INKED = """() => {
    /** Pixels of a canvas that are not empty. */
    window.inked = (name) => {
        const canvas = document.querySelector(`canvas.${name}`);
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.filter((value, index) => index % 4 === 3 && value > 0).length;
    };
}"""

WEIGHTS = attention(HEADS, len(PAIR))


class View(ComponentPage):
    """The component on a page of its own."""

    def __init__(self, offline: Offline) -> None:
        super().__init__(offline, "head_view", width=900, classes="head-view")
        self.globals(*MODULES)
        self.page.evaluate(INKED)
        self.watch()

    def draw(
        self,
        labels: Sequence[str] = PAIR,
        weights: FloatArray = WEIGHTS,
        *,
        b_start: int | None = 7,
        **selection: Any,
    ) -> View:
        self.receive(layer_message(weights, units_of(labels, b_start)))
        self.look(**selection)
        expect(self.page.locator(".count")).not_to_be_empty()
        return self

    def look(self, **selection: Any) -> None:
        """At another head of the layer, or with another selection."""
        self.show(extra={"place": "pair"}, **({"layer": 3, "head": 1} | selection))

    def at(self, side: int, row: int, rows: int = 13, gap: int = 14) -> tuple[float, float]:
        """The middle of a token's row; rows behind the first seven stand lower by the gap between the sentences."""
        box = self.page.locator(".pane").bounding_box()
        assert box
        height = (box["height"] - 32 - 6 - gap) / rows
        y = box["y"] + 32 + (row + 0.5) * height + (gap if row >= 7 else 0)
        return box["x"] + (60 if side == 0 else box["width"] - 60), y

    def pressed(self) -> list[str]:
        return self.page.locator('[aria-pressed="true"]').all_inner_texts()

    def head(self, head: int) -> Any:
        return self.page.get_by_role("button", name=f"Head {head}", exact=True)


@pytest.fixture
def view(browser: Browser) -> Iterator[View]:
    page = browser.new_page(viewport={"width": 1000, "height": 900}, reduced_motion="reduce")
    offline = Offline(page)
    yield View(offline)
    page.close()
    assert offline.trouble == []


@pytest.fixture(scope="module")
def functions(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield View(Offline(page)).page
    page.close()


# --- the functions ---

PICK = """([values, size, ranges, rule]) => {
    const { cells, starts } = lines.pickedCells(Uint16Array.from(values), size, ranges, rule);
    return [[...cells], [...starts]];
}"""


def quantised(weights: FloatArray) -> list[int]:
    return [int(value) for value in np.rint(65535 * np.sqrt(weights)).ravel()]


@pytest.mark.parametrize("least", ["0.01", "0.02", "0.05", "0.1"])
def test_cells_over_a_threshold_are_drawn_strongest_first(functions: Page, least: str) -> None:
    weights = WEIGHTS[0]
    cells, starts = functions.evaluate(PICK, [quantised(weights), 13, [[0, 13], [0, 13]], least])
    assert set(cells) == set(np.flatnonzero(weights >= float(least)).tolist())
    buckets = [int(np.sqrt(weights.ravel()[cell]) * 65535) // 2048 for cell in cells]
    assert buckets == sorted(buckets, reverse=True)
    assert (starts[0], starts[-1], len(starts)) == (0, len(cells), 33)


def test_cells_of_a_range_and_of_every_line(functions: Page) -> None:
    cells, _ = functions.evaluate(PICK, [quantised(WEIGHTS[0]), 13, [[0, 7], [7, 13]], "every"])
    assert sorted(cells) == [query * 13 + key for query in range(7) for key in range(7, 13)]


@pytest.mark.parametrize("count", [1, 4, 8])
def test_top_cells_of_each_row(functions: Page, count: int) -> None:
    cells, _ = functions.evaluate(PICK, [quantised(WEIGHTS[1]), 13, [[0, 13], [0, 13]], f"top {count}"])
    rows = np.sort(WEIGHTS[1], axis=1)[:, ::-1]
    assert len(cells) == 13 * count
    assert {float(WEIGHTS[1].ravel()[cell]) for cell in cells} == set(rows[:, :count].ravel().tolist())


def test_equal_weights_are_not_more_than_asked_for(functions: Page) -> None:
    cells, _ = functions.evaluate(PICK, [[9000] * 9, 3, [[0, 3], [0, 3]], "top 1"])
    assert sorted(cells) == [0, 3, 6]
    assert functions.evaluate(PICK, [[0] * 9, 3, [[0, 3], [0, 3]], "top 1"])[0] == []


def test_mean_plane_is_the_mean_of_the_weights(functions: Page) -> None:
    tensor = {"shape": [HEADS, 13, 13], "values": quantised(WEIGHTS)}
    plane = functions.evaluate(
        "({shape, values}) => [...lines.planeOf({shape, values: Uint16Array.from(values)}, -1)]", tensor
    )
    np.testing.assert_allclose((np.array(plane) / 65535) ** 2, WEIGHTS.mean(0).ravel(), atol=4e-5)


def test_heads_that_are_shown_and_the_changes_that_show_them(functions: Page) -> None:
    evaluate = functions.evaluate
    shown = "([head, heads]) => lines.shownHeads({head, heads}, 4)"
    assert [evaluate(shown, [2, heads]) for heads in ("", "all", "none", "0.3.9")] == [[2], [0, 1, 2, 3], [], [0, 3]]
    assert evaluate(shown, [-1, ""]) == [-1]
    toggle = "([shown, head]) => lines.toggled(shown, head, 4)"
    assert evaluate(toggle, [[2], 0]) == {"heads": "0.2"}
    assert evaluate(toggle, [[0, 2], 0]) == {"head": 2, "heads": ""}
    assert evaluate(toggle, [[2], 2]) == {"heads": "none"}
    assert evaluate(toggle, [[0, 1, 2], 3]) == {"heads": "all"}
    assert evaluate(toggle, [[-1], 3]) == {"head": 3, "heads": ""}


def test_sentences_narrow_both_sides(functions: Page) -> None:
    ranges = "(sentences) => lines.rangesOf(13, 7, sentences)"
    assert functions.evaluate(ranges, "all") == [[0, 13], [0, 13]]
    assert functions.evaluate(ranges, "A→B") == [[0, 7], [7, 13]]
    assert functions.evaluate(ranges, "B→B") == [[7, 13], [7, 13]]
    assert functions.evaluate("lines.rangesOf(13, null, 'A→B')") == [[0, 13], [0, 13]]


@pytest.mark.parametrize(
    ("units", "b_start", "ranges"), [(13, 7, [[0, 13], [0, 13]]), (13, 7, [[0, 7], [7, 13]]), (512, None, None)]
)
@pytest.mark.parametrize("width", [396, 820, 1200])
def test_every_row_is_found_where_it_is_drawn(
    functions: Page, units: int, b_start: int | None, ranges: list[list[int]] | None, width: int
) -> None:
    found = functions.evaluate(
        """([width, ranges, bStart]) => {
            const made = layout.layoutOf({ width, room: 560, ranges, bStart, heads: 12, widest: () => 400 });
            const rows = ranges.map(([from, to], side) => Array.from({ length: to - from }, (_, index) => {
                const x = [made.labels[0] - 5, made.labels[1] + 5][side];
                return layout.tokenAt(made, x, made.ys[side][from + index] + made.row / 2 - 1);
            }));
            const middle = layout.tokenAt(made, width / 2, 100);
            const { row, font, shown } = made;
            return { rows, middle, row, font, shown, x: [made.gutters[0], ...made.lines] };
        }""",
        [width, ranges or [[0, units], [0, units]], b_start],
    )
    for side, (start, end) in enumerate(ranges or [[0, units], [0, units]]):
        assert found["rows"][side] == [{"side": side, "unit": unit} for unit in range(start, end)]
    assert found["middle"] is None
    assert found["row"] >= 22
    assert found["font"] >= 14
    assert found["shown"] <= 560
    assert 0 < found["x"][0] < found["x"][1] < found["x"][2] < width


def test_a_long_text_leaves_room_for_what_is_said_of_it(functions: Page) -> None:
    rooms = (
        "[[900, 13], [900, 512], [1080, 512], [500, 512], [2000, 512]].map(([high, rows]) => layout.roomIn(high, rows))"
    )
    assert functions.evaluate(rooms) == [560, 500, 680, 360, 900]


def test_hover_beats_the_keys_and_both_beat_the_pin(functions: Page) -> None:
    assert functions.evaluate("[focus.focusOf(1, 2, 3), focus.focusOf(null, 2, 3), focus.focusOf(null, null, 3)]") == [
        1,
        2,
        3,
    ]
    assert functions.evaluate("focus.focusOf(null, null, null)") is None


def test_pins_are_positions_and_tokens_are_units(functions: Page) -> None:
    evaluate = functions.evaluate
    pinned = "(selection) => focus.pinnedTokens(selection, [[0], [1, 2], [3]], [[0, 3], [0, 2]])"
    assert evaluate(pinned, {"query": 2, "key": -1}) == [{"side": 0, "unit": 1}]
    assert evaluate(pinned, {"query": 0, "key": 3}) == [{"side": 0, "unit": 0}]  # the key is not shown
    assert evaluate(pinned, {"query": 99, "key": -1}) == []
    change = "([token, pinned]) => focus.pinChange(token, pinned, [[0], [1, 2], [3]])"
    token = {"side": 1, "unit": 1}
    assert evaluate(change, [token, []]) == {"query": -1, "key": 1}
    assert evaluate(change, [token, [token]]) == {"query": -1, "key": -1}


def test_keys_move_the_current_token_within_what_is_shown(functions: Page) -> None:
    moved = "([key, side, unit]) => focus.movedBy(key, {side, unit}, [[0, 7], [7, 13]], 5)"
    keys = {"ArrowDown": (0, 4), "ArrowUp": (0, 2), "PageDown": (0, 6), "Home": (0, 0), "End": (0, 6)}
    for key, (side, unit) in (keys | {"ArrowRight": (1, 7), "ArrowLeft": (0, 3)}).items():
        assert functions.evaluate(moved, [key, 0, 3]) == {"side": side, "unit": unit}, key
    assert functions.evaluate(moved, ["x", 0, 3]) is None


def test_numbers_of_long_texts_have_a_digit_more(functions: Page) -> None:
    numbers = "(units) => [0.6249, 0.0149, 0.0049, 0.0004].map((weight) => draw.written(weight, units))"
    assert functions.evaluate(numbers, 13) == ["0.62", "0.01", "0", "0"]
    assert functions.evaluate(numbers, 512) == ["0.625", "0.015", "0.005", "0"]


def test_only_so_many_lines_are_thick(functions: Page) -> None:
    starts = [0, 10, 200, 400] + [400] * 29
    assert functions.evaluate("([starts, most]) => draw.thinFrom(starts, most)", [starts, 300]) == 2
    assert functions.evaluate("([starts, most]) => draw.thinFrom(starts, most)", [starts, 900]) == 32


# --- the component ---


def test_one_head_is_drawn_in_its_colour_with_all_tokens(view: View) -> None:
    view.draw()
    drawn = int((WEIGHTS[1] >= 0.01).sum())
    expect(view.page.locator(".count")).to_have_text(f"{drawn} of 169 lines")
    assert view.pressed() == ["1"]
    view.page.wait_for_function("inked('lines') > 1000")
    texts = view.written()
    assert [text for text in texts if text in PAIR] == PAIR + PAIR
    assert {"L3 H1", "from (query)", "to (key)", "A", "B"} <= set(texts)
    assert view.sent == []


def test_hover_shows_a_token_alone_with_its_weights_and_sends_nothing(view: View) -> None:
    view.draw()
    view.page.wait_for_function("inked('lines') > 0")
    assert view.page.evaluate("inked('over')") == 0
    view.written()
    view.page.mouse.move(*view.at(0, 8))
    expect(view.page.locator(".pane")).to_have_class("pane pointing alone")
    expect(view.page.locator(".lines")).to_have_css("opacity", "0.1")
    expect(view.page.locator(".said")).to_contain_text("flies (8) looks at: ")
    expected = ["0" if weight < 0.005 else f"{weight:.2f}" for weight in WEIGHTS[1][8]]
    assert view.written() == expected
    view.page.mouse.move(*view.at(1, 3))
    expect(view.page.locator(".said")).to_contain_text("like (3) is looked at by: ")
    assert view.written() == ["0" if weight < 0.005 else f"{weight:.2f}" for weight in WEIGHTS[1][:, 3]]
    view.page.mouse.move(990, 890)
    expect(view.page.locator(".pane")).to_have_class("pane")
    view.page.wait_for_function("inked('over') === 0")
    assert view.sent == []


def test_click_pins_and_a_second_click_releases(view: View) -> None:
    view.draw()
    view.page.mouse.click(*view.at(1, 7))
    assert view.sent == [{"query": -1, "key": 7, "pinned_in": "A"}]
    view.page.evaluate("answer()")
    view.page.mouse.move(990, 890)
    expect(view.page.locator(".said")).to_contain_text("fruit (7) is looked at by")
    view.page.mouse.move(*view.at(0, 1))
    expect(view.page.locator(".said")).to_contain_text("time (1) looks at")
    view.page.mouse.click(*view.at(1, 7))
    assert view.sent[1] == {"query": -1, "key": -1}
    view.page.mouse.move(990, 890)
    expect(view.page.locator(".pane")).to_have_class("pane")


def test_escape_releases_what_is_pinned(view: View) -> None:
    view.draw(query=8)
    expect(view.page.locator(".said")).to_contain_text("flies (8) looks at")
    view.page.locator(".scroller").press("Escape")
    assert view.sent == [{"query": -1, "key": -1}]
    expect(view.page.locator(".said")).to_contain_text("Opacity")
    view.page.locator(".scroller").press("Escape")
    assert len(view.sent) == 1


def test_keys_walk_pin_and_are_spoken(view: View) -> None:
    view.draw()
    scroller = view.page.locator(".scroller")
    scroller.press("ArrowDown")
    expect(view.page.locator(".spoken")).to_contain_text("[CLS] (0) looks at")
    scroller.press("ArrowDown")
    scroller.press("ArrowRight")
    expect(view.page.locator(".spoken")).to_contain_text("time (1) is looked at by")
    scroller.press("Enter")
    assert view.sent == [{"query": -1, "key": 1, "pinned_in": "A"}]
    expect(view.page.locator(".spoken")).to_contain_text("Pinned. time (1)")
    view.page.evaluate("answer()")
    scroller.press(" ")
    assert view.sent[1] == {"query": -1, "key": -1}


def test_chips_choose_heads(view: View) -> None:
    view.draw()
    view.head(3).click()
    assert view.sent[-1] == {"heads": "1.3"}
    assert view.pressed() == ["1", "3"]
    expect(view.page.locator(".count")).to_contain_text("of 338 lines")
    view.page.evaluate("answer()")
    view.head(0).click(modifiers=["Alt"])
    assert view.sent[-1] == {"head": 0, "heads": ""}
    view.page.evaluate("answer()")
    view.head(2).dblclick()
    assert view.sent[-1] == {"head": 2, "heads": ""}
    view.page.evaluate("answer()")
    for name, heads in (("all", ["0", "1", "2", "3"]), ("none", []), ("mean", ["mean"])):
        view.page.get_by_role("button", name=name, exact=True).click()
        assert view.pressed() == heads
        view.page.evaluate("answer()")
    assert view.sent[-1] == {"head": -1, "heads": ""}
    expect(view.page.locator(".count")).to_contain_text("of 169 lines")


def test_several_heads_write_their_mean(view: View) -> None:
    view.draw(heads="0.2", query=8)
    expect(view.page.locator(".said")).to_contain_text("(mean over 2 heads)")
    means = WEIGHTS[[0, 2], 8].mean(0)
    assert {f"{weight:.2f}" for weight in means if weight >= 0.005} <= set(view.written())


def test_no_head_draws_no_line(view: View) -> None:
    view.draw(heads="none")
    expect(view.page.locator(".count")).to_have_text("0 of 0 lines")
    expect(view.page.locator(".said")).to_have_text("No head is chosen: click a number above.")
    view.page.wait_for_function("inked('tokens') > 0")
    assert view.page.evaluate("inked('lines')") == 0
    view.page.mouse.move(*view.at(0, 8))
    expect(view.page.locator(".said")).to_contain_text("no head is chosen")


def test_sentence_filter_hides_the_rest(view: View) -> None:
    view.draw(sentences="A→B")
    drawn = int((WEIGHTS[1][:7, 7:] >= 0.01).sum())
    expect(view.page.locator(".count")).to_have_text(f"{drawn} of 42 lines")
    view.page.wait_for_function("written.includes('banana')")
    assert [text for text in view.written() if text in PAIR] == PAIR[:7] + PAIR[7:]


def test_lines_that_are_drawn_are_chosen_and_stay_chosen(view: View) -> None:
    view.draw()
    box = view.page.get_by_role("combobox", name="Lines that are drawn")
    expect(box).to_have_value("0.01")
    box.select_option("top 1")
    expect(view.page.locator(".count")).to_have_text("13 of 169 lines")
    view.draw(head=2)
    expect(view.page.locator(".count")).to_have_text("13 of 169 lines")
    box.select_option("every")
    expect(view.page.locator(".count")).to_have_text("169 of 169 lines")
    view.page.evaluate("remount()")
    expect(view.page.get_by_role("combobox", name="Lines that are drawn")).to_have_value("every")
    assert view.sent == []


def test_a_layer_that_is_not_there_yet_leaves_the_picture(view: View) -> None:
    view.draw()
    count = view.page.locator(".count").inner_text()
    message = layer_message(WEIGHTS[::-1], units_of(PAIR, 7))
    view.id = message.id
    view.look(layer=4, heads="all")
    expect(view.page.locator(".count")).to_have_text(count)
    view.receive(message)
    expect(view.page.locator(".count")).to_contain_text("of 676 lines")


def test_long_text_scrolls_and_stays_where_it_is(view: View) -> None:
    labels = [f"word{index}" for index in range(512)]
    weights = attention(3, 512)
    view.draw(labels, weights, b_start=None, heads="all")
    expect(view.page.locator(".count")).to_have_text("6,144 of 786,432 lines")
    view.page.locator(".scroller").evaluate("(box) => { box.scrollTop = 6000; }")
    view.page.wait_for_function("written.includes('word260')")
    texts = set(view.written())
    assert "word0" in texts  # of the first paint
    assert "word511" not in texts
    view.draw(labels, weights, b_start=None, head=2)
    expect(view.page.locator(".count")).to_have_text("2,048 of 262,144 lines")
    top = "document.querySelector('.scroller').scrollTop"
    assert view.page.evaluate(top) == 6000
    view.page.evaluate("remount()")
    view.page.wait_for_function(f"{top} === 6000")
    view.draw(labels, weights, b_start=None, head=2, query=3)
    view.page.wait_for_function(f"{top} < 100")  # what is pinned elsewhere comes into view
    box = view.page.locator(".scroller").bounding_box()
    assert box
    assert box["height"] <= 600
    view.page.locator(".scroller").press("End")
    view.page.wait_for_function("written.includes('word511')")


def test_new_text_is_drawn_from_its_top(view: View) -> None:
    view.draw([f"word{index}" for index in range(200)], attention(2, 200), b_start=None)
    view.page.locator(".scroller").evaluate("(box) => { box.scrollTop = 900; }")
    view.page.wait_for_function("written.includes('word50')")
    view.draw([f"other{index}" for index in range(200)], attention(2, 200), b_start=None)
    view.page.wait_for_function("written.includes('other0')")
    assert view.page.evaluate("document.querySelector('.scroller').scrollTop") == 0


def test_hostile_tokens_are_drawn_literally(view: View) -> None:
    view.draw(HOSTILE, attention(HEADS, len(HOSTILE)), b_start=None, query=1)
    expect(view.page.locator(".said")).to_contain_text("</script><script>alert(1)</script> (1) looks at")
    texts = set(view.written())
    assert {"⟨U+202E⟩abc⟨U+0000⟩", "🙂"} <= texts
    assert any(text.startswith("</script><script>") for text in texts)
    view.page.get_by_text("As a table").click()
    expect(view.page.locator("table th").nth(4)).to_have_text("<img src=x onerror=alert(1)> (2)")
    expect(view.page.locator("img")).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lines_have_the_colour_of_the_theme(view: View, theme: ThemeName) -> None:
    view.draw()
    view.switch(theme)
    view.look()
    view.page.wait_for_function("inked('lines') > 0")
    strongest = """() => {
        const canvas = document.querySelector('canvas.lines');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let best = 0;
        for (let at = 0; at < data.length; at += 4) if (data[at + 3] > data[best + 3]) best = at;
        return [...data.slice(best, best + 3)];
    }"""
    colour = THEMES[theme].head_colours[1]
    expected = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    assert max(abs(one - other) for one, other in zip(view.page.evaluate(strongest), expected, strict=True)) <= 12


def test_table_has_the_strongest_keys_or_the_pinned_weights(view: View) -> None:
    view.draw(heads="0.1")
    view.page.get_by_text("As a table").click()
    expect(view.page.locator("thead th")).to_have_text(["From (query)", "L3 H0", "L3 H1"])
    expect(view.page.locator("tbody tr")).to_have_count(13)
    best = int(WEIGHTS[1][8].argmax())
    cell = view.page.locator("tbody tr").nth(8).locator("td").nth(1)
    expect(cell).to_contain_text(f"{PAIR[best]} ({best}) {WEIGHTS[1][8, best]:.2f}, ")
    view.draw(heads="0.1", key=7)
    expect(view.page.locator("caption")).to_have_text("Weights to fruit (7)")
    cells = view.page.locator("tbody tr").nth(3).locator("td")
    expect(cells).to_have_text([f"{weight:.4f}" for weight in WEIGHTS[:2, 3, 7]])


def test_picture_is_saved_whole(view: View) -> None:
    view.draw([f"word{index}" for index in range(100)], attention(2, 100), b_start=None, heads="all")
    with view.page.expect_download() as waiting:
        view.page.get_by_role("button", name="SVG").click()
    assert waiting.value.suggested_filename == "attention-L3-H0-H1.svg"
    drawn = ElementTree.fromstring(Path(waiting.value.path()).read_text(encoding="utf-8"))
    tags = "{http://www.w3.org/2000/svg}"
    texts = [text.text for text in drawn.iter(f"{tags}text")]
    assert [texts.count(f"word{index}") for index in range(100)] == [2] * 100
    colours = {path.get("stroke") for path in drawn.iter(f"{tags}path")}
    assert colours == set(THEMES["light"].head_colours[:2])
    with view.page.expect_download() as waiting:
        view.page.get_by_role("button", name="PNG").click()
    assert Path(waiting.value.path()).read_bytes().startswith(b"\x89PNG")


def test_a_picture_of_too_many_lines_is_a_part_and_says_so(view: View) -> None:
    count = 300
    view.draw([f"word{index}" for index in range(count)], attention(3, count), b_start=None, heads="all")
    view.page.get_by_role("combobox", name="Lines that are drawn").select_option("every")
    expect(view.page.locator(".count")).to_have_text("270,000 of 270,000 lines")
    view.page.locator(".scroller").evaluate("(box) => { box.scrollTop = 2400; }")
    with view.page.expect_download(timeout=60_000) as waiting:
        view.page.get_by_role("button", name="SVG").click()
    assert waiting.value.suggested_filename == "attention-L3-H0-H1-H2-part.svg"
    picture = Path(waiting.value.path()).read_text(encoding="utf-8")
    said = re.search(r">Queries (\d+)–(\d+) of 300, keys \1–\2 of 300: all 270,000 lines are too many", picture)
    assert said
    first, last = (int(number) for number in said.groups())
    assert 90 <= first < last <= 140
    drawn = [at for at in range(count) if f">word{at}</text>" in picture]
    assert drawn == list(range(first, last + 1))


def test_many_lines_of_a_token_are_drawn_over_several_frames_and_all_of_them(view: View) -> None:
    weights = np.full((12, 512, 512), 1 / 512, dtype=np.float32)
    view.draw([f"word{index}" for index in range(512)], weights, b_start=None, heads="all")
    drawn = """() => {
        const { lineTo } = CanvasRenderingContext2D.prototype;
        window.frames_of_lines = [];
        let frame = -1;
        const count = () => { frame = requestAnimationFrame(count); };
        count();
        CanvasRenderingContext2D.prototype.lineTo = function (...point) {
            if (this.canvas.className === "over") frames_of_lines.push(frame);
            return lineTo.apply(this, point);
        };
    }"""
    view.page.evaluate(drawn)
    view.page.mouse.move(*view.at(1, 2, rows=22, gap=0))
    view.page.wait_for_function("frames_of_lines.length >= 12 * 512")
    view.settle()
    frames = view.page.evaluate("frames_of_lines")
    assert len(frames) == 12 * 512
    assert len(set(frames)) >= 3


def test_picture_follows_the_width(view: View) -> None:
    view.draw()
    width = "document.querySelector('canvas.lines').clientWidth"
    assert view.page.evaluate(width) == 900
    view.page.evaluate("document.getElementById('host').style.width = '400px'")
    view.page.wait_for_function(f"{width} === 400 && inked('lines') > 0")


# --- in the app ---

Open = Callable[..., AppPage]


def test_heads_are_toggled_without_sending_the_layer_again(open_app: Open) -> None:
    at = open_app(view="head view", a="time flies " * 100, head="7")
    expect(at.page.locator(".count")).to_have_text("808 of 40,804 lines")
    received: list[int] = []
    again = at.page.context.new_cdp_session(at.page)
    again.send("Network.enable")
    again.on("Network.webSocketFrameReceived", lambda event: received.append(len(event["response"]["payloadData"])))
    at.page.get_by_role("button", name="Head 2", exact=True).click()
    at.selected(heads="2.7")
    expect(at.page.locator(".count")).to_have_text("1,616 of 81,608 lines")
    at.head(3)
    at.selected(heads=None)
    expect(at.page.locator('.chips [aria-pressed="true"]')).to_have_text("3")
    assert received
    # The layer would be one frame of 202 · 202 · 12 · 2 bytes. (Streamlit sends a component's source with its data.)
    assert max(received) < 200_000
    at.assert_sound()


def test_a_pinned_token_stays_through_a_change_of_layer_and_of_view(open_app: Open) -> None:
    at = open_app(view="head view")
    expect(at.page.locator(".count")).not_to_be_empty()
    scroller = at.page.locator(".head-view .scroller")
    for _ in range(9):
        scroller.press("ArrowDown")
    scroller.press("Enter")
    at.selected(query="8")
    at.layer(2)
    expect(at.page.locator(".said")).to_contain_text("flies (8) looks at")
    at.view("Norms")
    at.view("Head view")
    expect(at.page.locator(".said")).to_contain_text("flies (8) looks at")
    at.page.locator(".head-view .scroller").press("Escape")
    at.selected(query=None)
    at.assert_sound()


def test_sentences_encoded_apart_stand_side_by_side(open_app: Open) -> None:
    at = open_app(view="head view", mode="separate", query="2", pinned_in="B")
    expect(at.page.locator(".head-view .count")).to_have_count(2)
    expect(at.page.locator(".said").last).to_contain_text("flies (2) looks at")
    expect(at.page.locator(".said").first).to_contain_text("Opacity")
    boxes = [box.bounding_box() for box in at.page.locator(".head-view .pane").all()]
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] + boxes[0]["width"] < boxes[1]["x"]
    at.assert_sound()
