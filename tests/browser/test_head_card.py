"""The card of the chosen head in the running app: it follows the keys, and opens without moving anything."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.pages.app_page import Open


def test_the_card_follows_the_head_and_opens_to_links(visit_app: Open) -> None:
    at = visit_app(layer="2", head="0")
    card = at.page.locator(".card")
    more = card.get_by_role("button", name="Examples and details")
    expect(card.locator("strong").first).to_have_text("What layer 2, head 0 usually does")
    expect(card.locator(".sentence")).to_contain_text("From object to verb, this head looks most at")
    at.type_on_map("L3")
    expect(card.locator(".sentence")).not_to_contain_text("From object to verb")
    at.type_on_map("M")
    expect(card.locator(".sentence")).to_have_text("Choose one head to see what it usually does.")
    expect(more).to_be_disabled()
    sentence, buttons = card.locator(".sentence").bounding_box(), card.locator(".buttons").bounding_box()
    assert sentence["height"] < 50  # two lines at most
    assert buttons["y"] - sentence["y"] - sentence["height"] < 10  # no room is kept for longer ones
    at.type_on_map("L2H0")
    at.selected(layer="2", head="0")

    more.click()
    details = at.page.get_by_role("dialog", name="What layer 2, head 0 usually does")
    details.get_by_text("object → verb, where the head looks hardest (20)").click()
    expect(details).to_contain_text("Switching this head off changes sentence vectors by 0.0023")
    expect(details).to_contain_text("Measured on EWT dev, chosen on EWT train")
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
    box = at.page.get_by_role("dialog", name="Sentences in which layer 2, head 0 looks hard")
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


@pytest.mark.parametrize("mode", ["pair", "separate"])
def test_all_layers_of_the_model_view_are_in_the_window(visit_app: Open, mode: str) -> None:
    at = visit_app(view="model view", mode=mode, size=(1440, 900))
    at.painted("[class*=st-key-model_view_] .view", "L0|H4")
    box = at.page.locator("[class*=st-key-model_view_] canvas").first.bounding_box()
    assert box
    assert box["height"] > 450
    assert box["y"] + box["height"] <= 900


def test_the_model_view_says_in_full_what_a_short_label_stands_for(visit_app: Open) -> None:
    at = visit_app(view="model view")
    at.painted(".st-key-model_view_pair .view", "L0|H4")
    heads = at.page.locator(".st-key-model_view_pair canvas").first
    box = heads.bounding_box()
    tile = (box["width"] - 36) / 13
    heads.hover(position={"x": 36 + 1.5 * tile, "y": 26 + 2.5 * tile})
    tip = at.page.locator(".st-key-model_view_pair .tip")
    expect(tip).to_contain_text("L2 H0")
    expect(tip).to_contain_text("object → verb")
