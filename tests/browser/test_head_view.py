"""The head view alone on an empty page: its lines, and what pointer, keys and buttons do.

Lines, layout, words and recorded pictures are tested without a browser, in tests/viz/components/head_view.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from playwright.sync_api import expect

from encoder.runs.arrays import FloatArray
from tests.browser.pages.component_page import ComponentPage, attention, layer_message, units_of
from tests.browser.pages.offline import PAIR, Offline

HEADS = 4
TOP = "document.querySelector('.scroller').scrollTop"
GAP = 14  # pixels between the sentences
INKED = """() => {
    /** Pixels of a canvas that are not empty. */
    window.inked = (name) => {
        const canvas = document.querySelector(`canvas.${name}`);
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.filter((value, index) => index % 4 === 3 && value > 0).length;
    };
}"""

WEIGHTS = attention(HEADS, len(PAIR))


class HeadView(ComponentPage):
    """The component on a page of its own."""

    def __init__(self, offline: Offline) -> None:
        super().__init__(offline, "head_view", width=900, classes="head-view")
        self.page.evaluate(INKED)
        self.watch()

    def draw(
        self,
        labels: Sequence[str] = PAIR,
        weights: FloatArray = WEIGHTS,
        *,
        b_start: int | None = 7,
        **selection: Any,
    ) -> HeadView:
        self.receive(layer_message(weights, units_of(labels, b_start), letters=("A", "B"), numbers=None))
        self.look(**selection)
        expect(self.page.locator(".count")).not_to_be_empty()
        return self

    def look(self, *, until: int | None = None, **selection: Any) -> None:
        """At another head of the layer, with another selection, or when so many units exist."""
        self.show(extra={"place": "pair", "until": until}, **({"layer": 3, "head": 1} | selection))

    def at(self, side: int, row: int) -> tuple[float, float]:
        """The middle of a token's row; rows behind the first seven stand lower by the gap between the sentences."""
        box = self.page.locator(".pane").bounding_box()
        height = (box["height"] - 32 - 6 - GAP) / len(PAIR)
        y = box["y"] + 32 + (row + 0.5) * height + (GAP if row >= 7 else 0)
        return box["x"] + (60 if side == 0 else box["width"] - 60), y

    def pressed(self) -> list[str]:
        return self.page.locator('[aria-pressed="true"]').all_inner_texts()

    def head(self, head: int) -> Any:
        return self.page.get_by_role("button", name=f"Head {head}", exact=True)


@pytest.fixture
def head_view(offline: Offline) -> HeadView:
    offline.page.set_viewport_size({"width": 1000, "height": 900})
    offline.page.emulate_media(reduced_motion="reduce")
    return HeadView(offline)


def written_weights(weights: list[float]) -> list[str]:
    return ["0" if weight < 0.005 else f"{weight:.2f}" for weight in weights]


def test_one_head_is_drawn_with_all_tokens(head_view: HeadView) -> None:
    head_view.draw()
    drawn = int((WEIGHTS[1] >= 0.01).sum())
    expect(head_view.page.locator(".count")).to_have_text(f"{drawn} of 169 lines")
    assert head_view.pressed() == ["1"]
    head_view.page.wait_for_function("inked('lines') > 1000")
    texts = head_view.written()
    assert [text for text in texts if text in PAIR] == PAIR + PAIR
    assert {"L3 H1", "from (query)", "to (key)", "A", "B"} <= set(texts)
    assert head_view.sent == []


def test_no_head_draws_no_line(head_view: HeadView) -> None:
    head_view.draw(heads="none")
    expect(head_view.page.locator(".count")).to_have_text("0 of 0 lines")
    expect(head_view.page.locator(".said")).to_have_text("No head is chosen: click a number above.")
    head_view.page.wait_for_function("inked('tokens') > 0")
    assert head_view.page.evaluate("inked('lines')") == 0
    head_view.page.mouse.move(*head_view.at(0, 8))
    expect(head_view.page.locator(".said")).to_contain_text("no head is chosen")


def test_a_layer_that_is_not_there_yet_leaves_the_picture(head_view: HeadView) -> None:
    head_view.draw()
    count = head_view.page.locator(".count").inner_text()
    message = layer_message(WEIGHTS, units_of(PAIR, 7), letters=("A", "B"), numbers=None, layer=4)
    head_view.id = message.id
    head_view.look(layer=4, heads="all")
    expect(head_view.page.locator(".count")).to_have_text(count)
    expect(head_view.page.locator(".notice")).to_have_text("Layer 4 is on its way …")
    head_view.receive(message)
    expect(head_view.page.locator(".notice")).to_be_hidden()
    expect(head_view.page.locator(".count")).to_contain_text("of 676 lines")


