"""The choice of a view in the running app: the select box, and the number keys."""

from playwright.sync_api import expect

from tests.browser.pages.app_page import GROUPS, IN_ADDRESS, AppPage, Open


def assert_open(at: AppPage, view: str) -> None:
    at.selected(view=IN_ADDRESS.get(view, view.lower())).assert_view(view)


def test_number_keys_open_the_views_of_the_open_group(open_app: Open) -> None:
    at = open_app()
    for key in ("4", "2", "9", "0", "1"):  # there are six: 9 and 0 open nothing
        at.page.keyboard.press(key)
        if key in "421":
            assert_open(at, GROUPS["look"][int(key) - 1])
    at.view("Anatomy")
    at.page.get_by_role("heading", name="Headlight").click()  # in the list, keys would search
    at.page.keyboard.press("3")
    assert_open(at, "Decoder")
    at.page.go_back()
    assert_open(at, "Anatomy")
    at.assert_sound()


def test_keys_are_listed_while_alt_is_held_and_at_a_question_mark(visit_app: Open) -> None:
    at = visit_app()
    named = at.page.locator(".keys li")
    expect(named).to_have_text(list(GROUPS["look"]))
    expect(named.first).to_be_hidden()
    at.page.keyboard.down("Alt")
    expect(named.first).to_be_visible()
    at.page.keyboard.up("Alt")
    expect(named.first).to_be_hidden()
    for close in ("?", "Escape"):
        at.page.keyboard.press("?")
        expect(named.first).to_be_visible()
        at.page.keyboard.press(close)
        expect(named.first).to_be_hidden()
    at.text("A").press("?")
    expect(named.first).to_be_hidden()


def test_number_keys_can_be_switched_off_and_the_browser_remembers_it(open_app: Open) -> None:
    at = open_app()
    keys = at.page.get_by_role("checkbox", name="Keyboard shortcuts")
    at.open_settings()
    keys.uncheck()
    at.close_settings()
    at.page.keyboard.press("3")
    at.page.reload()
    at.idle()
    at.page.keyboard.press("3")
    assert_open(at, "Heat map")
    at.open_settings()
    expect(keys).not_to_be_checked()
    keys.check()
    at.close_settings()
    at.page.keyboard.press("3")
    assert_open(at, "Head view")
    at.assert_sound()


def test_numbers_that_are_typed_open_nothing(visit_app: Open) -> None:
    at = visit_app(view="head view")
    at.text("A").fill("")
    at.text("A").press_sequentially("1 fly, 3 flies")
    at.text("A").press("Control+Enter")
    at.selected(a="1 fly, 3 flies", view="head view")
    at.page.get_by_role("combobox", name="Lines that are drawn").press("5")  # within a view of ours
    at.select("Model").press("7")
    at.page.keyboard.press("Escape")
    at.page.locator(".head-view .scroller").press("Control+3")
    assert_open(at, "Head view")
    at.page.locator(".head-view .scroller").press("2")  # a picture is no field
    assert_open(at, "Heat map")
