"""The heat map on a canvas, in Chromium, with no server and every request refused: what it draws and saves."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.pages.cell_map_page import COUNT, HEADS, LABELS, WEIGHTS, CellMapPage
from tests.browser.pages.component_page import attention, layer_message, units_of
from tests.browser.pages.offline import HOSTILE, PAIR
from viz.theme import THEMES


def shade(share: float) -> list[float]:
    """Red, green and blue of a share of the colours."""
    stops = [channels(colour) for _, colour in THEMES["light"].sequential]
    place = share * (len(stops) - 1)
    low, high = stops[int(place)], stops[min(int(place) + 1, len(stops) - 1)]
    return [before + (after - before) * (place % 1) for before, after in zip(low, high, strict=True)]


def channels(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def test_every_cell_has_the_colour_of_its_weight(drawn_map: CellMapPage) -> None:
    for row, column in ((0, 0), (7, 31), (49, 49), np.unravel_index(WEIGHTS[1].argmax(), (COUNT, COUNT))):
        found = drawn_map.pixel(*drawn_map.cell(int(row), int(column)))
        assert np.allclose(channels(found), shade(float(WEIGHTS[1, row, column])), atol=2), (row, column)


def test_a_short_text_has_every_label_and_number(empty_map: CellMapPage) -> None:
    empty_map.watch()
    weights = attention(HEADS, len(PAIR))
    empty_map.draw(PAIR, weights, 7)
    texts = empty_map.written()
    assert {f"{weight:.2f}" for weight in weights[1].ravel()} <= set(texts)
    assert [text for text in texts if text in PAIR] == PAIR + PAIR
    across, down = empty_map.size()
    assert across % 1 == down % 1 == 0
    empty_map.page.mouse.click(*empty_map.cell(8, 7))
    assert empty_map.sent == [{"query": 8, "key": 7, "pinned_in": "A"}]
    expect(empty_map.tip).to_contain_text(f"attention weight {weights[1, 8, 7]:.4f}")


@pytest.mark.parametrize(("label", "count", "turn"), [("an", 13, 0), ("suitcase", 13, -45), ("suitcase", 40, -90)])
@pytest.mark.parametrize("width", [396, 820, 1200])
def test_labels_lie_as_flat_as_they_can_and_all_stand_in_the_picture(
    empty_map: CellMapPage, label: str, count: int, turn: int, width: int
) -> None:
    layout = """([count, label, width]) => {
        const context = document.createElement("canvas").getContext("2d");
        context.font = `${layout.LABEL}px sans-serif`;
        const widest = context.measureText(label).width;
        const block = { rows: [0, count], columns: [0, count] };
        const page = { width, windowHeight: 900 };
        return { ...layout.layoutOf({ ...page, block, widest: { rows: widest, columns: widest } }), widest };
    }"""
    found = empty_map.page.evaluate(layout, [count, label, width])
    area = found["area"]
    assert width != 820 or found["turn"] == turn
    assert area["left"] + area["width"] <= found["width"] <= width
    assert area["top"] + area["height"] < found["height"]
    assert area["width"] / count <= 64
    across, up = {0: (0, 14), -45: (0.7, 0.7), -90: (0, 1)}[found["turn"]]
    assert area["left"] + area["width"] - area["width"] / count / 2 + across * found["widest"] <= found["width"]
    assert area["top"] - up * (found["widest"] if found["turn"] else 1) > 50


def test_what_cannot_be_enlarged_has_no_buttons_for_it(empty_map: CellMapPage) -> None:
    empty_map.draw(PAIR, attention(HEADS, len(PAIR)))
    expect(empty_map.page.get_by_role("button", name="Fit")).to_be_hidden()
    expect(empty_map.page.get_by_role("button", name="PNG")).to_be_visible()
    expect(empty_map.page.get_by_text("A click selects a cell")).to_be_visible()
    expect(empty_map.page.get_by_text("Drag over a part")).to_have_count(0)
    blank = empty_map.picture()
    area = empty_map.area()
    empty_map.drag((area["left"] + 60, area["top"] + 60), (area["left"] + 200, area["top"] + 200))
    assert empty_map.picture() == blank
    assert empty_map.sent == []


def test_another_head_is_drawn_from_the_same_message(drawn_map: CellMapPage) -> None:
    first = drawn_map.picture()
    drawn_map.look(head=2)
    assert drawn_map.picture() != first
    drawn_map.page.mouse.move(*drawn_map.cell(8, 3))
    expect(drawn_map.tip).to_contain_text(f"attention weight {WEIGHTS[2, 8, 3]:.4f}")
    drawn_map.look(head=-1)
    drawn_map.page.mouse.move(*drawn_map.cell(8, 4))
    expect(drawn_map.tip).to_contain_text(f"attention weight {WEIGHTS[:, 8, 4].mean():.4f}")
    drawn_map.look()
    assert drawn_map.picture() == first


def test_a_layer_is_drawn_when_it_arrives(empty_map: CellMapPage) -> None:
    message = layer_message(WEIGHTS, units_of(LABELS))
    empty_map.id = message.id
    empty_map.look()
    expect(empty_map.over).to_be_hidden()
    expect(empty_map.page.get_by_text("As a table")).to_be_hidden()
    empty_map.receive(message)
    expect(empty_map.over).to_be_visible()


def test_a_layer_that_there_is_not_is_told(empty_map: CellMapPage) -> None:
    empty_map.id = "run"
    empty_map.look(told={"layers": 1}, layer=3)
    notice = empty_map.page.get_by_role("status")
    expect(notice).to_have_text("There is 1 layer here: choose a lower one.")
    empty_map.draw(told={"layers": 4}, layer=3)
    expect(notice).to_be_hidden()
    expect(empty_map.over).to_be_visible()


def test_the_theme_recolours_the_picture(drawn_map: CellMapPage) -> None:
    light = drawn_map.pixel(*drawn_map.cell(2, 2))
    drawn_map.switch("dark")
    drawn_map.look()
    assert drawn_map.pixel(*drawn_map.cell(2, 2)) != light


def test_hostile_tokens_are_drawn_and_told_literally(empty_map: CellMapPage) -> None:
    labels = [*HOSTILE, *(f"t{i}" for i in range(44))]
    empty_map.draw(labels).look(query=1)
    empty_map.page.mouse.move(*empty_map.cell(1, 2))
    expect(empty_map.tip).to_contain_text("from </script><script>alert(1)</script> · position 1")
    expect(empty_map.tip).to_contain_text("to <img src=x onerror=alert(1)> · position 2")
    empty_map.page.get_by_text("As a table").click()
    expect(empty_map.page.locator("caption")).to_contain_text("<script>alert(1)</script>")
    expect(empty_map.page.locator("img, .view script")).to_have_count(0)


def test_512_tokens_fit_and_none_is_lost_on_a_small_screen(empty_map: CellMapPage) -> None:
    weights = np.zeros((1, 512, 512), dtype=np.float32)
    weights[0, 301, 77] = 1
    empty_map.receive(layer_message(weights, units_of(["word"] * 512)))
    empty_map.look(head=0)
    expect(empty_map.note).to_contain_text("There is room for one label in")
    empty_map.page.evaluate("document.getElementById('host').style.width = '400px'")
    expect(empty_map.note).to_contain_text("Each pixel shows the largest of 2 × 2 weights; zoom in")
    strong = THEMES["light"].sequential[-1][1]
    channels = [int(strong[i : i + 2], 16) for i in (1, 3, 5)]
    count = """(channels) => {
        const canvas = document.querySelector("canvas:not(.over)");
        const { data } = canvas.getContext("2d").getImageData(0, 100, canvas.width, canvas.height - 100);
        let found = 0;
        for (let i = 0; i < data.length; i += 4) found += channels.every((channel, at) => data[i + at] === channel);
        return found;
    }"""
    assert empty_map.page.evaluate(count, channels) >= 1
    assert empty_map.over.evaluate("canvas => canvas.clientWidth <= canvas.parentElement.clientWidth")


def test_svg_holds_labels_and_cells_and_png_twice_the_pixels(drawn_map: CellMapPage) -> None:
    drawn_map.look(query=8, key=33)
    with drawn_map.page.expect_download() as waiting:
        drawn_map.page.get_by_role("button", name="SVG").click()
    assert waiting.value.suggested_filename == "attention-L3-H1.svg"
    root = ElementTree.fromstring(Path(waiting.value.path()).read_text(encoding="utf-8"))
    name = "{http://www.w3.org/2000/svg}"
    texts = [element.text for element in root.iter(f"{name}text")]
    assert {"L3 H1", "attention weight", "0.5", "token0", "token33", "query (from) ↓"} <= set(texts)
    assert len(list(root.iter(f"{name}image"))) == 2
    with drawn_map.page.expect_download() as waiting:
        drawn_map.page.get_by_role("button", name="PNG").click()
    width, height = struct.unpack(">II", Path(waiting.value.path()).read_bytes()[16:24])
    box = drawn_map.over.bounding_box()
    assert box
    assert (width, height) == (round(2 * box["width"]), round(2 * box["height"]))


@pytest.mark.parametrize("choice", ["linear", "root", "largest"])
def test_a_scale_colours_a_cell_in_the_next_frame_and_keeps_its_number(drawn_map: CellMapPage, choice: str) -> None:
    largest = WEIGHTS[1].max()
    row, column = np.unravel_index(np.abs(WEIGHTS[1] - largest / 3).argmin(), (COUNT, COUNT))
    weight = float(WEIGHTS[1, row, column])
    share = {"linear": weight, "root": weight**0.5, "largest": weight / largest}[choice]
    drawn_map.scale.select_option(choice)
    drawn_map.settle()
    found = drawn_map.pixel(*drawn_map.cell(int(row), int(column)))
    assert np.allclose(channels(found), shade(share), atol=2)
    assert drawn_map.sent == [{"scale": choice}]
    drawn_map.page.mouse.move(*drawn_map.cell(int(row), int(column)))
    expect(drawn_map.tip).to_contain_text(f"attention weight {weight:.4f}")


def test_a_long_text_opens_with_the_square_root_and_says_so(empty_map: CellMapPage) -> None:
    empty_map.draw([f"t{i}" for i in range(65)], attention(2, 65))
    expect(empty_map.scale).to_have_value("auto")
    expect(empty_map.scale.locator("option:checked")).to_have_text("weight: auto (square root)")
    expect(empty_map.note).to_contain_text("square root of the weights, because a text here has more than 64 tokens")
    empty_map.look(scale="linear")
    expect(empty_map.scale).to_have_value("linear")
    expect(empty_map.note).not_to_contain_text("square root")


def test_a_saved_picture_carries_the_legend_of_its_scale(drawn_map: CellMapPage, tmp_path: Path) -> None:
    drawn_map.look(scale="root")
    with drawn_map.page.expect_download() as saving:
        drawn_map.page.get_by_role("button", name="SVG").click()
    saving.value.save_as(tmp_path / "picture.svg")
    texts = [part.text for part in ElementTree.parse(tmp_path / "picture.svg").iter() if part.tag.endswith("text")]
    assert {"attention weight (√)", "0.05", "0.25"} <= set(texts)