def test_hover_shows_a_token_alone_with_its_weights_and_sends_nothing(head_view: HeadView) -> None:
    head_view.draw()
    head_view.page.wait_for_function("inked('lines') > 0")
    assert head_view.page.evaluate("inked('over')") == 0
    head_view.written()
    head_view.page.mouse.move(*head_view.at(0, 8))
    expect(head_view.page.locator(".pane")).to_have_class("pane pointing alone")
    expect(head_view.page.locator(".lines")).to_have_css("opacity", "0.1")
    expect(head_view.page.locator(".said")).to_contain_text("flies (8) looks at: ")
    assert head_view.written() == written_weights(WEIGHTS[1][8].tolist())
    head_view.page.mouse.move(*head_view.at(1, 3))
    expect(head_view.page.locator(".said")).to_contain_text("like (3) is looked at by: ")
    assert head_view.written() == written_weights(WEIGHTS[1][:, 3].tolist())
    head_view.page.mouse.move(990, 890)
    expect(head_view.page.locator(".pane")).to_have_class("pane")
    head_view.page.wait_for_function("inked('over') === 0")
    assert head_view.sent == []


def test_a_click_pins_and_a_second_click_or_escape_releases(head_view: HeadView) -> None:
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
    head_view.page.evaluate("answer()")
    head_view.look(query=8)
    for _ in range(2):
        head_view.page.locator(".scroller").press("Escape")
        assert head_view.sent[2:] == [{"query": -1, "key": -1}]
    expect(head_view.page.locator(".said")).to_contain_text("Thicker line = more attention")


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


def test_a_long_text_keeps_its_place_and_another_one_begins_at_its_top(head_view: HeadView) -> None:
    labels, weights = [f"word{index}" for index in range(512)], attention(3, 512)
    head_view.draw(labels, weights, b_start=None, heads="all")
    expect(head_view.page.locator(".count")).to_have_text("6,144 of 786,432 lines")
    head_view.page.locator(".scroller").evaluate("(box) => { box.scrollTop = 6000; }")
    head_view.page.wait_for_function("written.includes('word260')")
    assert "word511" not in head_view.written()
    head_view.draw(labels, weights, b_start=None, head=2)
    expect(head_view.page.locator(".count")).to_have_text("2,048 of 262,144 lines")
    assert head_view.page.evaluate(TOP) == 6000
    head_view.page.evaluate("remount()")
    head_view.page.wait_for_function(f"{TOP} === 6000")
    head_view.draw(labels, weights, b_start=None, head=2, query=3)
    head_view.page.wait_for_function(f"{TOP} < 100")  # what is pinned elsewhere comes into view
    head_view.page.locator(".scroller").press("End")
    head_view.page.wait_for_function("written.includes('word511')")
    head_view.draw([f"other{index}" for index in range(200)], attention(2, 200), b_start=None)
    head_view.page.wait_for_function("written.includes('other0')")
    assert head_view.page.evaluate(TOP) == 0


def test_queries_to_come_have_no_lines_and_cannot_be_pinned(head_view: HeadView) -> None:
    head_view.draw(until=9, query=10)
    drawn = int((WEIGHTS[1][:9] >= 0.01).sum())
    expect(head_view.page.locator(".count")).to_have_text(f"{drawn} of {9 * 13} lines")
    head_view.page.mouse.move(*head_view.at(0, 9))
    head_view.settle()
    expect(head_view.page.locator(".said")).to_contain_text("Thicker line = more attention")
    head_view.page.mouse.click(*head_view.at(0, 9))
    assert head_view.sent == []
    head_view.written()
    head_view.page.mouse.move(*head_view.at(1, 3))
    expect(head_view.page.locator(".said")).to_contain_text("like (3) is looked at by: ")
    written = [text for text in head_view.written() if text == "0" or text[1:2] == "."]
    assert written == written_weights(WEIGHTS[1][:9, 3].tolist())
    head_view.page.mouse.move(990, 890)
    scroller = head_view.page.locator(".scroller")
    scroller.press("ArrowDown")
    scroller.press("End")
    expect(head_view.page.locator(".spoken")).to_contain_text("flies (8) looks at")
    scroller.press("ArrowRight")
    scroller.press("End")
    expect(head_view.page.locator(".spoken")).to_contain_text("[SEP] (12) is looked at by")


def test_before_the_first_query_exists_nothing_is_looked_at(head_view: HeadView) -> None:
    head_view.draw(sentences="B→A", until=7)
    expect(head_view.page.locator(".count")).to_have_text("0 of 0 lines")
    scroller = head_view.page.locator(".scroller")
    scroller.press("ArrowDown")
    expect(head_view.page.locator(".spoken")).to_be_empty()
    scroller.press("ArrowRight")
    expect(head_view.page.locator(".spoken")).to_have_text("[SEP] (6) is looked at by: nothing")
