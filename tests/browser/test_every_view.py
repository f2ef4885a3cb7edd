"""What all four views promise alike, each alone on an empty page."""

from __future__ import annotations

import re
import struct
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from encoder.measures.head_profiles import HeadProfiles
from tests.browser.pages.component_page import ComponentPage, attention, layer_message, units_of
from tests.browser.pages.files import Files
from tests.browser.pages.offline import HOSTILE, PAIR, Offline
from tests.browser.pages.window import Window
from viz.payloads.layer import neurons_message
from viz.payloads.message import Message
from viz.payloads.model_map import THUMBNAIL, map_message, usual_measures

HEADS, LAYERS, LAYER, HEAD = 3, 4, 2, 1
CANVASES = "[...document.querySelectorAll('.view canvas')].filter((canvas) => canvas.clientWidth)"
PICTURE = f"{CANVASES}.map((canvas) => canvas.toDataURL()).join()"
LONG = [f"word{index}" for index in range(512)]


def layer_of(labels: list[str]) -> Message:
    return layer_message(attention(HEADS, len(labels)), units_of(labels), layer=LAYER)


def neurons_of(labels: list[str]) -> Message:
    arrays = np.random.default_rng(0).normal(size=(2, 1, HEADS, len(labels), 32)).astype(np.float32)
    return neurons_message(*arrays, units_of(labels), run=str(hash(tuple(labels))), layers=[LAYER], scaling=[32**-0.5])


def model_of(labels: list[str]) -> Message:
    """Of a text whose separator is its last token."""
    side = min(len(labels), THUMBNAIL)
    pictures = attention(LAYERS * HEADS, side).reshape(LAYERS, HEADS, side, side)
    pictures = np.roll(pictures, len(labels[-1]), axis=-1)
    shares = np.linspace(0, 1, LAYERS * HEADS, dtype=np.float32).reshape(LAYERS, HEADS)
    profiles = HeadProfiles(**dict.fromkeys(HeadProfiles.__dataclass_fields__, shares))
    return map_message(pictures, usual_measures(profiles, labels[-1]))


@dataclass(frozen=True)
class Kind:
    """One of the views: its message of a text, and what Python tells it besides."""

    name: str
    message: Callable[[list[str]], Message]
    extra: dict[str, Any]
    classes: str = ""


KINDS = [
    Kind("cell_map", layer_of, {"place": "pair"}),
    Kind("head_map", model_of, {"large": True, "enabled": True, "filter": "enabled", "hint": True}),
    Kind("head_view", layer_of, {"place": "pair"}, "head-view"),
    Kind("neuron_view", neurons_of, {}, "neuron"),
]


class View(ComponentPage):
    """A view of that kind with a text in it."""

    def __init__(self, offline: Offline, kind: Kind, width: int = 820) -> None:
        super().__init__(offline, kind.name, width=width, classes=kind.classes)
        self.kind = kind

    def draw(self, labels: list[str]) -> None:
        self.receive(self.kind.message(labels))
        self.look()

    def look(self) -> None:
        self.show(extra=self.kind.extra, layer=LAYER, head=HEAD)
        expect(self.page.locator(".view")).to_have_attribute("data-painted", self.name_painted(LAYER, HEAD))
        self.settle()

    def picture(self) -> str:
        drawn: str = self.page.evaluate(PICTURE)
        return drawn

    def saved(self, kind: str) -> bytes:
        """The file that one of the buttons brings."""
        self.page.get_by_role("button", name=re.compile("^Save")).click()
        with self.page.expect_download() as waiting:
            self.page.get_by_role("button", name=kind).click()
        assert waiting.value.suggested_filename.endswith(f".{kind.lower()}")
        return Path(waiting.value.path()).read_bytes()


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    one: Kind = request.param
    return one


@pytest.fixture
def view(offline: Offline, kind: Kind) -> View:
    offline.page.set_viewport_size({"width": 900, "height": 900})
    made = View(offline, kind)
    made.draw(PAIR)
    return made


def test_the_same_picture_is_drawn_after_another_text_another_theme_and_a_return_and_then_none(view: View) -> None:
    first = view.picture()
    view.draw([*PAIR[:-2], "suitcase", "</s>"])
    assert view.picture() != first
    view.draw(PAIR)
    assert view.picture() == first
    view.switch("dark")
    view.look()
    dark = view.picture()
    view.switch("light")
    view.look()
    assert dark != view.picture() == first
    view.page.evaluate("remount()")
    expect(view.page.locator(".view")).to_have_attribute("data-painted", view.name_painted(LAYER, HEAD))
    view.settle()
    assert view.picture() == first
    view.page.evaluate("remove()")
    expect(view.page.locator("#host > *")).to_have_count(0)
    view.page.set_viewport_size({"width": 700, "height": 700})  # nobody is left to be troubled by it
    view.settle()


