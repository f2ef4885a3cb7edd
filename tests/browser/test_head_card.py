"""The card of the chosen head in the running app: it follows the keys, and opens without moving anything."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.pages.app_page import Open

# Where the parts of the page stand.
PLACES = """() => [...document.querySelectorAll(".stMain [class*='st-key-'], .stMain .stCaption")]
    .filter((part) => !part.matches('.st-key-linking_heads')) // it has its room
    .map((part) => [part.className, Object.values(part.getBoundingClientRect().toJSON()).map(Math.round)].join())
"""


def test_the_card_follows_the_head_and_opens_to_links(visit_app: Open) -> None:
    at = visit_app(layer="2", head="0")
    card = at.page.locator(".card")
    more = card.get_by_role("button", name="Intervals, relations, examples")
    expect(card.locator("strong").first).to_have_text("L2 H0 over a corpus")
    expect(card.locator(".lines")).to_contain_text("object → verb: .74")
    at.type_on_map("L3")
    expect(card.locator(".lines")).not_to_contain_text("object → verb")
    at.type_on_map("M")
    expect(card.locator(".lines")).to_have_text("Choose a head: the mean has no card.")
    expect(more).to_be_disabled()
    lines, origin = card.locator(".lines").bounding_box(), card.locator(".origin").bounding_box()
    assert lines
    assert origin
    assert lines["height"] < 40  # one line
    assert origin["y"] - lines["y"] - lines["height"] < 10
    at.type_on_map("L2H0")
    at.selected(layer="2", head="0")

    more.click()
    details = at.page.get_by_role("dialog", name="L2 H0 over a corpus")
    details.get_by_text("object → verb, where the head looks hardest (20)").click()
    link = details.get_by_role("link").first
    expect(link).to_be_visible()
    assert (link.get_attribute("href") or "").startswith("?a=")
    expect(details.get_by_role("row", name="object → verb .74 [.71, .76]")).to_be_visible()
    at.page.keyboard.press("Escape")
    expect(details).to_be_hidden()
    at.assert_sound()


def test_sentences_are_found_while_somebody_types_and_open_with_the_head(visit_app: Open, tmp_path: Path) -> None:
    at = visit_app(layer="2", head="0")
    at.page.locator(".card").get_by_role("button", name="Find sentences").click()
    box = at.page.get_by_role("dialog", name="Sentences in which L2 H0 looks hard")
    summary, rows = box.get_by_role("status"), box.get_by_role("listitem")
    expect(summary).to_have_text(re.compile("of 24,717 words look most at another word, by 0.30 or more"))
    box.get_by_label("Least weight").fill("0")
    expect(summary).to_contain_text("24,717 of 24,717 words")  # the answer of now, which begins at its top
    expect(summary).to_contain_text("The hardest 10,000 are listed.")
    assert rows.count() < 60  # those that are seen
    box.get_by_role("list").evaluate("list => { list.scrollTop = list.scrollHeight; }")
    expect(rows.last).to_have_attribute("aria-posinset", "10000")
    box.get_by_label("Word that looks", exact=True).fill("obj→")
    expect(summary).to_have_text("881 of 1,191 words “obj→” look most at the right word, by 0.00 or more.")
    box.get_by_label("Word that it looks at most").fill("overstating")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("That 's overstating it , I know .")

    with at.page.expect_download() as saved:
        box.get_by_role("button", name="CSV").click()
    file = tmp_path / "found.csv"
    saved.value.save_as(file)
    assert saved.value.suggested_filename == "L2-H0-looks.csv"
    header, row = file.read_text(encoding="utf-8").splitlines()
    assert header == "sentence,place,looks,place looked at,looks at,weight,text,credit"
    credit = "UD English EWT 2.16: Silveira et al. 2014, CC BY-SA 4.0."
    assert row.split(",", 1)[1] == f'4,it,3,overstating,0.97,"That \'s overstating it , I know .","{credit}"'
    expect(box).to_contain_text(credit)

    # Elsewhere on the page these keys begin a talk, and open a view.
    box.get_by_label("Word that it looks at most").press_sequentially("p1")
    expect(summary).to_contain_text("at the right word, “p1overstating”")
    at.selected(view=None, stage=None)
    box.get_by_label("Word that it looks at most").fill("</script>")
    expect(summary).to_contain_text("0 of 1,191 words “obj→” look most at the right word, “</script>”")
    box.get_by_label("Word that it looks at most").fill("overstating")
    link = rows.first.get_by_role("link")
    assert (link.get_attribute("href") or "").startswith("?")
    link.click()
    at.selected(layer="2", head="0", a="That 's overstating it , I know .", level="words")
    at.assert_sound()


@pytest.mark.parametrize(("size", "mode"), [((1440, 900), "pair"), ((1280, 720), "separate")])
def test_a_click_on_a_cell_lists_heads_on_the_first_screen(visit_app: Open, size: tuple[int, int], mode: str) -> None:
    at = visit_app(size=size, mode=mode)
    linking = at.page.locator(".linking")
    at.painted(".view:has(.stage)", "L0|H4")
    expect(linking).to_contain_text("Click a cell of the heat map")
    before = at.page.evaluate(PLACES)
    cell = {"pair": (150, 200), "separate": (150, 260)}[mode]
    at.cells.click(position={"x": cell[0], "y": cell[1]})
    expect(linking.get_by_role("status")).to_have_text(re.compile("^Heads that link “.+” to “.+”, strongest first:$"))
    heads = linking.get_by_role("button")
    expect(heads).to_have_count(5)
    expect(heads.last).to_be_in_viewport(ratio=1)
    assert at.page.evaluate(PLACES) == before  # nothing moves
    weights = [float(text) for text in linking.locator(".value").all_inner_texts()]
    assert weights == sorted(weights, reverse=True)
    name = linking.locator("li button").first.inner_text().rsplit(maxsplit=1)[0]
    heads.first.click()
    at.assert_chosen(name)
    layer, head = re.findall(r"\d+", name)
    at.selected(layer=None if layer == "0" else layer, head=None if head == "4" else head)
    expect(at.page.locator(".card strong").first).to_have_text(f"{name} over a corpus")
    at.assert_sound()


def test_on_a_narrow_page_the_heads_follow_the_picture(visit_app: Open) -> None:
    at = visit_app(size=(390, 844), query="2", key="1", pinned_in="A")
    linking = at.page.locator(".linking")
    expect(linking.get_by_role("button")).to_have_count(5)
    heads, small_map = linking.bounding_box(), at.page.locator(".st-key-map_pair").bounding_box()
    assert heads
    assert small_map
    assert heads["y"] + heads["height"] <= small_map["y"]
    at.assert_sound()


def test_the_model_view_says_in_full_what_a_short_label_stands_for(visit_app: Open) -> None:
    at = visit_app(view="model view")
    at.painted(".st-key-model_view_pair .view", "L0|H4")
    heads = at.page.locator(".st-key-model_view_pair canvas").first
    box = heads.bounding_box()
    assert box
    tile = (box["width"] - 36) / 13
    heads.hover(position={"x": 36 + 1.5 * tile, "y": 26 + 2.5 * tile})
    tip = at.page.locator(".st-key-model_view_pair .tip")
    expect(tip).to_contain_text("L2 H0")
    expect(tip).to_contain_text("object → verb")


def test_a_weight_is_compared_with_the_corpus_if_it_has_such_weights(visit_app: Open) -> None:
    at = visit_app(a="time flies", b="go home", layer="2", head="0", query="1", key="2", pinned_in="A", level="words")
    heads = at.page.locator(".linking").get_by_role("button")
    expect(heads).to_have_count(5)
    compared = re.compile(r"^Attention weight \.?[\d.]+\. [\d.]+ % of this head's weights from a word to another word ")
    for head in heads.all():
        expect(head).to_have_attribute("title", compared)
    for pinned in ({"query": "1", "key": "5"}, {"query": "0", "key": "2"}):  # the other sentence; from [CLS]
        at.go(a="time flies", b="go home", layer="2", head="0", pinned_in="A", level="words", **pinned)
        expect(heads).to_have_count(5)
        for head in heads.all():
            expect(head).to_have_attribute("title", re.compile(r"^Attention weight [\d.]+\.$"))
