"""The head view under pointer and keys, alone on an empty page: hover, pins, heads, scrolling."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect

from tests.browser.pages.component_page import attention
from tests.browser.pages.head_view_page import WEIGHTS, HeadView


def test_hover_shows_a_token_alone_with_its_weights_and_sends_nothing(head_view: HeadView) -> None:
    head_view.draw()
    head_view.page.wait_for_function("inked('lines') > 0")
    assert head_view.page.evaluate("inked('over')") == 0
    head_view.written()
    head_view.page.mouse.move(*head_view.at(0, 8))
    expect(head_view.page.locator(".pane")).to_have_class("pane pointing alone")
    expect(head_view.page.locator(".lines")).to_have_css("opacity", "0.1")
    expect(head_view.page.locator(".said")).to_contain_text("flies (8) looks at: ")
    expected = ["0" if weight < 0.005 else f"{weight:.2f}" for weight in WEIGHTS[1][8]]
    assert head_view.written() == expected
    head_view.page.mouse.move(*head_view.at(1, 3))
    expect(head_view.page.locator(".said")).to_contain_text("like (3) is looked at by: ")
    assert head_view.written() == ["0" if weight < 0.005 else f"{weight:.2f}" for weight in WEIGHTS[1][:, 3]]
    head_view.page.mouse.move(990, 890)
    expect(head_view.page.locator(".pane")).to_have_class("pane")
    head_view.page.wait_for_function("inked('over') === 0")
    assert head_view.sent == []


def test_click_pins_and_a_second_click_releases(head_view: HeadView) -> None:
    head_view.draw()
    head_view.page.mouse.click(*head_view.at(1, 7))
    assert head_view.sent == [{"query": -1, "key": 7, "pinned_in": "A"}]
    head_view.page.evaluate("answer()")
    head_view.page.mouse.move(990, 890)
    expect(head_view.page.locator(".said")).to_contain_text("fruit (7) is looked at by")
    head_view.page.mouse.move(*head_view.at(0, 1))
    expect(head_view.page.locator(".said")).to_contain_text("time (1) looks at")
    head_view.page.mouse.click(*head_view.at(1, 7))
    assert head_view.sent[1] == {"query": -1, "key": -1, "pinned_in": "A"}
    head_view.page.mouse.move(990, 890)
    expect(head_view.page.locator(".pane")).to_have_class("pane")


def test_escape_releases_what_is_pinned(head_view: HeadView) -> None:
    head_view.draw(query=8)
    expect(head_view.page.locator(".said")).to_contain_text("flies (8) looks at")
    head_view.page.locator(".scroller").press("Escape")
    assert head_view.sent == [{"query": -1, "key": -1}]
    expect(head_view.page.locator(".said")).to_contain_text("Opacity")
    head_view.page.locator(".scroller").press("Escape")
    assert len(head_view.sent) == 1


def test_keys_walk_pin_and_are_spoken(head_view: HeadView) -> None:
    head_view.draw()
    scroller = head_view.page.locator(".scroller")
    scroller.press("ArrowDown")
    expect(head_view.page.locator(".spoken")).to_contain_text("[CLS] (0) looks at")
    scroller.press("ArrowDown")
    scroller.press("ArrowRight")
    expect(head_view.page.locator(".spoken")).to_contain_text("time (1) is looked at by")
    scroller.press("Enter")
    assert head_view.sent == [{"query": -1, "key": 1, "pinned_in": "A"}]
    expect(head_view.page.locator(".spoken")).to_contain_text("Pinned. time (1)")
    head_view.page.evaluate("answer()")
    scroller.press(" ")
    assert head_view.sent[1] == {"query": -1, "key": -1, "pinned_in": "A"}


def test_chips_choose_heads(head_view: HeadView) -> None:
    head_view.draw()
    head_view.head(3).click()
    assert head_view.sent[-1] == {"heads": "1.3"}
    assert head_view.pressed() == ["1", "3"]
    expect(head_view.page.locator(".count")).to_contain_text("of 338 lines")
    head_view.page.evaluate("answer()")
    head_view.head(0).click(modifiers=["Alt"])
    assert head_view.sent[-1] == {"head": 0, "heads": ""}
    head_view.page.evaluate("answer()")
    head_view.head(2).dblclick()
    assert head_view.sent[-1] == {"head": 2, "heads": ""}
    head_view.page.evaluate("answer()")
    for name, heads in (("all", ["0", "1", "2", "3"]), ("none", []), ("mean", ["mean"])):
        head_view.page.get_by_role("button", name=name, exact=True).click()
        assert head_view.pressed() == heads
        head_view.page.evaluate("answer()")
    assert head_view.sent[-1] == {"head": -1, "heads": ""}
    expect(head_view.page.locator(".count")).to_contain_text("of 169 lines")


def test_lines_that_are_drawn_are_chosen_and_stay_chosen(head_view: HeadView) -> None:
    head_view.draw()
    box = head_view.page.get_by_role("combobox", name="Lines that are drawn")
    expect(box).to_have_value("0.01")
    box.select_option("top 1")
    expect(head_view.page.locator(".count")).to_have_text("13 of 169 lines")
    head_view.draw(head=2)
    expect(head_view.page.locator(".count")).to_have_text("13 of 169 lines")
    box.select_option("every")
    expect(head_view.page.locator(".count")).to_have_text("169 of 169 lines")
    head_view.page.evaluate("remount()")
    expect(head_view.page.get_by_role("combobox", name="Lines that are drawn")).to_have_value("every")
    assert head_view.sent == []


def test_many_lines_of_a_token_are_drawn_over_several_frames_and_all_of_them(head_view: HeadView) -> None:
    weights = np.full((12, 512, 512), 1 / 512, dtype=np.float32)
    head_view.draw([f"word{index}" for index in range(512)], weights, b_start=None, heads="all")
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
    head_view.page.evaluate(drawn)
    head_view.page.mouse.move(*head_view.at(1, 2, rows=22, gap=0))
    head_view.page.wait_for_function("frames_of_lines.length >= 12 * 512")
    head_view.settle()
    frames = head_view.page.evaluate("frames_of_lines")
    assert len(frames) == 12 * 512
    assert len(set(frames)) >= 3


def test_long_text_scrolls_and_stays_where_it_is(head_view: HeadView) -> None:
    labels = [f"word{index}" for index in range(512)]
    weights = attention(3, 512)
    head_view.draw(labels, weights, b_start=None, heads="all")
    expect(head_view.page.locator(".count")).to_have_text("6,144 of 786,432 lines")
    head_view.page.locator(".scroller").evaluate("(box) => { box.scrollTop = 6000; }")
    head_view.page.wait_for_function("written.includes('word260')")
    texts = set(head_view.written())
    assert "word0" in texts  # of the first paint
    assert "word511" not in texts
    head_view.draw(labels, weights, b_start=None, head=2)
    expect(head_view.page.locator(".count")).to_have_text("2,048 of 262,144 lines")
    top = "document.querySelector('.scroller').scrollTop"
    assert head_view.page.evaluate(top) == 6000
    head_view.page.evaluate("remount()")
    head_view.page.wait_for_function(f"{top} === 6000")
    head_view.draw(labels, weights, b_start=None, head=2, query=3)
    head_view.page.wait_for_function(f"{top} < 100")  # what is pinned elsewhere comes into view
    box = head_view.page.locator(".scroller").bounding_box()
    assert box
    assert box["height"] <= 600
    head_view.page.locator(".scroller").press("End")
    head_view.page.wait_for_function("written.includes('word511')")


def test_new_text_is_drawn_from_its_top(head_view: HeadView) -> None:
    head_view.draw([f"word{index}" for index in range(200)], attention(2, 200), b_start=None)
    head_view.page.locator(".scroller").evaluate("(box) => { box.scrollTop = 900; }")
    head_view.page.wait_for_function("written.includes('word50')")
    head_view.draw([f"other{index}" for index in range(200)], attention(2, 200), b_start=None)
    head_view.page.wait_for_function("written.includes('other0')")
    assert head_view.page.evaluate("document.querySelector('.scroller').scrollTop") == 0
