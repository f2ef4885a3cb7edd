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


def markdown(at: AppPage) -> Locator:
    """The editor's text."""
    return at.page.get_by_role("textbox", name="Markdown")


def line_at_caret(text: Locator) -> str:
    line: str = text.evaluate("area => area.value.slice(area.selectionStart).split('\\n')[0]")
    return line


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
    press(at, "Next")
    at.selected(stop="2", view="norms")
    at.page.go_back()
    at.selected(stop="1")
    at.page.go_forward()
    at.selected(stop="2", view="norms")
    expect(box(at)).to_contain_text("2 of 10")

    press(at, "Edit")
    dialog, text = at.page.get_by_role("dialog"), markdown(at)
    expect(text).to_be_focused()
    assert line_at_caret(text) == f"## {FLIES.stops[1].title}"
    at.page.keyboard.press("End")
    at.page.keyboard.type(", then not")
    stop = dialog.get_by_role("button", name=f"2 · {FLIES.stops[1].title}, then not")
    expect(stop).to_be_visible()  # without leaving the text
    expect(text).to_be_focused()
    at.page.keyboard.type(" so")
    expect(dialog.get_by_role("button", name=", then not so")).to_be_visible()
    dialog.get_by_role("button", name="Add this page").click()
    at.selected(tour="own", stop="3")
    expect(text).to_be_focused()
    expect(dialog.get_by_role("button", name="3 · Stop 11")).to_be_visible()
    assert line_at_caret(text) == "## Stop 11"
    with at.page.expect_download() as download:
        dialog.get_by_role("button", name="Save", exact=True).click()
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)
    assert saved.name == "time-flies-one-word-two-meanings.md"
    titles = [stop.title for stop in parse_tour(saved.read_text(encoding="utf-8")).stops]
    assert titles[:4] == ["One word, twice", f"{FLIES.stops[1].title}, then not so", "Stop 11", FLIES.stops[2].title]
    dialog.get_by_role("button", name=f"4 · {FLIES.stops[2].title}").click()
    at.selected(tour="own", stop="4", view="heat map")
    expect(text).to_be_focused()
    assert line_at_caret(text) == f"## {FLIES.stops[2].title}"
    at.page.keyboard.press("End")
    at.page.keyboard.type(", and")
    at.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(box(at)).to_contain_text(f"{FLIES.stops[2].title}, and")

    at.page.reload()
    expect(box(at)).to_contain_text(f"{FLIES.stops[2].title}, and", timeout=WAIT)
    expect(box(at)).to_contain_text("4 of 11")
    press(at, "Edit")
    expect(text).to_be_focused()
    at.page.keyboard.press("End")
    at.page.keyboard.type(" more")  # and is not sent yet
    at.page.reload()
    expect(box(at)).to_contain_text(f"{FLIES.stops[2].title}, and more", timeout=WAIT)


def test_a_tour_outlives_its_editor_and_is_there_in_another_tab(browser: Window, open_app: Open) -> None:
    at = open_app()
    at.page.evaluate("localStorage.clear()")  # a new tab has the tour that was changed last
    at.open()
    choose_tour(at, "Add this page as a stop")
    at.selected(tour="own", stop="1")
    press(at, "Edit")
    dialog = at.page.get_by_role("dialog")
    markdown(at).fill("# My lesson\n\n## First\n\n```yaml\nquestion: Which one?\n```\n")
    markdown(at).press("Control+Enter")  # a click would commit the text, and the run would end the download
    expect(dialog.get_by_role("button", name="1 · First")).to_be_visible()
    at.idle()
    with at.page.expect_download(timeout=WAIT):
        dialog.get_by_role("button", name="Save as slides").click()
    at.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(box(at)).to_contain_text("My lesson")
    at.page.reload()
    expect(box(at)).to_contain_text("My lesson", timeout=WAIT)
    expect(box(at)).to_contain_text("Which one?")
    press(at, "Edit")
    markdown(at).fill("# My lesson\n\n## First\n\n```yaml\nclaims: here\n```\n")
    expect(dialog.get_by_role("alert")).to_contain_text("Line 6")

    other = AppPage(at.page.context.new_page(), at.url)
    other.page.goto(at.page.url)
    expect(markdown(other)).to_have_value(re.compile("claims: here"), timeout=WAIT)
    expect(other.page.get_by_role("dialog").get_by_role("alert")).to_contain_text("Line 6")
    other.page.close()
    elsewhere = browser.new_context().new_page()
    elsewhere.goto(at.page.url)
    expect(elsewhere.get_by_text("is not stored in this browser")).to_be_visible(timeout=WAIT)
    elsewhere.context.close()


def test_a_withheld_stop_says_no_part_of_speech_before_its_answer(visit_app: Open) -> None:
    stops = shipped_tour("time-flies").stops
    number = next(n for n, stop in enumerate(stops, 1) if stop.reveals_picture and "tags" in stop.state)
    at = visit_app(tour="time-flies", stop=str(number))
    said = at.page.locator(".st-key-parts_of_speech").get_by_text("Parts of speech")
    expect(said).to_be_attached()
    expect(said).to_be_hidden()
    at.page.get_by_role("button", name="Answer").click()
    expect(said).to_be_visible()
    at.assert_sound()
