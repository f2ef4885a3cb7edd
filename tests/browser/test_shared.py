"""What all views share: messages, the way back to Python, painters."""

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


def test_changes_stay_until_python_has_answered_the_last_of_them(page: Page) -> None:
    body = """
        const sent = [];
        const link = new m.Link();
        const say = (changes) => link.send(changes, (name, value) => sent.push(value));
        const heard = (answered) => link.merged({ selection: { layer: 0, head: 4 }, answered });
        const seen = [heard(null)];
        say({ layer: 2 });
        say({ head: 7 });
        seen.push(heard(null), heard(sent[0].number), heard(sent[1].number), heard(null));
        return { seen, changes: sent.map((message) => message.changes), apart: sent[1].number - sent[0].number };
    """
    found = run(page, "link", body)
    assert found["changes"] == [{"layer": 2}, {"layer": 2, "head": 7}]
    assert found["apart"] == 1
    clicked, believed = {"layer": 2, "head": 7}, {"layer": 0, "head": 4}
    assert found["seen"] == [believed, clicked, clicked, believed, believed]


def test_two_views_never_repeat_a_number(page: Page) -> None:
    body = """
        const numbers = [];
        const link = new m.Link();
        for (let i = 0; i < 3; i++) link.send({ layer: i }, (name, value) => numbers.push(value.number));
        await new Promise((then) => setTimeout(then, 20));
        new m.Link().send({ layer: 0 }, (name, value) => numbers.push(value.number));
        return numbers;
    """
    numbers = run(page, "link", body)
    assert sorted(set(numbers)) == numbers


def test_the_store_keeps_what_fits_and_tells_who_waits(page: Page) -> None:
    body = """
        const store = m.storeOf({});
        const told = [];
        m.withBlob(store, "b", (blob) => told.push(blob));
        const stop = m.withBlob(store, "b", () => told.push("gave up"));
        stop();
        m.keep(store, "a", "A", 60, 100);
        m.keep(store, "b", "B", 30, 100);
        m.withBlob(store, "a", (blob) => told.push(blob));
        m.keep(store, "c", "C", 30, 100);
        m.keep(store, "d", "D", 500, 100);
        return { told, kept: [...store.blobs.keys()] };
    """
    assert run(page, "store", body) == {"told": ["B", "A"], "kept": ["d"]}


def test_svg_is_well_formed_whatever_the_tokens_say(page: Page) -> None:
    body = """
        const painter = new m.SvgPainter(100, 80, "#ffffff", 'a "font"');
        painter.lines([0, 0, 10, 10, 5, 5, 20.006, 5], { colour: "#112233", alpha: 0.5, width: 2 });
        painter.lines([], { colour: "#112233" });
        for (const text of argument) painter.text(1, 2, text, { colour: "#000000", align: "end", turn: -90 });
        painter.clip(0, 0, 5, 5, () => painter.rect(1, 1, 2, 2, { stroke: "#445566" }));
        return painter.toString();
    """
    labels = [*HOSTILE, "\ud800", "\uffff", 'a"b&c']
    root = ElementTree.fromstring(run(page, "paint", body, labels))
    name = "{http://www.w3.org/2000/svg}"
    texts = [text.text for text in root.iter(f"{name}text")]
    assert texts[:3] == HOSTILE[:3]
    assert texts[-3:] == ["\ufffd", "\ufffd", 'a"b&c']
    assert [path.get("d") for path in root.iter(f"{name}path")] == ["M0 0L10 10M5 5L20.01 5"]
    assert root.get("font-family") == 'a "font"'
    assert not list(root.iter(f"{name}script"))


def test_a_ramp_runs_through_the_stops(page: Page) -> None:
    stops = [[0, "#000000"], [0.5, "#ff0000"], [1, "#ffffff"]]
    colours = run(page, "paint", "return m.ramp(argument, 5)", stops)
    assert colours == [[0, 0, 0], [128, 0, 0], [255, 0, 0], [255, 128, 128], [255, 255, 255]]


def test_both_painters_know_the_same_calls(page: Page) -> None:
    body = """
        const calls = (painter) => Object.getOwnPropertyNames(painter.prototype).filter((name) => name !== "toString");
        return [m.CanvasPainter, m.SvgPainter].map((painter) => calls(painter).sort());
    """
    canvas, svg = run(page, "paint", body)
    assert canvas == svg


def test_weights_come_back_from_their_roots(page: Page) -> None:
    assert run(page, "blob", "return [0, 32768, 65535].map(m.weightOf)") == pytest.approx([0, 0.2500076, 1])


def test_long_labels_end_in_an_ellipsis_between_characters(page: Page) -> None:
    body = "return argument.map(([text, width]) => m.fitted(text, width, (part) => [...part].length))"
    labels = [["flies", 5], ["flies", 4], ["🙂🙂🙂", 2], ["flies", 0]]
    assert run(page, "page", body, labels) == ["flies", "fli…", "🙂…", "…"]


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
    assert run(page, "page", body) == [1, 2]
