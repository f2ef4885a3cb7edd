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
    at.page.get_by_role("button", name="Lessons", exact=True).click()
    at.page.get_by_role("menuitem", name=title, exact=True).or_(at.page.get_by_role("option", name=title)).first.click()


def markdown(at: AppPage) -> Locator:
    """The editor's text."""
    return at.page.get_by_role("textbox", name="Markdown")


def edit_markdown(at: AppPage) -> Locator:
    """The editor's text, in place of its form."""
    at.page.get_by_role("dialog").get_by_role("radio", name="Markdown").click()
    return markdown(at)


def line_at_caret(text: Locator) -> str:
    line: str = text.evaluate("area => area.value.slice(area.selectionStart).split('\\n')[0]")
    return line


def press(at: AppPage, name: str) -> None:
    box(at).get_by_role("button", name=name, exact=True).click()


def test_a_tour_is_given_copied_edited_survives_a_reload_and_is_deleted(open_app: Open, tmp_path: Path) -> None:
    at = open_app()
    choose_tour(at, FLIES.title)
    at.selected(tour="time-flies", stop="1")
    expect(box(at)).to_contain_text(FLIES.stops[0].question)
    expect(box(at)).not_to_contain_text("1.000")
    for name in ("More", "Close the lesson"):
        expect(box(at).get_by_role("button", name=name, exact=True)).to_be_visible()
    press(at, "Answer")
    expect(box(at)).to_contain_text("1.000")  # worked out meanwhile
    press(at, "Next")
    at.selected(stop="2", view="norms")
    at.page.go_back()
    at.selected(stop="1")
    at.page.go_forward()
    at.selected(stop="2", view="norms")
    expect(box(at)).to_contain_text("2 of 12")

    press(at, "More")
    at.page.get_by_role("button", name="Edit a copy").click()
    dialog, text = at.page.get_by_role("dialog"), edit_markdown(at)
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
    at.selected(stop="3")
    found = "After the last layer, “time”"
    expect(text).to_be_focused()
    expect(dialog.get_by_role("button", name=f"3 · {found}")).to_be_visible()
    assert line_at_caret(text).startswith(f"## {found}")
    with at.page.expect_download() as download:
        dialog.get_by_role("button", name="Save the file").click()
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)
    assert saved.name == "headlight-time-flies-one-word-two-meanings-lesson.md"
    titles = [stop.title for stop in parse_tour(saved.read_text(encoding="utf-8")).stops]
    assert [*titles[:2], titles[3]] == ["One word, twice", f"{FLIES.stops[1].title}, then not so", FLIES.stops[2].title]
    dialog.get_by_role("button", name=f"4 · {FLIES.stops[2].title}").click()
    at.selected(stop="4", view="heat map")
    expect(text).to_be_focused()
    assert line_at_caret(text) == f"## {FLIES.stops[2].title}"
    at.page.keyboard.press("End")
    at.page.keyboard.type(", and")
    at.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(box(at)).to_contain_text(f"{FLIES.stops[2].title}, and")

    at.page.reload()
    expect(box(at)).to_contain_text(f"{FLIES.stops[2].title}, and", timeout=WAIT)
    expect(box(at)).to_contain_text("4 of 13")
    press(at, "Edit")
    expect(edit_markdown(at)).to_be_visible()
    text.focus()
    at.page.keyboard.press("End")
    at.page.keyboard.type(" more")  # and is not sent yet
    at.page.reload()
    expect(box(at)).to_contain_text(f"{FLIES.stops[2].title}, and more", timeout=WAIT)
    press(at, "More")
    at.page.get_by_role("button", name="Delete from this browser").click()
    expect(box(at)).to_have_count(0, timeout=WAIT)
    at.page.wait_for_function("() => !localStorage.getItem('headlight.tours')?.includes(', and more')")


def test_typed_words_are_in_the_files_and_outlive_their_editor(browser: Window, open_app: Open, tmp_path: Path) -> None:
    at = begin_lesson(open_app)
    press(at, "Edit")
    dialog = at.page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Words for the audience").fill("Look at flies.")
    name, text = at.download(lambda: dialog.get_by_role("button", name="Save the file").click())  # before it is sent
    assert (name, text.count("Look at flies.")) == ("headlight-my-lesson-lesson.md", 1)
    words = "typed while the field before is applied"
    dialog.get_by_role("textbox", name="Question", exact=True).fill("Where?")
    at.page.keyboard.press("Tab")
    at.page.keyboard.type(words, delay=40)  # the dialog stays, and the focus in it
    expect(dialog.get_by_role("textbox", name="Answer")).to_have_value(words)
    dialog.get_by_role("textbox", name="Answer").fill("<b>no</b>")
    at.page.keyboard.press("Escape")
    expect(dialog.get_by_role("alert")).to_contain_text("HTML is not allowed")  # and would be lost
    dialog.get_by_role("textbox", name="Answer").fill("")
    edit_markdown(at).fill("# My title\n\n## First\n\n```yaml\nquestion: Which one?\n```\n")
    with at.page.expect_download(timeout=WAIT) as download:
        dialog.get_by_role("button", name="Save as slides").click()  # at once, before the text is sent
    assert download.value.suggested_filename == "headlight-my-title-slides.html"
    download.value.save_as(tmp_path / "slides.html")
    assert "Which one?" in (tmp_path / "slides.html").read_text(encoding="utf-8")
    at.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    at.page.reload()
    expect(box(at)).to_contain_text("My title", timeout=WAIT)
    expect(box(at)).to_contain_text("Which one?")
    press(at, "Edit")
    edit_markdown(at).fill("# My title\n\n## First\n\n```yaml\nclaims: here\n```\n")
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


def test_a_lesson_that_the_browser_cannot_store_asks_to_be_saved_as_a_file(open_app: Open) -> None:
    at = begin_lesson(open_app)
    at.page.evaluate(
        "() => { Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }; }"
    )
    warning = at.page.get_by_text("This browser could not store your last change")
    press(at, "Edit")
    dialog = at.page.get_by_role("dialog")
    expect(warning).to_have_count(0)
    edit_markdown(at).fill("# Kept in a file\n\n## First\n\nWords.\n")
    expect(dialog.filter(has=warning)).to_be_visible()
    at.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(box(at).filter(has=warning)).to_be_visible()
    name, text = at.download(lambda: press(at, "Save the file"))
    assert name == "headlight-kept-in-a-file-lesson.md"
    assert parse_tour(text).title == "Kept in a file"
    at.assert_sound()


def begin_lesson(open_app: Open) -> AppPage:
    """A lesson of one stop, in a browser that stores no other."""
    at = open_app(stored={})
    choose_tour(at, "Start a lesson with this page")
    at.selected(stop="1")
    return at


def test_a_withheld_stop_says_no_part_of_speech_before_its_answer(visit_app: Open) -> None:
    stops = shipped_tour("time-flies").stops
    number = next(n for n, stop in enumerate(stops, 1) if stop.reveals_picture and "tags" in stop.state)
    at = visit_app(tour="time-flies", stop=str(number))
    said = at.page.locator(".st-key-answer").get_by_text("reads “flies” as a verb")
    expect(said).to_be_attached()
    expect(said).to_be_hidden()
    at.page.get_by_role("button", name="Answer").click()
    expect(said).to_be_visible()
    at.assert_sound()
