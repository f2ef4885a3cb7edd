"""What is typed into the app: how it is committed, and what bad input gets."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.pages.app_page import B, Open


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


def test_20_kb_without_a_space_are_shown_and_stay_in_their_fields(visit_app: Open) -> None:
    at = visit_app()
    texts = {"A": "x" * 20_000, "B": "y" * 20_000}
    for letter, text in texts.items():
        at.text(letter).fill(text)
    at.text("B").press("Control+Enter")
    expect(at.strip.locator(".label").nth(1)).not_to_have_text("time")
    at.idle()
    expect(at.picture()).to_be_visible()
    at.assert_sound()
    assert {letter: at.text(letter).input_value() for letter in texts} == texts


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