def test_a_view_waits_for_its_message(offline: Offline, kind: Kind) -> None:
    view, message = View(offline, kind), kind.message(PAIR)
    view.id = message.id
    view.show(extra=kind.extra, layer=LAYER, head=HEAD)
    assert view.painted is None
    view.receive(message)
    expect(view.page.locator(".view")).to_have_attribute("data-painted", view.name_painted(LAYER, HEAD))


def test_the_picture_is_saved_as_svg_and_with_twice_its_pixels(view: View) -> None:
    root = ElementTree.fromstring(view.saved("SVG"))
    size = [round(2 * float(root.attrib[side])) for side in ("width", "height")]
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert ("banana" in texts) is (view.kind.name != "head_map")
    if view.kind.name == "cell_map":  # Chromium waits up to 7 seconds for a frame to spare, and the code is shared
        assert list(struct.unpack(">II", view.saved("PNG")[16:24])) == size


def test_the_picture_follows_the_width(view: View) -> None:
    widths = f"{CANVASES}.map((canvas) => canvas.getBoundingClientRect().right)"
    for width in (640, 820):
        view.page.evaluate("width => { document.getElementById('host').style.width = `${width}px`; }", width)
        view.settle()
        view.page.wait_for_function(f"width => {widths}.every((right) => right <= width + 1)", arg=width)
        assert max(view.page.evaluate(widths)) > 0.6 * width or view.kind.name == "head_map"


def test_a_sharp_screen_gets_all_its_pixels(browser: Window, files: Files, kind: Kind) -> None:
    context = browser.new_context(viewport={"width": 900, "height": 900}, device_scale_factor=2)
    view = View(Offline(context.new_page(), files), kind)
    view.draw(PAIR)
    sizes = view.page.evaluate(f"{CANVASES}.map(({{width, clientWidth}}) => [width, clientWidth])")
    assert sizes
    assert all(abs(width - 2 * seen) <= 1 for width, seen in sizes)
    context.close()


def test_keyboard_focus_is_visible(view: View) -> None:
    focused = """() => {
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
        const { tagName, className } = document.activeElement;
        return { name: `${tagName} ${className}`, outline: `${outlineStyle} ${outlineWidth}` };
    }"""
    seen = []
    for _ in range(60):
        view.page.keyboard.press("Tab")
        at = view.page.evaluate(focused)
        if at["name"].startswith("BODY"):
            break
        seen.append(at)
    outlines = {at["name"]: at["outline"] for at in seen if "SUMMARY" not in at["name"] and "SELECT" not in at["name"]}
    assert {name.split()[0] for name in outlines} & {"CANVAS", "DIV"}
    assert set(outlines.values()) == {"solid 2px"}, outlines


def test_reduced_motion_is_respected(view: View) -> None:
    moving = """[...document.querySelectorAll(".view, .view *")].filter((part) => {
        const { transitionDuration, animationName } = getComputedStyle(part);
        return transitionDuration.split(", ").some((one) => parseFloat(one) > 0) || animationName !== "none";
    }).map((part) => part.className)"""
    view.page.emulate_media(reduced_motion="reduce")
    assert view.page.evaluate(moving) == []
    view.page.emulate_media(reduced_motion="no-preference")
    assert view.page.evaluate(moving) == (["lines"] if view.kind.name == "head_view" else [])


def test_hostile_tokens_become_no_elements(view: View) -> None:
    view.draw([*HOSTILE, "<img src=x onerror=alert(1)>"])
    view.page.locator("canvas").first.hover(force=True)  # which opens a card or a sentence
    view.page.get_by_text("As a table").click()
    expect(view.page.locator(".twin tbody tr").first).to_be_visible()
    if view.kind.name == "head_map":
        expect(view.page.locator("thead")).to_contain_text("to <img src=x onerror=alert(1)>")
    else:
        expect(view.page.locator("tbody")).to_contain_text("</script><script>alert(1)</script>")
    expect(view.page.locator("img, .view script")).to_have_count(0)
    assert ElementTree.fromstring(view.saved("SVG")).tag == "{http://www.w3.org/2000/svg}svg"


def test_512_tokens_are_drawn_on_a_canvas_of_the_screens_size(view: View) -> None:
    view.draw(LONG)
    heights = view.page.evaluate(f"{CANVASES}.map((canvas) => canvas.clientHeight)")
    assert 0 < max(heights) <= 900
    assert view.page.evaluate("document.querySelectorAll('.view *').length") < 800
