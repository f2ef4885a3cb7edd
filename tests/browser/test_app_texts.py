"""What is typed into the app: how it is committed, and what bad input gets."""

from playwright.sync_api import expect

from tests.browser.pages.app_page import A, B, Open


def test_nothing_to_encode_is_explained_and_the_page_recovers(visit_app: Open) -> None:
    at = visit_app(layer="3")
    at.heat_map("L3 H4", words=A.split())  # else the last text that could be read may be that of the test before
    alert = at.page.get_by_test_id("stMain").get_by_test_id("stAlert")
    for a, b in [("", B), (" \t\n ", "  ")]:
        at.text("A").fill(a)
        at.text("B").fill(b)
        at.text("B").press("Control+Enter")
        at.selected(a=a, b=b)
        expect(alert.filter(has_text="entence A").first).to_be_visible()
        expect(alert).to_have_count(1)  # the run before may have left one for a moment
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
        seen = min(box["y"] + box["height"], 900) - box["y"]
        assert seen >= 480
        assert seen >= 0.75 * box["height"]
        at.view("Head view")
