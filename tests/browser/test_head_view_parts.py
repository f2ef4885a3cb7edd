"""What else a head view is told: names of its two parts, numbers of tokens, and how many tokens exist so far."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.pages.head_view_page import WEIGHTS, HeadView
from tests.browser.pages.offline import PAIR
from viz.theme import THEMES


def numbers_beside(head_view: HeadView) -> list[str]:
    """Weights that were written since the last time."""
    return [text for text in head_view.written() if text == "0" or text[1:2] == "."]


def said_of(weights: list[float]) -> list[str]:
    return ["0" if weight < 0.005 else f"{weight:.2f}" for weight in weights]


def test_strips_have_the_letters_of_their_parts(head_view: HeadView) -> None:
    head_view.draw(letters=("S", "T"))
    head_view.page.wait_for_function("written.includes('S')")
    texts = head_view.written()
    assert (texts.count("S"), texts.count("T")) == (2, 2)
    assert not {"A", "B"} & set(texts)


def test_tokens_are_told_apart_by_the_numbers_that_they_were_given(head_view: HeadView) -> None:
    head_view.draw(numbers=[*range(7), *range(6)])
    head_view.page.mouse.move(*head_view.at(0, 8))
    expect(head_view.page.locator(".said")).to_contain_text("flies (1) looks at: ")
    head_view.page.mouse.click(*head_view.at(1, 7))
    assert head_view.sent == [{"query": -1, "key": 7, "pinned_in": "A"}]
    head_view.page.evaluate("answer()")
    head_view.page.get_by_text("As a table").click()
    expect(head_view.page.locator("caption")).to_have_text("Weights to fruit (0)")
    names = head_view.page.locator("tbody th")
    expect(names).to_have_text([f"{label} ({at % 7})" for at, label in enumerate(PAIR)])


def test_queries_to_come_have_no_lines_and_cannot_be_pinned(head_view: HeadView) -> None:
    head_view.draw(until=9)
    drawn = int((WEIGHTS[1][:9] >= 0.01).sum())
    expect(head_view.page.locator(".count")).to_have_text(f"{drawn} of {9 * 13} lines")
    head_view.page.mouse.move(*head_view.at(0, 9))
    head_view.settle()
    expect(head_view.page.locator(".pane")).to_have_class("pane")
    expect(head_view.page.locator(".said")).to_contain_text("Opacity")
    head_view.page.mouse.click(*head_view.at(0, 9))
    assert head_view.sent == []
    head_view.written()
    head_view.page.mouse.move(*head_view.at(1, 3))
    expect(head_view.page.locator(".said")).to_contain_text("like (3) is looked at by: ")
    assert numbers_beside(head_view) == said_of(WEIGHTS[1][:9, 3].tolist())
    head_view.page.get_by_text("As a table").click()
    expect(head_view.page.locator("tbody tr")).to_have_count(9)


def test_lines_of_a_key_come_from_queries_that_exist(head_view: HeadView) -> None:
    ends = """() => {
        window.ends = [];
        const { moveTo } = CanvasRenderingContext2D.prototype;
        CanvasRenderingContext2D.prototype.moveTo = function (...point) {
            ends.push(point);
            return moveTo.apply(this, point);
        };
    }"""
    head_view.page.evaluate(ends)
    head_view.draw(until=9, key=3)
    head_view.page.wait_for_function("inked('over') > 0 && inked('lines') > 0")
    lowest = max(y for _, y in head_view.page.evaluate("ends"))
    box = head_view.page.locator(".pane").bounding_box()
    assert box
    eighth, ninth = (head_view.at(0, row)[1] - box["y"] for row in (8, 9))
    assert eighth - 1 <= lowest < (eighth + ninth) / 2


def test_nothing_moves_when_tokens_come_to_exist(head_view: HeadView) -> None:
    light = THEMES["light"]

    def tokens(until: int | None) -> list[tuple[str, str, float, float]]:
        head_view.placed()
        head_view.look(until=until)
        head_view.page.wait_for_function("placed.some(([text]) => text === 'banana')")
        return [text for text in head_view.placed() if text[0] in PAIR]

    head_view.draw()
    all_of_them, some = tokens(None), tokens(9)
    assert [(label, *place) for label, _, *place in some] == [(label, *place) for label, _, *place in all_of_them]
    inks = [light.muted.lower() if label.startswith("[") else light.text.lower() for label in PAIR]
    assert [ink for _, ink, *_ in all_of_them] == 2 * inks
    assert [ink for _, ink, *_ in some] == 2 * (inks[:9] + 4 * [light.muted.lower()])


def test_keys_and_pins_keep_to_queries_that_exist(head_view: HeadView) -> None:
    head_view.draw(until=9, query=10)
    expect(head_view.page.locator(".said")).to_contain_text("Opacity")
    scroller = head_view.page.locator(".scroller")
    scroller.press("ArrowDown")
    scroller.press("End")
    expect(head_view.page.locator(".spoken")).to_contain_text("flies (8) looks at")
    scroller.press("ArrowRight")
    scroller.press("End")
    expect(head_view.page.locator(".spoken")).to_contain_text("[SEP] (12) is looked at by")
    head_view.look(until=10, query=8)
    expect(head_view.page.locator(".said")).to_contain_text("[SEP] (12) is looked at by")


def test_before_the_first_query_exists_nothing_is_looked_at(head_view: HeadView) -> None:
    head_view.draw(sentences="B→A", until=7)
    expect(head_view.page.locator(".count")).to_have_text("0 of 0 lines")
    scroller = head_view.page.locator(".scroller")
    scroller.press("ArrowDown")
    expect(head_view.page.locator(".spoken")).to_be_empty()
    scroller.press("ArrowRight")
    expect(head_view.page.locator(".spoken")).to_have_text("[SEP] (6) is looked at by: nothing")
