"""Terms in the explanations of the running app: a click, a key or a tap opens a definition."""

from playwright.sync_api import expect

from tests.browser.pages.app_page import Open
from tests.browser.pages.touch import touching


def test_a_definition_opens_by_click_key_and_tap_and_closes(visit_app: Open) -> None:
    at = visit_app(view="norms")
    term = at.page.get_by_role("button", name="layer norm", exact=True)
    definition = at.page.locator(".definition:popover-open")

    def assert_open() -> None:
        expect(definition).to_contain_text("layer norm: ")

    def assert_closed() -> None:
        expect(definition).to_have_count(0)

    term.click()
    assert_open()
    box, inside = term.bounding_box(), definition.bounding_box()
    assert abs(inside["y"] - box["y"]) < 200  # next to the term
    at.page.keyboard.press("Escape")
    assert_closed()
    term.focus()
    at.page.keyboard.press("Enter")
    assert_open()
    at.page.keyboard.press("Enter")
    assert_closed()
    with touching(at.page) as tap:
        tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert_open()
        tap(5, 5)
        assert_closed()
    at.assert_sound()
