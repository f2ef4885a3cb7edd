"""The pure functions of the heat map, in Chromium."""

from __future__ import annotations

import numpy as np
import pytest

from tests.browser.pages.cell_map_page import COUNT, WEIGHTS, CellMapPage
from viz.components.store import MAX_ERROR
from viz.theme import THEMES


def test_weights_of_a_head_and_of_the_mean_are_those_that_were_sent(empty_map: CellMapPage) -> None:
    values = np.rint(65535 * np.sqrt(WEIGHTS)).astype(int)
    head = (
        """([values, head]) => [...cells.headWeights({shape: [3, 50, 50], values: Uint16Array.from(values)}, head)]"""
    )
    for which, expected in ((1, WEIGHTS[1]), (-1, WEIGHTS.mean(axis=0))):
        found = np.array(empty_map.page.evaluate(head, [values.ravel().tolist(), which])).reshape(COUNT, COUNT)
        assert np.abs(found - expected).max() <= MAX_ERROR


def test_weights_of_queries_to_come_are_hidden(empty_map: CellMapPage) -> None:
    head = "until => [...cells.headWeights({shape: [2, 2, 2], values: new Uint16Array(8).fill(65535)}, -1, until)]"
    found = [empty_map.page.evaluate(head, until) for until in (0, 1, 2, 9)]
    assert found == [[-1, -1, -1, -1], [1, 1, -1, -1], [1, 1, 1, 1], [1, 1, 1, 1]]


def test_cell_functions(empty_map: CellMapPage) -> None:
    evaluate = empty_map.page.evaluate
    pool = """([rows, columns]) => {
        const nine = Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9);
        const pooled = cells.pooled(nine, 3, { rows, columns }, { down: 2, across: 2 });
        return [[...pooled.values], pooled.rows, pooled.columns];
    }"""
    assert evaluate(pool, [[0, 3], [0, 3]]) == [[5, 6, 8, 9], 2, 2]
    assert evaluate(pool, [[0, 3], [1, 3]]) == [[6, 9], 2, 1]
    assert evaluate(pool, [[1, 2], [0, 3]]) == [[5, 6], 1, 2]
    strongest = "([row, range]) => cells.strongest(Float32Array.of(9, 2, 3, -1, -1, -1, 0, 0, 0), 3, row, range)"
    assert [evaluate(strongest, [0, range_]) for range_ in ([0, 3], [1, 3], [1, 2])] == [0, 2, 1]
    assert evaluate(strongest, [1, [0, 3]]) == -1
    assert evaluate("[...cells.pixels(Float32Array.of(-1, 1), [[1, 2, 3], [4, 5, 6]])]") == [0, 0, 0, 0, 4, 5, 6, 255]


def test_block_functions(empty_map: CellMapPage) -> None:
    evaluate = empty_map.page.evaluate
    assert evaluate("['all', 'A→B', 'B→A'].map(name => block.blockOf(name, 2, 5))") == [
        {"rows": [0, 5], "columns": [0, 5]},
        {"rows": [0, 2], "columns": [2, 5]},
        {"rows": [2, 5], "columns": [0, 2]},
    ]
    assert evaluate("block.blockOf('A→B', null, 5).rows") == [0, 5]
    assert evaluate("block.sizeOf({rows: [2, 5], columns: [0, 2]})") == {"rows": 3, "columns": 2}
    nearest = "at => block.nearestIn({rows: [2, 5], columns: [0, 2]}, at)"
    assert evaluate(nearest, {"row": 9, "column": 9}) == {"row": 4, "column": 1}
    assert evaluate(nearest, {"row": 0, "column": 0}) == {"row": 2, "column": 0}
    empty = "{rows: [2, 2], columns: [0, 2]}"
    assert not evaluate(f"block.inBlock({empty}, block.nearestIn({empty}, {{row: 2, column: 0}}))")


def grid(width: float, height: float, rows: tuple[int, int] = (0, 100), columns: tuple[int, int] = (0, 100)) -> str:
    """An argument of the functions of frames: an area at 10, 20 and the cells in it."""
    area = f"{{left: 10, top: 20, width: {width}, height: {height}}}"
    return f"{{area: {area}, block: {{rows: {list(rows)}, columns: {list(columns)}}}}}"


