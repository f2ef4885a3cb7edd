"""The pure functions of the head view, in Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from encoder.trace import FloatArray
from tests.browser.pages.head_view_page import HEADS, WEIGHTS, HeadView
from tests.browser.pages.offline import Offline


@pytest.fixture(scope="module")
def functions(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield HeadView(Offline(page)).page
    page.close()


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
    none_on_the_left = "key => focus.movedBy(key, {side: 0, unit: 6}, [[7, 7], [0, 7]], 5)"
    assert functions.evaluate(none_on_the_left, "ArrowDown") is None
    assert functions.evaluate(none_on_the_left, "ArrowRight") == {"side": 1, "unit": 6}


def test_numbers_of_long_texts_have_a_digit_more(functions: Page) -> None:
    numbers = "(units) => [0.6249, 0.0149, 0.0049, 0.0004].map((weight) => draw.written(weight, units))"
    assert functions.evaluate(numbers, 13) == ["0.62", "0.01", "0", "0"]
    assert functions.evaluate(numbers, 512) == ["0.625", "0.015", "0.005", "0"]


def test_only_so_many_lines_are_thick(functions: Page) -> None:
    starts = [0, 10, 200, 400] + [400] * 29
    assert functions.evaluate("([starts, most]) => draw.thinFrom(starts, most)", [starts, 300]) == 2
    assert functions.evaluate("([starts, most]) => draw.thinFrom(starts, most)", [starts, 900]) == 32
