"""The choice of a view in the running app: the list of views, and the number keys."""

from playwright.sync_api import FloatRect, Locator, expect

from tests.browser.pages.app_page import GROUPS, IN_ADDRESS, AppPage, Open
from viz.views.registered import GROUP_TITLES, LISTED, PANELS


def assert_open(at: AppPage, view: str) -> None:
    at.selected(view=IN_ADDRESS.get(view, view.lower())).assert_view(view)


def boxes_in_sight(items: Locator, *, height: int) -> list[FloatRect]:
    """The boxes of items, all of them within a window's height."""
    boxes = [box for item in items.all() if (box := item.bounding_box())]
    assert len(boxes) == len(LISTED)
    assert all(box["y"] > 0 and box["y"] + box["height"] < height for box in boxes)
    return boxes


def test_every_view_of_every_group_is_in_sight_and_the_open_one_marked(visit_app: Open) -> None:
    at = visit_app(view="norms", size=(1280, 720))
    at.views.click()
    items = at.page.get_by_role("menuitem")
    expect(items).to_have_count(len(LISTED))
    drawn = boxes_in_sight(items, height=720)
    styles = "(item) => [getComputedStyle(item, '::before').content, getComputedStyle(item).boxShadow]"
    titles, marks = zip(*(item.evaluate(styles) for item in items.all()), strict=True)
    shown = [title.split('"')[1] for title in titles if title != "none"]
    assert shown == list(GROUP_TITLES.values())
    columns = {box["x"]: PANELS[view].group for box, view in zip(drawn, LISTED, strict=True)}
    assert list(columns.values()) == list(GROUP_TITLES)
    assert [view for view, mark in zip(LISTED, marks, strict=True) if "rgba(0, 0, 0, 0)" not in mark] == ["norms"]
    at.page.set_viewport_size({"width": 390, "height": 844})
    assert len({box["x"] for box in boxes_in_sight(items, height=844)}) == 2
    at.page.keyboard.press("Escape")


def test_the_list_of_views_is_the_first_tab_stop_and_the_texts_follow(visit_app: Open) -> None:
    at = visit_app()
    at.page.keyboard.press("Tab")
    expect(at.views).to_be_focused()
    for _ in range(14):
        at.page.keyboard.press("Tab")
        if at.text("A").evaluate("field => field.matches(':focus')"):
            break
    expect(at.text("A")).to_be_focused()
    at.page.reload()
    expect(at.views).to_be_visible()
    at.text("A").click()
    at.page.keyboard.press("Tab")
    expect(at.views).not_to_be_focused()


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


def test_number_keys_open_the_views_of_the_open_group_unless_the_browser_has_them_off(open_app: Open) -> None:
    at = open_app()
    for key in "490":  # there are six views: 9 and 0 open nothing
        at.page.keyboard.press(key)
    assert_open(at, "Model view")
    at.view("Anatomy")
    at.page.get_by_role("heading", name="Headlight").click()
    at.page.keyboard.press("2")
    assert_open(at, "Decoder")
    keys = at.page.get_by_role("checkbox", name="Keyboard shortcuts")
    at.open_settings()
    keys.uncheck()
    at.close_settings()
    at.page.keyboard.press("3")
    at.page.reload()
    at.idle()
    at.page.keyboard.press("3")
    assert_open(at, "Decoder")
    at.open_settings()
    expect(keys).not_to_be_checked()
    keys.check()
    at.close_settings()
    at.page.keyboard.press("3")
    assert_open(at, "Norms")
    at.assert_sound()


def test_keys_that_are_typed_open_nothing(visit_app: Open) -> None:
    at = visit_app(view="head view")
    at.text("A").fill("")
    at.text("A").press_sequentially("1 pop, 3 b.? f n")
    at.text("A").press("Control+Enter")
    at.selected(a="1 pop, 3 b.? f n", view="head view", stage=None)
    at.page.get_by_role("combobox", name="Lines that are drawn").press("5")  # within a view of ours
    at.select("Model").press("7")
    at.page.keyboard.press("Escape")
    at.page.locator(".head-view .scroller").press("Control+3")
    assert_open(at, "Head view")
    at.page.locator(".head-view .scroller").press("2")  # a picture is no field
    assert_open(at, "Heat map")
