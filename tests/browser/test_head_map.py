"""The map of all heads alone on an empty page: what it draws, says and sends."""

import numpy as np
import pytest
from playwright.sync_api import expect

from encoder.measures.head_profiles import HeadProfiles
from tests.browser.pages.component_page import ComponentPage
from tests.browser.pages.offline import Offline
from viz.payloads.message import Message
from viz.payloads.model_map import map_message, usual_measures

TILES = "head_map/tiles.mjs"
LAYERS, HEADS, SIDE = 3, 4, 5
LARGE = {"large": True, "filter": False}
# One head looks at the previous token, all others everywhere.
PREVIOUS = (1, 2)
PIXEL = """([x, y]) => {
    const canvas = document.querySelector('canvas');
    const ratio = window.devicePixelRatio;
    return Array.from(canvas.getContext('2d').getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data);
}"""


def message() -> Message:
    pictures = np.full((LAYERS, HEADS, SIDE, SIDE), 1 / SIDE, np.float32)
    pictures[PREVIOUS] = np.eye(SIDE, k=-1)
    shares = np.linspace(0, 1, LAYERS * HEADS, dtype=np.float32).reshape(LAYERS, HEADS)
    names = HeadProfiles.__dataclass_fields__
    return map_message(pictures, usual_measures(HeadProfiles(**dict.fromkeys(names, shares)), "[SEP]"))


@pytest.fixture
def heads(offline: Offline) -> ComponentPage:
    component = ComponentPage(offline, "head_map")
    component.receive(message())
    component.show(extra=LARGE, layer=1, head=2)
    return component


def tile(component: ComponentPage, layer: int, head: int) -> tuple[float, float, float]:
    """Left upper corner and side of a head's picture on the canvas."""
    width = component.page.evaluate("document.querySelector('.view').clientWidth")
    place = component.call(TILES, "layoutOf", width, LAYERS, HEADS, True)
    return place["left"] + place["step"] * head, place["top"] + place["step"] * layer, place["side"]


def test_every_head_is_drawn_with_its_weights(heads: ComponentPage) -> None:
    x, y, side = tile(heads, *PREVIOUS)
    cell = side / SIDE
    looked_at = heads.page.evaluate(PIXEL, [x + 0.5 * cell, y + 1.5 * cell])
    passed_over = heads.page.evaluate(PIXEL, [x + 2.5 * cell, y + 1.5 * cell])
    assert looked_at[:3] == [0x23, 0x1D, 0xA3]
    assert passed_over[:3] == [255, 255, 255]
    x, y, side = tile(heads, 0, 0)
    everywhere = {tuple(heads.page.evaluate(PIXEL, [x + share * side, y + share * side])) for share in (0.3, 0.5, 0.7)}
    assert len(everywhere) == 1
    assert heads.painted == f"{heads.id}|L1|H2"


def test_a_click_chooses_layer_and_head_and_shows_it_alone(heads: ComponentPage) -> None:
    x, y, side = tile(heads, 2, 3)
    heads.locator("canvas").first.click(position={"x": x + side / 2, "y": y + side / 2})
    assert heads.sent == [{"layer": 2, "head": 3, "heads": ""}]
    heads.settle()
    assert heads.painted == f"{heads.id}|L2|H3"
    heads.locator("canvas").first.click(position={"x": x + side / 2, "y": y + side / 2})
    assert len(heads.sent) == 1


def test_the_part_of_a_pair_is_chosen_below_the_map(heads: ComponentPage) -> None:
    choice = heads.page.get_by_role("radiogroup", name="From → to")
    expect(choice).to_be_hidden()
    heads.show(extra=LARGE | {"filter": True}, layer=1, head=2)
    choice.get_by_role("radio", name="A→B").click()
    expect(choice.get_by_role("radio", name="A→B")).to_be_checked()
    heads.page.keyboard.press("ArrowRight")
    expect(choice.get_by_role("radio", name="B→A")).to_be_focused()
    heads.page.keyboard.press("End")
    assert heads.sent == [{"sentences": "A→B"}, {"sentences": "B→A"}]


def test_arrow_keys_walk_the_map_to_its_edges(heads: ComponentPage) -> None:
    heads.locator("canvas").first.focus()
    for key in ("ArrowUp", "ArrowUp", "ArrowLeft", "ArrowDown"):
        heads.page.keyboard.press(key)
    assert [(change["layer"], change["head"]) for change in heads.sent] == [(0, 2), (0, 1), (1, 1)]
    expect(heads.locator(".spoken")).to_have_text(
        "L1 H1, entropy in bits 0.45, to [SEP] 45%, to itself 45%, to the previous token 45%, to the next token 45%"
    )


def test_hover_previews_a_head_until_the_pointer_leaves_or_a_key_chooses(heads: ComponentPage) -> None:
    def selected(which: str) -> list[int]:
        found: list[int] = heads.page.evaluate(f"(({{ layer, head }}) => [layer, head])(selection.{which})")
        return found

    def point() -> None:
        heads.locator("canvas").first.hover(position={"x": x + side / 2, "y": y + side / 2})
        assert selected("shown") == [2, 3]

    x, y, side = tile(heads, 2, 3)
    tip = heads.locator(".tip")
    point()
    assert selected("chosen") == [1, 2]
    expect(tip).to_contain_text("L2 H3")
    expect(tip).to_contain_text("entropy in bits 1.00")
    expect(tip).to_contain_text("to [SEP] 100%")
    heads.page.keyboard.press("Escape")
    heads.page.mouse.move(5, 900)
    expect(tip).to_be_hidden()
    assert selected("shown") == [1, 2]
    point()
    heads.locator("canvas").first.press("ArrowLeft")
    assert selected("shown") == [1, 1]
    heads.page.mouse.move(5, 900)
    point()
    heads.page.evaluate("remove()")
    assert selected("shown") == [1, 1]
    assert heads.sent == [{"layer": 1, "head": 1, "heads": ""}]
