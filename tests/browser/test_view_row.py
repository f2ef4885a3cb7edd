"""The row of views in the running app: clicks, keys, and what a group remembers."""

from playwright.sync_api import expect

from tests.browser.pages.app_page import GROUPS, IN_ADDRESS, AppPage, Open


def assert_open(at: AppPage, group: str, view: str) -> None:
    at.selected(view=IN_ADDRESS.get(view, view.lower()))
    expect(at.option("Views to", group)).to_be_checked()
    expect(at.option("View", view)).to_be_checked()
    expect(at.choice("View")).to_have_text(list(GROUPS[group]))


def test_number_keys_open_views_and_a_group_shows_the_view_left_in_it(open_app: Open) -> None:
    at = open_app()
    for key in ("7", "2", "9", "0", "1"):  # there are seven: 9 and 0 open nothing
        at.page.keyboard.press(key)
        if key in "721":
            assert_open(at, "Look", GROUPS["Look"][int(key) - 1])
    at.option("Views to", "Learn").click()
    assert_open(at, "Learn", "Anatomy")
    at.page.keyboard.press("2")
    assert_open(at, "Learn", "Decoder")
    row = at.page.locator(".st-key-views")
    place = row.bounding_box()
    at.view("Data").view("Predictions")
    for group, view in (("Look", "Data"), ("Ask", "Predictions"), ("Learn", "Decoder")):
        at.option("Views to", group).click()
        assert_open(at, group, view)
        assert row.bounding_box() == place
    at.page.go_back()
    assert_open(at, "Ask", "Predictions")
    at.assert_sound()


def test_number_keys_can_be_switched_off_and_the_browser_remembers_it(open_app: Open) -> None:
    at = open_app()
    keys = at.page.get_by_role("checkbox", name="The keys 1 to 9 open views")
    expect(keys).to_be_checked()
    keys.uncheck()
    at.page.keyboard.press("2")
    at.page.reload()
    at.idle()
    expect(keys).not_to_be_checked()
    at.page.keyboard.press("2")
    assert_open(at, "Look", "Heat map")
    keys.check()
    at.page.keyboard.press("2")
    assert_open(at, "Look", "Head view")
    at.assert_sound()


def test_numbers_that_are_typed_open_nothing(visit_app: Open) -> None:
    at = visit_app(view="head view")
    at.text("A").fill("")
    at.text("A").press_sequentially("1 fly, 3 flies")
    at.text("A").press("Control+Enter")
    at.selected(a="1 fly, 3 flies", view="head view")
    at.page.get_by_role("combobox", name="Lines that are drawn").press("5")  # within a view of ours
    at.page.get_by_role("combobox", name="Model", exact=True).press("7")
    at.page.keyboard.press("Escape")
    at.page.locator(".head-view .scroller").press("Control+3")
    assert_open(at, "Look", "Head view")
    at.page.locator(".head-view .scroller").press("1")  # a picture is no field
    assert_open(at, "Look", "Heat map")
