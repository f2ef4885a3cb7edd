"""A tour in a browser: given with claims that come by themselves, copied, edited, and still there after a reload."""

import re
from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.browser.pages.app_page import WAIT, AppPage, Open
from tests.browser.pages.window import Window
from viz.tours.files import parse_tour
from viz.tours.shipped import shipped_tour

FLIES = shipped_tour("time-flies")


def box(at: AppPage) -> Locator:
    """The stop that is shown."""
    return at.page.locator(".st-key-tour")


def choose_tour(at: AppPage, title: str) -> None:
    at.page.get_by_role("button", name="Tours", exact=True).click()
    at.page.get_by_role("menuitem", name=title, exact=True).or_(at.page.get_by_role("option", name=title)).first.click()


def press(at: AppPage, name: str) -> None:
    box(at).get_by_role("button", name=name, exact=True).click()


def test_a_tour_is_given_copied_edited_and_survives_a_reload(open_app: Open, tmp_path: Path) -> None:
    at = open_app()
    choose_tour(at, FLIES.title)
    at.selected(tour="time-flies", stop="1")
    expect(box(at)).to_contain_text(FLIES.stops[0].question)
    expect(box(at)).not_to_contain_text("1.000")
    press(at, "Answer")
    expect(box(at)).to_contain_text("1.000")  # worked out meanwhile
    for stop in ("2", "3"):
        press(at, "Next")
        at.selected(stop=stop)
        press(at, "Answer")
        expect(box(at)).to_contain_text(FLIES.stops[int(stop) - 1].answer)
    at.heat_map("L0 H4")
    at.page.go_back()
    at.selected(stop="2", view="norms")
    expect(box(at)).to_contain_text("2 of 10")

    press(at, "Edit")
    dialog = at.page.get_by_role("dialog")
    title = dialog.get_by_role("textbox", name="Title", exact=True)
    expect(title).to_have_value(FLIES.stops[1].title)
    title.fill("Equal at first")
    dialog.get_by_role("button", name="Later").click()
    expect(dialog.get_by_role("radiogroup", name="Stops")).to_contain_text("3 · Equal at first")
    with at.page.expect_download() as download:
        dialog.get_by_role("button", name="Save as a file").click()
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)
    assert saved.name == "time-flies-one-word-two-meanings.md"
    assert [stop.title for stop in parse_tour(saved.read_text(encoding="utf-8")).stops][:3] == [
        FLIES.stops[0].title,
        FLIES.stops[2].title,
        "Equal at first",
    ]
    dialog.get_by_role("button", name="Close").click()
    at.selected(tour="own", stop="3")

    at.page.reload()
    expect(box(at)).to_contain_text("Equal at first", timeout=WAIT)
    expect(box(at)).to_contain_text("3 of 10")
    expect(at.page).to_have_url(re.compile("tour=own"))

    press(at, "Edit")
    title.press("End")
    title.press_sequentially(", then not")  # and the field is not left
    at.page.reload()
    expect(title).to_have_value("Equal at first, then not", timeout=WAIT)
    expect(box(at)).to_contain_text("Equal at first, then not")


def test_a_tour_outlives_its_editor_and_is_there_in_another_tab(browser: Window, open_app: Open) -> None:
    at = open_app()
    choose_tour(at, "Add this as a stop")
    at.selected(tour="own", stop="1")
    press(at, "Edit")
    dialog = at.page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Title of the tour").fill("My lesson")
    dialog.get_by_role("textbox", name="Question, shown first").fill("Which one?")
    with at.page.expect_download(timeout=WAIT):
        dialog.get_by_role("button", name="Save as slides").click()
    at.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(box(at)).to_contain_text("My lesson")
    at.page.reload()
    expect(box(at)).to_contain_text("My lesson", timeout=WAIT)
    expect(box(at)).to_contain_text("Which one?")

    other = AppPage(at.page.context.new_page(), at.url)
    other.page.goto(at.page.url)
    expect(box(other)).to_contain_text("My lesson", timeout=WAIT)
    other.page.close()
    elsewhere = browser.new_window()
    elsewhere.goto(at.page.url)
    expect(elsewhere.get_by_text("is not stored in this browser")).to_be_visible(timeout=WAIT)
    elsewhere.context.close()
