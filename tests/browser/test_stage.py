"""A talk from its first key to its last: what the audience sees, what the keys do, and what may not happen."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import expect

from tests.browser.pages.app_page import App, AppPage, Open
from tests.browser.pages.axe import add_axe, assert_no_violation, switch
from tests.browser.pages.stage_page import OVERLAPS, StagePage
from tests.browser.pages.window import Window
from tests.thorough import THOROUGH
from viz.state.selection import DEFAULT
from viz.tours.shipped import NAMES, shipped_tour
from viz.tours.texts import unwrapped
from viz.tours.tour import Stop
from viz.tours.visiting import selection_at

SMALLEST = (1280, 720)
OTHER = (1440, 900)  # a window of another shape, for the stops that have least room; in one of the same all is enlarged
DENSE = [("time-flies", 8), ("twelve-steps", 4), ("trust", 7), ("explanation", 8), ("decoder", 2), ("search", 5)]
LONG = " ".join(["time flies like an arrow and fruit flies like a banana"] * 2)  # its pictures are below each other
TOKENS = ["time", "flies", "banana", "[SEP]"]


def test_a_talk_without_a_mouse(visit_app: Open) -> None:
    at = visit_app(mode="pair", size=(1280, 720))
    stage = StagePage(at).begin()
    expect(stage.line).to_have_text("all-MiniLM-L6-v2 · layer 0 · head 4 · row looks at column")
    assert stage.smallest_token(".view:has(> .stage)", TOKENS, "L1|H4", "ArrowDown") >= 24
    stage.assert_fits()
    stage.press("ArrowRight", "ArrowRight", "ArrowLeft")
    expect(stage.line).to_have_text("all-MiniLM-L6-v2 · layer 1 · head 5 · row looks at column")
    at.selected(layer="1", head="5", stage="1")
    stage.press("3")
    at.selected(view="head view")
    assert stage.smallest_token(".head-view", TOKENS, "L1|H6", "ArrowRight") >= 24
    stage.assert_fits()
    stage.press("c", "r", "C")
    expect(at.page.get_by_role("dialog")).to_have_count(0)
    stage.press("b")
    expect(at.page.locator(".dark")).to_be_visible()
    stage.press("ArrowDown")
    expect(at.page.locator(".dark")).to_be_hidden()
    expect(stage.line).to_contain_text("layer 1 · head 6")
    stage.press("?")
    expect(at.page.get_by_role("dialog")).to_contain_text("another layer")
    stage.press("2", "ArrowUp", "Escape")
    expect(at.page.get_by_role("dialog")).to_be_hidden()
    expect(stage.line).to_contain_text("layer 1 · head 6")
    stage.press("Escape")
    at.selected(stage=None, layer="1", head="6", view="head view")
    expect(at.page.locator(".st-key-opening")).to_be_visible()
    at.assert_chosen("L1 H6")
    at.assert_sound()


def test_every_view_and_the_sentences_are_a_key_away(visit_app: Open) -> None:
    at = visit_app(mode="pair", size=(1280, 720))
    stage = StagePage(at).begin()
    stage.press("v")
    at.page.wait_for_function("() => document.activeElement?.closest('[role=menu]')")
    stage.press("ArrowDown", "ArrowDown", "Enter")
    at.selected(view="head view", stage="1")
    expect(at.page.locator(".st-key-views")).to_be_hidden()
    stage.press("t")
    expect(at.text("A")).to_be_focused()
    at.text("A").fill("cats sleep")
    at.selected(a="cats sleep", stage="1")
    stage.assert_fits()
    stage.press("Escape")
    expect(at.text("A")).to_be_hidden()
    stage.press("v", "Escape", "ArrowDown")
    expect(stage.line).to_contain_text("layer 1")
    at.selected(view="head view", stage="1")
    at.assert_sound()


def test_a_mouse_points_and_leaves_the_keys_where_they_are(visit_app: Open) -> None:
    at = visit_app(mode="pair", size=(1280, 720))
    for x in range(3):  # where a talk has ended, nothing answers the pointer until it moves
        at.page.mouse.move(600 + x, 300)
    at.page.get_by_role("button", name="Present").click()
    stage = StagePage(at).wait_until_begun()
    at.selected(stage="1")
    stage.press(".")
    at.page.mouse.move(500, 300)
    expect(at.page.locator(".pointer")).to_be_visible()
    box = at.page.locator(".pointer").bounding_box()
    assert (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) == pytest.approx((500, 300), abs=1)
    stage.press(".")
    expect(at.page.locator(".pointer")).to_be_hidden()
    cells = stage.box_of(at.cells)
    at.page.mouse.click(cells["x"] + cells["width"] * 0.5, cells["y"] + cells["height"] * 0.6)
    expect(at.page.locator(".view:has(> .stage)")).to_have_attribute("data-hovered", "6,5")
    at.selected(query="6", key="5")
    stage.press("ArrowDown")
    at.selected(layer="1", query="6")
    at.page.bring_to_front()  # no other tab may take the screen
    at.page.get_by_role("button", name="Full screen").click()
    at.page.wait_for_function("() => document.fullscreenElement !== null")
    stage.press("f")
    at.page.wait_for_function("() => document.fullscreenElement === null")
    at.page.get_by_role("button", name="End").click()
    at.selected(stage=None, layer="1", query="6")


def test_a_pointer_that_rests_opens_no_card_and_no_tooltip_until_it_moves(open_app: Open) -> None:
    stage = StagePage(open_app(tour="time-flies", stop="1", size=(1280, 720)))
    present = stage.page.get_by_role("button", name="Present")
    present.click()
    stage.wait_until_begun()
    chip, cells = (stage.box_of(part) for part in (stage.page.locator(".token").nth(1), stage.at.cells))
    on_chip, on_cells = ((box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.7) for box in (chip, cells))
    stage.press("Escape")
    stage.at.selected(stage=None)
    button = stage.box_of(present)
    expect(stage.page.get_by_role("tooltip")).to_have_count(0)
    for step in range(3):
        stage.page.mouse.move(button["x"] + 10 + step, button["y"] + 10)
    expect(stage.page.get_by_role("tooltip")).to_be_visible()
    stage.page.mouse.move(*on_chip)
    stage.begin().assert_no_card()
    stage.page.mouse.move(on_chip[0] + 2, on_chip[1])
    stage.page.mouse.move(on_chip[0] + 4, on_chip[1])
    stage.assert_no_card()  # that of a token opens by a click
    stage.page.mouse.move(on_cells[0], on_cells[1])
    stage.page.mouse.move(on_cells[0] + 2, on_cells[1])
    expect(stage.cards).to_contain_text("weight")
    stage.press("PageDown")
    expect(stage.words).to_contain_text("You knew from the word next to it.")
    stage.assert_no_card()
    stage.press("PageDown")
    expect(stage.page.locator(".js-plotly-plot").first).to_be_visible()
    stage.assert_no_card()
    box = stage.box_of(stage.page.locator(".nsewdrag").first)
    for step in range(3):
        stage.page.mouse.move(box["x"] + 40 + step, box["y"] + 20)
    expect(stage.cards).to_have_count(1)


@pytest.fixture
def talk(given: StagePage) -> StagePage:
    given.at.front()
    return given


@pytest.fixture(scope="module")
def given(browser: Window, app: App) -> Iterator[StagePage]:
    """A tour before an audience, with axe in the page."""
    at = AppPage(browser.new_page(viewport={"width": 1280, "height": 720}, reduced_motion="reduce"), app.url)
    at.page.goto(f"{app.url}/?stage=1&tour=time-flies")
    stage = StagePage(at)
    expect(stage.words).to_be_visible(timeout=90_000)
    expect(at.page.locator(".st-key-loading", has_text="Loading")).to_have_count(0, timeout=90_000)
    expect(stage.line).to_contain_text("layer 0")  # from here on the keys are heard
    add_axe(at.idle().page)
    yield stage
    at.page.close()


def test_a_tour_is_given_key_by_key_and_nothing_moves(talk: StagePage) -> None:
    tour = shipped_tour("time-flies")
    boxes = []
    talk.press("PageUp", "Space")  # nothing is before the beginning, and the first press answers
    for number, stop in enumerate(tour.stops[:5], 1):
        pictures = 2  # one of each sentence
        if number > 1:
            talk.press("PageDown")
            expect(talk.words).to_contain_text(stop.question)
            expect(talk.words).not_to_contain_text(stop.answer[:20])
            expect(talk.shown_pictures).to_have_count(0 if stop.reveals_picture else pictures)
            if stop.reveals_picture:
                expect(talk.sentences.filter(visible=True)).to_have_count(0)
            talk.press("Space")
        expect(talk.shown_pictures).to_have_count(pictures)
        expect(talk.sentences.first).to_be_visible()
        expect(talk.words).to_contain_text(stop.title)
        expect(talk.words).to_contain_text(stop.question)
        expect(talk.words).to_contain_text(stop.answer.replace("*", "")[:20])
        talk.at.selected(stop=str(number))
        expect(talk.line).to_contain_text("row looks at column" if number != 2 else "how long the vectors are")
        boxes.append(talk.boxes())
        if number == 2:
            talk.assert_figure_fits_and_tells("flies · position 2")
    assert boxes[1] == boxes[2] == boxes[0]
    for later in boxes[3:]:  # other sentences, and parts of speech under the tokens
        assert [later[part] for part in ("line", "words")] == [boxes[0][part] for part in ("line", "words")]
        assert later["strip"][:2] == boxes[0]["strip"][:2]
    expect(talk.page.locator(".token.pointed")).to_have_count(2)
    talk.press(
        "PageUp", "PageUp", "PageUp"
    )  # three fast ones: the question, the stop before with its answer, its question
    expect(talk.words).to_contain_text(tour.stops[3].question)
    talk.at.selected(stop="4")


@pytest.mark.parametrize(("size", "scheme"), [((1280, 720), "light"), ((1920, 1080), "dark")])
def test_a_stop_fits_and_is_accessible(
    talk: StagePage, size: tuple[int, int], scheme: Literal["light", "dark"]
) -> None:
    talk.page.set_viewport_size({"width": size[0], "height": size[1]})
    switch(talk.at, scheme)
    talk.assert_fits()
    boxes = talk.boxes()
    assert boxes["words"][1] + boxes["words"][3] == size[1]
    chips = talk.page.locator(".token .label").evaluate_all(
        "(labels) => labels.map((label) => parseFloat(getComputedStyle(label).fontSize) * label.currentCSSZoom)"
    )
    assert min(chips) >= 24 * size[1] / 720
    assert_no_violation(talk.at)


def test_a_stop_shows_all_of_its_bars_under_tokens_with_their_parts_of_speech(talk: StagePage) -> None:
    talk.page.set_viewport_size({"width": 1280, "height": 720})
    talk.at.go(stage="1", tour="time-flies", stop="7")
    talk.press("PageDown")
    expect(talk.words).to_contain_text("The probe on the last layer says")
    expect(talk.page.locator(".xtick text").first).to_have_text("emb.")
    talk.assert_first_figure_is_seen()
    names = talk.page.locator(".bartext").evaluate_all(
        "(texts) => texts.filter((text) => text.getBoundingClientRect().height > 0).map((text) => "
        "text.getBoundingClientRect().height)"
    )
    assert min(names) >= 18, "no name is too small to be read from afar"


def test_keys_scroll_to_what_is_below_the_pictures_of_a_long_text(talk: StagePage) -> None:
    talk.page.set_viewport_size({"width": 1280, "height": 720})
    talk.at.go(stage="1", tour="time-flies", stop="2", view="norms", a=LONG, b=LONG, mode="separate")
    expect(talk.words).to_contain_text(shipped_tour("time-flies").stops[1].question)
    expect(talk.page.locator(".more")).to_be_visible()
    for keys, down in (("Shift+ArrowDown", True), ("Shift+ArrowUp", False), ("End", True), ("Home", False)):
        talk.press(keys)
        talk.page.wait_for_function(
            "down => document.querySelector('[data-testid=stMain]').scrollTop > 0 === down", arg=down
        )
        line = talk.page.locator(".st-key-stage").bounding_box()
        assert 0 <= line["y"] < 10, "the line that says what is seen stays at the top, and with it the claims"
    talk.at.selected(stop="2", layer=None)  # with Shift the arrows choose no other layer


def all_stops() -> list[tuple[str, int]]:
    return [(name, number) for name in NAMES for number in range(1, len(shipped_tour(name).stops) + 1)]


def stops_with_least_room() -> list[tuple[str, int]]:
    """`DENSE`, and for each other view the stop with the most words."""
    longest = dict[str, tuple[int, str, int]]()
    for name in NAMES:
        shown = DEFAULT
        for number, stop in enumerate(shipped_tour(name).stops, 1):
            shown = selection_at(stop, shown)
            words = 10_000 if (name, number) in DENSE else len(stop.question) + len(stop.answer)
            longest[shown.view] = max((words, name, number), longest.get(shown.view, (0, "", 0)))
    return sorted({*DENSE, *((name, number) for _, name, number in longest.values())})


@pytest.mark.parametrize(("name", "number"), all_stops() if THOROUGH else stops_with_least_room())
def test_a_stop_is_seen_whole_and_gives_nothing_away_before_its_answer(talk: StagePage, name: str, number: int) -> None:
    at, page = talk.at, talk.page
    stop = shipped_tour(name).stops[number - 1]
    switch(at, "light" if number % 2 else "dark")  # tests/viz/figures holds that a theme moves nothing
    sizes = [OTHER, SMALLEST] if (name, number) in DENSE else [SMALLEST]
    page.set_viewport_size({"width": sizes[0][0], "height": sizes[0][1]})
    at.go(stage="1", tour=name, stop=str(number))
    assert_nothing_is_given_away(talk, number, stop)
    talk.press("PageDown")
    at.selected(stop=str(number))
    expect(page.locator(".st-key-stage_asked")).to_contain_text(plain(stop.question))
    expect(talk.words).to_contain_text(plain(stop.answer))
    at.idle()
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        talk.wait_until_still()
        talk.assert_pictures_are_whole()
        talk.assert_charts_are_legible()
        talk.assert_words_are_whole()
        talk.assert_fits()
        assert page.evaluate(OVERLAPS) == []


def assert_nothing_is_given_away(talk: StagePage, number: int, stop: Stop) -> None:
    talk.at.selected(stop=str(number))
    expect(talk.words).to_contain_text(plain(stop.question))
    expect(talk.page.locator(".st-key-stage_asks")).to_be_visible()
    expect(talk.words).not_to_contain_text(plain(stop.answer))
    expect(talk.page.locator(".token.pointed")).to_have_count(0)
    if stop.reveals_picture:
        expect(talk.shown_pictures).to_have_count(0)
        expect(talk.page.locator(".st-key-strip_written").filter(visible=True)).to_have_count(0)


def plain(markdown: str) -> str:
    """A text as it is read."""
    return re.sub(r"[*`]", "", unwrapped(markdown))


LONG_CLAIMS = """# Long claims