def test_frame_functions(empty_map: CellMapPage) -> None:
    evaluate = empty_map.page.evaluate
    five = grid(1280, 1280)  # of 12.8 pixels: up to 64, which is five times as large
    assert evaluate(f"frame.clamped({five}, {{zoom: 2, row: 90, column: -3}})") == {"zoom": 2, "row": 50, "column": 0}
    assert evaluate(f"frame.clamped({five}, {{zoom: 9, row: 0, column: 0}}).zoom") == 5
    at = f"frame.zoomedAt({grid(800, 800)}, {{zoom: 1, row: 0, column: 0}}, 2, {{row: 50, column: 100}})"
    assert evaluate(at) == {"zoom": 2, "row": 25, "column": 50}
    assert evaluate(f"frame.enlarged({grid(128, 128)}, {{row: 10, column: 10}}, {{row: 30, column: 20}})") == {
        "zoom": 5,
        "row": 10,
        "column": 5,
    }
    assert evaluate(f"frame.enlarged({grid(1600, 1600)}, {{row: 10, column: 10}}, {{row: 10, column: 10}}).zoom") == 4
    revealing = f"frame.revealing({grid(128, 128)}, {{zoom: 10, row: 20, column: 20}}, {{row: 35, column: 3}})"
    assert evaluate(revealing) == {"zoom": 10, "row": 26, "column": 3}
    assert evaluate("[1.2, 7.5, 8, 15, 40].map(frame.labelStep)") == [13, 2, 2, 1, 1]
    assert evaluate("frame.poolOf({across: 0.4, down: 1}, 1)") == {"across": 3, "down": 1}
    assert evaluate("frame.poolOf({across: 0.5, down: 0.4}, 2)") == {"across": 1, "down": 2}
    cell = f"([x, y]) => frame.cellAt({grid(100, 50, (0, 10), (0, 10))}, {{zoom: 2, row: 5, column: 0}}, x, y)"
    assert [evaluate(cell, point) for point in ([10, 20], [109, 69], [9, 30], [30, 70])] == [
        {"row": 5, "column": 0},
        {"row": 9, "column": 4},
        None,
        None,
    ]


def test_frames_of_a_block_stay_within_it(empty_map: CellMapPage) -> None:
    evaluate = empty_map.page.evaluate
    block = grid(400, 300, rows=(60, 100), columns=(0, 60))
    assert evaluate(f"frame.clamped({block}, frame.WHOLE)") == {"zoom": 1, "row": 60, "column": 0}
    seen = f"({{zoom, row, column}}) => frame.inView({block}, frame.clamped({block}, {{zoom, row, column}}))"
    assert evaluate(seen, {"zoom": 1, "row": 0, "column": 0}) == {"rows": [60, 99], "columns": [0, 59]}
    assert evaluate(seen, {"zoom": 4, "row": 0, "column": 99}) == {"rows": [60, 69], "columns": [45, 59]}
    assert evaluate(seen, {"zoom": 4, "row": 999, "column": -9}) == {"rows": [90, 99], "columns": [0, 14]}
    panned = f"frame.panned({block}, {{zoom: 4, row: 65, column: 10}}, -50, 500)"
    assert evaluate(panned) == {"zoom": 4, "row": 60, "column": 45}
    box = f"frame.enlarged({block}, {{row: 70, column: 10}}, {{row: 80, column: 20}})"
    assert evaluate(box) == {"zoom": 4, "row": 70, "column": 7.5}
    shown = f"frame.revealing({block}, {{zoom: 4, row: 60, column: 45}}, {{row: 99, column: 2}})"
    assert evaluate(shown) == {"zoom": 4, "row": 90, "column": 2}
    cell = f"([x, y]) => frame.cellAt({block}, {{zoom: 1, row: 60, column: 0}}, x, y)"
    assert evaluate(cell, [10, 20]) == {"row": 60, "column": 0}
    assert evaluate(cell, [409.9, 319.9]) == {"row": 99, "column": 59}
    place = f"frame.placeOfCell({block}, {{zoom: 1, row: 60, column: 0}}, {{row: 61, column: 2}})"
    assert evaluate(place) == {"x": pytest.approx(10 + 2.5 * 400 / 60), "y": pytest.approx(20 + 1.5 * 300 / 40)}


def test_many_low_rows_become_higher_while_few_wide_columns_stay(empty_map: CellMapPage) -> None:
    evaluate = empty_map.page.evaluate
    tall = grid(600, 500, rows=(0, 100), columns=(100, 110))  # cells of 60 × 5 pixels
    assert evaluate(f"frame.largestZoom({tall})") == pytest.approx(24 / 5)
    assert evaluate(f"frame.cellSize({tall}, {{zoom: 4, row: 0, column: 0}})") == {"across": 60, "down": 20}
    assert evaluate(f"frame.inView({tall}, {{zoom: 4, row: 50, column: 100}})") == {
        "rows": [50, 74],
        "columns": [100, 109],
    }
    at = f"frame.zoomedAt({tall}, {{zoom: 1, row: 0, column: 100}}, 4, {{row: 40, column: 104}})"
    assert evaluate(at) == {"zoom": 4, "row": 30, "column": 100}
    # All columns are in view anyway: how many of them a box is wide does not matter.
    box = f"frame.enlarged({tall}, {{row: 10, column: 100}}, {{row: 35, column: 110}})"
    assert evaluate(box) == {"zoom": 4, "row": 10, "column": 100}
    wide = grid(700, 300, rows=(0, 10), columns=(10, 110))  # of 7 × 30
    assert evaluate(f"frame.largestZoom({wide})") == pytest.approx(64 / 7)
    largest = f"frame.cellSize({wide}, {{zoom: frame.largestZoom({wide}), row: 0, column: 10}})"
    assert evaluate(largest) == {"across": pytest.approx(64), "down": pytest.approx(64)}
    assert evaluate(f"frame.largestZoom({grid(400, 300, rows=(0, 10), columns=(10, 20))})") == 1


