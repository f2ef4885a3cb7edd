"""The head view in Chromium, alone with every request refused: what it draws, says, tables and saves."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.pages.component_page import attention, layer_message, units_of
from tests.browser.pages.head_view_page import HEADS, WEIGHTS, HeadView
from tests.browser.pages.offline import HOSTILE, PAIR
from viz.theme import THEMES, ThemeName


def test_one_head_is_drawn_in_its_colour_with_all_tokens(head_view: HeadView) -> None:
    head_view.draw()
    drawn = int((WEIGHTS[1] >= 0.01).sum())
    expect(head_view.page.locator(".count")).to_have_text(f"{drawn} of 169 lines")
    assert head_view.pressed() == ["1"]
    head_view.page.wait_for_function("inked('lines') > 1000")
    texts = head_view.written()
    assert [text for text in texts if text in PAIR] == PAIR + PAIR
    assert {"L3 H1", "from (query)", "to (key)", "A", "B"} <= set(texts)
    assert head_view.sent == []


def test_several_heads_write_their_mean(head_view: HeadView) -> None:
    head_view.draw(heads="0.2", query=8)
    expect(head_view.page.locator(".said")).to_contain_text("(mean over 2 heads)")
    means = WEIGHTS[[0, 2], 8].mean(0)
    assert {f"{weight:.2f}" for weight in means if weight >= 0.005} <= set(head_view.written())


def test_no_head_draws_no_line(head_view: HeadView) -> None:
    head_view.draw(heads="none")
    expect(head_view.page.locator(".count")).to_have_text("0 of 0 lines")
    expect(head_view.page.locator(".said")).to_have_text("No head is chosen: click a number above.")
    head_view.page.wait_for_function("inked('tokens') > 0")
    assert head_view.page.evaluate("inked('lines')") == 0
    head_view.page.mouse.move(*head_view.at(0, 8))
    expect(head_view.page.locator(".said")).to_contain_text("no head is chosen")


def test_sentence_filter_hides_the_rest(head_view: HeadView) -> None:
    head_view.draw(sentences="A→B")
    drawn = int((WEIGHTS[1][:7, 7:] >= 0.01).sum())
    expect(head_view.page.locator(".count")).to_have_text(f"{drawn} of 42 lines")
    head_view.page.wait_for_function("written.includes('banana')")
    assert [text for text in head_view.written() if text in PAIR] == PAIR[:7] + PAIR[7:]


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


def test_hostile_tokens_are_drawn_literally(head_view: HeadView) -> None:
    head_view.draw(HOSTILE, attention(HEADS, len(HOSTILE)), b_start=None, query=1)
    expect(head_view.page.locator(".said")).to_contain_text("</script><script>alert(1)</script> (1) looks at")
    texts = set(head_view.written())
    assert {"⟨U+202E⟩abc⟨U+0000⟩", "🙂"} <= texts
    assert any(text.startswith("</script><script>") for text in texts)
    head_view.page.get_by_text("As a table").click()
    expect(head_view.page.locator("table th").nth(4)).to_have_text("<img src=x onerror=alert(1)> (2)")
    expect(head_view.page.locator("img")).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lines_have_the_colour_of_the_theme(head_view: HeadView, theme: ThemeName) -> None:
    head_view.draw()
    head_view.switch(theme)
    head_view.look()
    head_view.page.wait_for_function("inked('lines') > 0")
    strongest = """() => {
        const canvas = document.querySelector('canvas.lines');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let best = 0;
        for (let at = 0; at < data.length; at += 4) if (data[at + 3] > data[best + 3]) best = at;
        return [...data.slice(best, best + 3)];
    }"""
    colour = THEMES[theme].head_colours[1]
    expected = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    assert max(abs(one - other) for one, other in zip(head_view.page.evaluate(strongest), expected, strict=True)) <= 12


def test_table_has_the_strongest_keys_or_the_pinned_weights(head_view: HeadView) -> None:
    head_view.draw(heads="0.1")
    head_view.page.get_by_text("As a table").click()
    expect(head_view.page.locator("thead th")).to_have_text(["From (query)", "L3 H0", "L3 H1"])
    expect(head_view.page.locator("tbody tr")).to_have_count(13)
    best = int(WEIGHTS[1][8].argmax())
    cell = head_view.page.locator("tbody tr").nth(8).locator("td").nth(1)
    expect(cell).to_contain_text(f"{PAIR[best]} ({best}) {WEIGHTS[1][8, best]:.2f}, ")
    head_view.draw(heads="0.1", key=7)
    expect(head_view.page.locator("caption")).to_have_text("Weights to fruit (7)")
    cells = head_view.page.locator("tbody tr").nth(3).locator("td")
    expect(cells).to_have_text([f"{weight:.4f}" for weight in WEIGHTS[:2, 3, 7]])


def test_picture_is_saved_whole(head_view: HeadView) -> None:
    head_view.draw([f"word{index}" for index in range(100)], attention(2, 100), b_start=None, heads="all")
    with head_view.page.expect_download() as waiting:
        head_view.page.get_by_role("button", name="SVG").click()
    assert waiting.value.suggested_filename == "attention-L3-H0-H1.svg"
    drawn = ElementTree.fromstring(Path(waiting.value.path()).read_text(encoding="utf-8"))
    tags = "{http://www.w3.org/2000/svg}"
    texts = [text.text for text in drawn.iter(f"{tags}text")]
    assert [texts.count(f"word{index}") for index in range(100)] == [2] * 100
    colours = {path.get("stroke") for path in drawn.iter(f"{tags}path")}
    assert colours == set(THEMES["light"].head_colours[:2])
    with head_view.page.expect_download() as waiting:
        head_view.page.get_by_role("button", name="PNG").click()
    assert Path(waiting.value.path()).read_bytes().startswith(b"\x89PNG")


def test_a_picture_of_too_many_lines_is_a_part_and_says_so(head_view: HeadView) -> None:
    count = 300
    head_view.draw([f"word{index}" for index in range(count)], attention(3, count), b_start=None, heads="all")
    head_view.page.get_by_role("combobox", name="Lines that are drawn").select_option("every")
    expect(head_view.page.locator(".count")).to_have_text("270,000 of 270,000 lines")
    head_view.page.locator(".scroller").evaluate("(box) => { box.scrollTop = 2400; }")
    with head_view.page.expect_download(timeout=60_000) as waiting:
        head_view.page.get_by_role("button", name="SVG").click()
    assert waiting.value.suggested_filename == "attention-L3-H0-H1-H2-part.svg"
    picture = Path(waiting.value.path()).read_text(encoding="utf-8")
    said = re.search(r">Queries (\d+)–(\d+) of 300, keys \1–\2 of 300: all 270,000 lines are too many", picture)
    assert said
    first, last = (int(number) for number in said.groups())
    assert 90 <= first < last <= 140
    drawn = [at for at in range(count) if f">word{at}</text>" in picture]
    assert drawn == list(range(first, last + 1))


def test_picture_follows_the_width(head_view: HeadView) -> None:
    head_view.draw()
    width = "document.querySelector('canvas.lines').clientWidth"
    assert head_view.page.evaluate(width) == 900
    head_view.page.evaluate("document.getElementById('host').style.width = '400px'")
    head_view.page.wait_for_function(f"{width} === 400 && inked('lines') > 0")
