"""What all views share and only a browser has: an XML parser, and frames."""

import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.pages.component_page import ComponentPage
from tests.browser.pages.offline import HOSTILE, Offline


@pytest.fixture
def page(offline: Offline) -> Page:
    return ComponentPage(offline, "head_map").page


def run(page: Page, module: str, body: str, argument: Any = None) -> Any:
    """The value of a function body, in which `m` is a shared module."""
    script = f"async (argument) => {{ const m = await load('shared/{module}.mjs'); {body} }}"
    return page.evaluate(script, argument)


def test_svg_is_well_formed_whatever_the_tokens_say(page: Page) -> None:
    body = """
        const painter = new m.SvgPainter(100, 80, "#ffffff", 'a "font"');
        painter.lines([0, 0, 10, 10, 5, 5, 20.006, 5], { colour: "#112233", alpha: 0.5, width: 2 });
        painter.lines([], { colour: "#112233" });
        for (const text of argument) painter.text(1, 2, text, { colour: "#000000", align: "end" });
        painter.clip(0, 0, 5, 5, () => painter.rect(1, 1, 2, 2, { stroke: "#445566" }));
        return painter.toString();
    """
    labels = [*HOSTILE, "\ud800", "\uffff", 'a"b&c']
    root = ElementTree.fromstring(run(page, "svg_painter", body, labels))
    name = "{http://www.w3.org/2000/svg}"
    texts = [text.text for text in root.iter(f"{name}text")]
    assert texts[:3] == HOSTILE[:3]
    assert texts[-3:] == ["\ufffd", "\ufffd", 'a"b&c']
    assert [path.get("d") for path in root.iter(f"{name}path")] == ["M0 0L10 10M5 5L20.01 5"]
    assert root.get("font-family") == 'a "font"'
    assert not list(root.iter(f"{name}script"))


def test_many_requests_for_a_frame_draw_once(page: Page) -> None:
    body = """
        let drawn = 0;
        const draw = m.perFrame(() => drawn++);
        const frames = () => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)));
        draw(); draw(); draw();
        await frames();
        const once = drawn;
        draw();
        await frames();
        return [once, drawn];
    """
    assert run(page, "view", body) == [1, 2]
