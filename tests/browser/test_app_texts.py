"""What is typed into the app: how it is committed, and what bad input gets."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.pages.app_page import VIEWS, B, Open


def test_typed_text_is_encoded_by_keys_and_blur(visit_app: Open) -> None:
    at = visit_app()
    at.heat_map("L0 H4")
    ways: dict[str, Callable[[], None]] = {
        "cats sleep": lambda: at.page.keyboard.press("Control+Enter"),
        "cows eat": at.page.get_by_role("heading", name="Headlight").click,
    }
    for text, commit in ways.items():
        at.text("A").click()
        at.page.keyboard.press("Control+A")
        at.page.keyboard.type(text)
        commit()
        at.selected(a=text, b=B)
        expect(at.strip.locator(".label").nth(2)).to_have_text(text.split()[1])
        at.heat_map("L0 H4", words=text.split())
        expect(at.text("A")).to_have_value(text)


# --- what bad input gets ---

SCRIPT, IMAGE = "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>"


HOSTILE = {
    "markup, scripts and controls": (
        f"{SCRIPT} 🙂 e\u0301 \u202eשלום ﷽",
        f"{IMAGE} $x^2$ **b** [l](http://192.0.2.1/) %{{x}} \x00 \x1b[31m \u200b [MASK] =1+1",
    ),
    "100 kB without a space": ("x" * 100_000, "y" * 100_000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_stay_texts_in_every_view(visit_app: Open, name: str) -> None:
    at = visit_app()
    a, b = HOSTILE[name]
    at.text("A").fill(a)
    at.text("B").fill(b)
    at.text("B").press("Control+Enter")
    expect(at.strip.locator(".label").nth(1)).not_to_have_text("time")
    at.idle()
    # Long texts where they are drawn; all views get them without a browser, in tests/app.
    views = VIEWS if len(a) < 1_000 else ("Heat map", "Head view", "Neuron view", "Anatomy")
    for view in sorted(views, key="Similar because".__eq__):  # last: what it works out goes on beside the others
        at.view(view)
        if view != "Predictions":
            said = at.page.get_by_text(re.compile("BertViz shows up to|Pairs of words"))
            expect(at.picture().or_(said).first).to_be_visible()
        at.assert_sound()
    expect(at.page.locator("[data-testid=stMain] img, [data-testid=stMain] a[href*='192.0.2.1']")).to_have_count(0)
    at.view(VIEWS[0])
    assert at.text("A").input_value() == a
    assert at.text("B").input_value() == b


def test_nothing_to_encode_is_said_and_the_page_recovers(visit_app: Open) -> None:
    at = visit_app(layer="3")
    alert = at.page.get_by_test_id("stMain").get_by_test_id("stAlert")
    for a, b in [("", B), (" \t\n ", "  ")]:
        at.text("A").fill(a)
        at.text("B").fill(b)
        at.text("B").press("Control+Enter")
        at.selected(a=a, b=b)
        expect(alert).to_contain_text("entence A")
        at.assert_sound()
        assert (at.text("A").input_value(), at.text("B").input_value()) == (a, b)
    at.text("A").fill("light")
    at.text("A").press("Control+Enter")
    expect(alert).to_have_count(0)
    assert at.heat_map("L3 H4").labels == ["[CLS]", "light", "[SEP]"]


def test_a_long_text_leaves_its_picture_on_the_screen(visit_app: Open) -> None:
    at = visit_app(mode="pair")
    at.text("A").fill("two pages of a book " * 200)
    at.text("A").press("Control+Enter")
    expect(at.page.get_by_text("Sentence A is too long")).to_be_visible()
    at.idle()
    for picture in (".stage canvas.over", ".head-view .pane"):
        box = at.page.locator(picture).bounding_box()
        assert box
        seen = min(box["y"] + box["height"], 900) - box["y"]
        assert seen >= 480
        assert seen >= 0.75 * box["height"]
        at.view("Head view")