## Four claims that do not hold

```yaml
a: time flies like an arrow
b: fruit flies like a banana
claims:
  - weight(layer=0, head=4, A:"flies" → "time") > 0.9999
  - cosine(layer=4, A:"flies", B:"flies") > cosine(layer=5, A:"flies", B:"flies")
  - norm(layer=5, "time") > norm(layer=4, "time")
  - prediction(nonsense) > 0.5
```

Words for the audience.
"""


def test_all_of_four_long_claims_is_seen(open_app: Open) -> None:
    stored = {"headlight.tours": json.dumps([["own", LONG_CLAIMS]])}
    at = open_app(size=(1280, 720), stored=stored, tour="own", stop="1")
    StagePage(at).begin()
    claims, words = at.page.locator(".st-key-stage_claims"), at.page.locator(".st-key-stage_words")
    expect(claims).to_contain_text("does not apply here")
    assert claims.inner_text().count("does not hold here") == 3
    for width, height in ((1280, 720), (1440, 900)):
        at.page.set_viewport_size({"width": width, "height": height})
        at.assert_fits()
        expect(claims).to_be_in_viewport(ratio=1)
        assert words.evaluate("words => words.scrollHeight <= words.clientHeight"), "nothing is cut off below"


def test_the_speaker_has_a_window_with_notes_and_a_clock(talk: StagePage) -> None:
    tour = shipped_tour("time-flies")
    talk.at.go(stage="1", tour="time-flies", stop="3")
    expect(talk.words).to_contain_text(tour.stops[2].question)
    with talk.page.expect_popup() as waiting:
        talk.press("n")
    notes = waiting.value
    expect(notes.locator(".place")).to_have_text("Stop 3 of 12 · question")
    expect(notes.locator(".next")).to_contain_text("the answer: ")
    expect(notes.locator("iframe")).to_have_count(0)
    assert notes.locator(".elapsed").inner_text().count(":") == 1
    notes.keyboard.press("PageDown")  # a clicker may be heard there
    expect(talk.words).to_contain_text(tour.stops[2].answer)
    expect(notes.locator(".next")).to_have_text(tour.stops[3].title)
    expect(notes.locator(".next_question")).to_have_text(tour.stops[3].question)
    picture = notes.frame_locator('iframe[title="The next stop\'s picture"]')
    expect(picture.locator(".live canvas.over")).to_have_count(2)
    expect(picture.locator(".said, .bar").filter(visible=True)).to_have_count(0)
    assert notes.title() == "Headlight: notes"
    expect(notes.locator(".question")).to_have_text(tour.stops[2].question)
    expect(notes.locator(".answer")).to_have_text(tour.stops[2].answer)
    expect(notes.locator(".notes")).to_have_text(tour.stops[2].notes.replace("\n", " "))
    talk.page.bring_to_front()
    talk.press("Escape")
    talk.at.selected(stage=None, stop="3")
    assert notes.is_closed()
