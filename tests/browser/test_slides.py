"""A tour that was saved as slides: shown from the disk without a network, printed, and split into pictures."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import expect

from encoder import Backend, Trace
from tests.browser.pages.slides_page import SlidesPage
from tests.browser.pages.window import Window
from viz.answers.answer import Table
from viz.slides.build import slides_of
from viz.slides.command import models_named
from viz.slides.contents import Slide, Slides
from viz.slides.document import slides_document
from viz.state.selection import DEFAULT
from viz.tours.files import parse_tour
from viz.tours.shipped import shipped_tour

A, B = "time flies like an arrow", "fruit flies like a banana"
FLIES = shipped_tour("time-flies")
STOPS = len(FLIES.stops)
Open = Callable[..., SlidesPage]


@pytest.fixture(scope="module")
def slides() -> Slides:
    return slides_of(FLIES, DEFAULT, models_named("bundled"))


@pytest.fixture(scope="module")
def file(slides: Slides, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("slides") / "slides.html"
    path.write_text(slides_document(slides), encoding="utf-8")
    return path


@pytest.fixture
def open_file(browser: Window) -> Iterator[Open]:
    with ExitStack() as tabs:

        def open_(path: Path, **options: Any) -> SlidesPage:
            page = tabs.enter_context(browser.tab(viewport={"width": 1280, "height": 900}))
            opened = SlidesPage(page, path, **options)
            tabs.callback(opened.close)
            return opened

        yield open_


def test_a_talk_is_given_from_the_first_press_to_the_last(file: Path, slides: Slides, open_file: Open) -> None:
    at = open_file(file)
    page = at.page
    for number, (stop, slide) in enumerate(zip(FLIES.stops, slides.slides, strict=True), 1):
        assert at.address == f"#{number}"
        expect(at.now.get_by_role("heading", level=2)).to_have_text(stop.title)
        expect(at.now.locator(".question")).to_be_visible()
        expect(at.now.locator(".revealed")).to_be_hidden()
        expect(page.locator("progress")).to_have_attribute("max", str(STOPS))
        assert page.locator("progress").evaluate("bar => bar.value") == number
        picture = slide.picture
        if picture and picture.view == "heat map":
            shown = f"L{picture.selection['layer']}|H{picture.selection['head']}"
            for run in range(len(picture.runs)):
                expect(at.painted(shown, run=run)).to_be_attached()
            box = at.now.locator(".live canvas.over").first.bounding_box()
            bar = page.locator("nav.bar").bounding_box()
            assert box["y"] + box["height"] <= bar["y"]
        elif slide.answers:
            count = sum(len(answer.charts) for _, answer in slide.answers)
            expect(at.now.locator(".plot.js-plotly-plot .main-svg:first-child")).to_have_count(count)
        drawn = at.now.locator(".live canvas.over, .main-svg").first
        expect(drawn).to_be_visible(visible=not stop.reveals_picture)
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        at.press("PageDown", f"#{number}a")
        expect(at.now.locator(".revealed")).to_be_visible()
        expect(at.now.locator(".claims li.holds")).to_have_count(len(stop.claims))
        for claim in slide.claims:
            expect(at.now.locator(".claims")).to_contain_text(claim.sentence)
        expect(drawn).to_be_visible()
        for tool in (".tool", ".scale", ".how"):
            expect(at.now.locator(tool).filter(visible=True)).to_have_count(0)
        if slide.answers:
            check_answers(at, slide)
        else:
            at.fits_on_the_screen()
        if number < STOPS:
            at.press("Space" if number % 2 else "ArrowRight", f"#{number + 1}")
    expect(page.get_by_role("button", name="Next")).to_be_disabled()


def check_answers(at: SlidesPage, slide: Slide) -> None:
    """The first chart lies above the bar, and the first table ends with its last row."""
    box = at.now.locator(".plot").first.bounding_box()
    bar = at.page.locator("nav.bar").bounding_box()
    assert box["y"] + box["height"] <= bar["y"]
    tables = (part for _, answer in slide.answers for part in answer.parts if isinstance(part, Table))
    columns = next(tables).columns().values()
    twin = at.now.locator(".twin").first
    twin.locator("summary").click()
    cells = twin.locator("tbody tr").last.locator("th, td").all_text_contents()
    for cell, column in zip(cells, columns, strict=True):
        value = list(column)[-1]
        if isinstance(value, float | np.floating):
            assert float(cell.replace("−", "-")) == pytest.approx(value, abs=5.1e-5)
        else:
            assert cell == str(value)
    at.now.get_by_role("heading", level=2).focus()  # Space is the summary's while that has the focus


def test_dark_screen_and_pointer_come_by_keys(file: Path, open_file: Open) -> None:
    at = open_file(file)
    at.page.evaluate("location.hash = '#9a'")
    expect(at.now.locator(".plot.js-plotly-plot").first).to_be_visible()
    at.page.keyboard.press(".")
    expect(at.page.locator(".pointer")).to_be_visible()
    at.page.keyboard.press("b")
    expect(at.page.locator(".dark")).to_be_visible()
    at.page.keyboard.press("PageDown")  # brings the picture back and turns no slide
    expect(at.page.locator(".dark")).to_be_hidden()
    assert at.address == "#9a"
    at.page.keyboard.press(".")
    expect(at.page.locator(".pointer")).to_be_hidden()


def test_the_pictures_have_the_numbers_of_the_run_and_answer(file: Path, bundled: Backend, open_file: Open) -> None:
    trace: Trace = bundled.trace(A)
    at = open_file(file)
    at.page.keyboard.press("Home")
    at.page.evaluate("location.hash = '#3a'")
    expect(at.painted("L0|H4")).to_be_attached()
    written = [float(weight) for _, weight in at.numbers()]  # of the row that the stop has pinned
    np.testing.assert_allclose(sorted(written), np.sort(trace.weights(0)[4, 2]), atol=1e-4)
    row = at.now.locator(".live .cell_map canvas.over").first
    box = row.bounding_box()
    at.page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.6 * box["height"])
    view = at.now.locator(".live .cell_map .view").first
    query, key = map(int, (view.get_attribute("data-hovered") or "").split(","))
    expect(at.now.locator(".live .cell_map .tip").first).to_contain_text(f"{trace.weights(0)[4, query, key]:.4f}")

    at.now.locator(".map canvas").focus()
    at.page.keyboard.press("ArrowDown")
    expect(at.painted("L1|H4", run=1)).to_be_attached()
    assert at.address == "#3a"
    at.press("PageDown", "#4")  # a clicker turns slides wherever the focus is
    at.press("PageUp", "#3a")
    expect(at.painted("L0|H4", run=1)).to_be_attached()


def test_keys_and_the_address_lead_to_stops_and_notes(file: Path, open_file: Open) -> None:
    at = open_file(file)
    at.press("End", f"#{STOPS}")
    at.press("Home", "#1")
    expect(at.now.locator(".notes")).to_be_hidden()
    at.page.keyboard.press("n")
    expect(at.now.locator(".notes")).to_contain_text("Read both sentences aloud")
    at.page.get_by_role("button", name="Answer").click()
    expect(at.now.locator(".revealed")).to_be_visible()
    at.press("ArrowRight", "#2")  # the button that was clicked keeps Space alone
    at.press("ArrowLeft", "#1a")
    at.page.reload()
    at.wait()
    assert at.address == "#1a"
    expect(at.now.locator(".revealed")).to_be_visible()
    at.press("ArrowLeft", "#1")


def test_paper_has_a_page_for_each_stop_with_notes_and_rings(file: Path, open_file: Open) -> None:
    at = open_file(file, scheme="dark")
    pdf = at.page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf)) == STOPS
    expect(at.page.locator("html")).to_have_attribute("data-theme", "dark")  # as it was before
    expect(at.now.locator(".revealed")).to_be_hidden()
    assert at.page.locator(".slide").nth(2).locator(".printed figure > h3").all_text_contents() == [
        "Sentence A",
        "Sentence B",
    ]
    third = at.page.locator(".slide").nth(2).locator(".printed svg")
    assert third.count() == 3  # two heat maps and the map of heads
    assert "0.80" in third.nth(0).locator("text").all_text_contents()
    rings = third.nth(0).locator("rect[stroke-width='3'][fill='none']")
    assert rings.count() == 1
    at.page.emulate_media(media="print")
    expect(at.page.locator(".slide .notes").nth(STOPS - 1)).to_be_visible()
    expect(at.page.locator("nav.bar")).to_be_hidden()


def test_all_pictures_are_saved_as_svg_in_one_zip(file: Path, open_file: Open, tmp_path: Path) -> None:
    at = open_file(file)
    with at.page.expect_download() as download:
        at.page.get_by_role("button", name="Pictures").click()
    assert download.value.suggested_filename == "time-flies-one-word-two-meanings.zip"
    target = tmp_path / "pictures.zip"
    download.value.save_as(target)
    with zipfile.ZipFile(target) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        pictures = {name: archive.read(name).decode() for name in names}
    assert [name for name in names if name.startswith("03")] == [
        "03-looking-for-the-word-that-goes-with-it-1.svg",
        "03-looking-for-the-word-that-goes-with-it-2.svg",
    ]
    assert {int(name[:2]) for name in names} == set(range(1, STOPS + 1))
    for svg in pictures.values():
        assert ElementTree.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
    assert ">0.81<" in pictures["03-looking-for-the-word-that-goes-with-it-2.svg"]
    assert ">0.63<" in pictures["06-layer-by-layer-they-part.svg"]
    assert ">L2 norm of each hidden state<" in pictures["02-the-same-numbers-at-the-start-1.svg"]
    expect(at.page.locator(".status")).to_have_text(f"{len(names)} pictures saved.")


def test_slides_have_no_violation(file: Path, open_file: Open) -> None:
    at = open_file(file)
    at.page.keyboard.press("n")
    for address, scheme in (("#3a", "light"), ("#9a", "dark")):
        at.page.emulate_media(color_scheme=scheme)
        at.page.evaluate("address => { location.hash = address; }", address)
        expect(at.now.locator(".revealed")).to_be_visible()
        assert at.violations() == [], address


def test_the_ring_of_a_chart_comes_with_the_answer(open_file: Open, tmp_path: Path) -> None:
    block = f'view: anatomy\nwalk: softmax\na: {A}\nb: {B}\nquestion: Where?\npoints:\n  - cell(A:"flies" → "time")'
    tour = parse_tour(f"# Tour\n\n## Stop\n\n```yaml\n{block}\n```\n\nWords.\n")
    path = tmp_path / "ring.html"
    path.write_text(slides_document(slides_of(tour, DEFAULT, models_named("bundled"))), encoding="utf-8")
    at = open_file(path)
    thick = at.now.locator(".plot .shapelayer path[style*='stroke-width: 4px']")
    expect(at.now.locator(".plot.js-plotly-plot")).to_have_count(1)
    expect(thick).to_have_count(0)
    at.press("PageDown", "#1a")
    expect(thick).to_have_count(1)


def test_a_term_of_a_slide_opens_its_definition_until_the_next_slide(tmp_path: Path, open_file: Open) -> None:
    path = tmp_path / "terms.html"
    slide = Slide(title="Stop", words="What a probe reads.")
    path.write_text(slides_document(Slides(title="Terms", slides=(slide, slide))), encoding="utf-8")
    opened = open_file(path)
    definition = opened.page.locator(".definition:popover-open")
    opened.now.get_by_role("button", name="probe", exact=True).click()
    expect(definition).to_contain_text("probe: A small linear classifier")
    opened.press("PageDown", "#2")
    expect(definition).to_have_count(0)
    opened.now.get_by_role("button", name="probe", exact=True).press("Enter")
    expect(definition).to_have_count(1)
    opened.page.keyboard.press("Escape")
    expect(definition).to_have_count(0)
    opened.fits_on_the_screen()