@pytest.mark.parametrize(
    ("rows", "columns", "sides"),
    [
        ((7, 13), (0, 7), (64, 64)),
        ((0, 2), (2, 40), (18.4, 64)),
        ((0, 7), (7, 45), (18.4, 36)),
        ((3, 40), (0, 3), (64, 15)),
    ],
)
def test_cells_of_a_block_are_as_large_as_its_sides_allow(
    empty_map: CellMapPage, rows: tuple[int, int], columns: tuple[int, int], sides: tuple[float, float]
) -> None:
    layout = """([rows, columns, legend]) => {
        const page = { width: 820, windowHeight: 900, widest: { rows: 60, columns: 30 } };
        return draw.layoutOf({ ...page, block: { rows, columns }, legend });
    }"""
    found, with_legend = (empty_map.page.evaluate(layout, [rows, columns, legend]) for legend in (False, True))
    area = found["area"]
    assert area["width"] / (columns[1] - columns[0]) == pytest.approx(sides[0], abs=0.1)
    assert area["height"] / (rows[1] - rows[0]) == pytest.approx(sides[1], abs=0.1)
    assert area["left"] + area["width"] <= found["width"] <= 820
    assert with_legend["area"] == area
    assert with_legend["height"] > found["height"] + 20


def test_words_name_rows_and_columns_by_their_own_numbers(empty_map: CellMapPage) -> None:
    evaluate = empty_map.page.evaluate
    note = """(block) => words.noteOf({
        pool: { down: 1, across: 1 }, steps: { down: 1, across: 1 }, zoom: 2,
        rows: [2, 3], columns: [0, 1], block, numbers: [0, 1, 0, 1, 2],
    })"""
    assert evaluate(note, {"rows": [0, 5], "columns": [0, 5]}) == "In view: queries 0–1 and keys 0–1 of 5. "
    assert evaluate(note, {"rows": [2, 5], "columns": [0, 2]}) == (
        "In view: queries 0–1 (2 of 3) and keys 0–1 (2 of 2). "
    )
    assert evaluate("words.sizeInWords({rows: [2, 5], columns: [0, 2]})") == "3 by 2 tokens"


def test_input_functions(empty_map: CellMapPage) -> None:
    evaluate = empty_map.page.evaluate
    wheel = "event => input.wheelAction({deltaX: 0, deltaY: 0, deltaMode: 0, ...event})"
    assert evaluate(wheel, {"deltaY": 100}) == {"across": 0, "down": 100}
    assert evaluate(wheel, {"deltaY": 100, "shiftKey": True}) == {"across": 100, "down": 0}
    assert evaluate(wheel, {"deltaY": 3, "deltaMode": 1}) == {"across": 0, "down": 120}
    assert evaluate(wheel, {"deltaY": -50, "ctrlKey": True})["zoom"] > 1
    assert evaluate(wheel, {"deltaY": 50, "metaKey": True})["zoom"] < 1
    key = "event => input.keyAction(event)"
    assert evaluate(key, {"key": "ArrowUp"}) == ["moveCursor", "ArrowUp"]
    assert evaluate(key, {"key": "ArrowUp", "shiftKey": True}) == ["pan", {"across": 0, "down": -60}]
    assert evaluate(key, {"key": " "}) == ["chooseCursor"]
    assert [evaluate(key, {"key": "a"}), evaluate(key, {"key": "0", "ctrlKey": True})] == [None, None]


def test_numbers_have_the_ink_that_reads_best(empty_map: CellMapPage) -> None:
    for theme in THEMES.values():
        ink = {"sequential": theme.sequential, "muted": theme.muted, "text": theme.text, "background": theme.background}
        found = empty_map.page.evaluate("ink => [0.001, 0.1, 0.5, 1].map((weight) => draw.inkOf(weight, ink))", ink)
        assert found[0] == theme.muted
        assert found[1] == theme.text
        assert found[3] == theme.background
        assert found[2] in (theme.text, theme.background)
