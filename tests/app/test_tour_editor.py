"""Tours in the app: made, kept, and opened from files."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.elements.lib import policies
from streamlit.testing.v1 import AppTest

from tests.app.app_script import (
    alerts,
    choose,
    click,
    model_shown,
    open_page,
    run,
    sentences_of,
)
from tests.app.tours import FLIES, keep, own_tour, pick, titles, told_keeper, upload, write
from viz.caches import run_cache
from viz.page.tours import own
from viz.tours.files import parse_tour, write_tour

HOSTILE = """# Mine

## A stop

```yaml
a: hello there
b: ''
model: {model}
```

Look **here**.
"""


def editing(number: int = 3) -> AppTest:
    """The editor, open at a stop of a copy of the tour about flies."""
    at = keep(open_page(tour="time-flies", stop=str(number)), "")
    return click(at, "tour_edit")


def turned(states: Any) -> Any:
    """What the browser sends of all widgets, the last one first."""
    states.widgets.reverse()
    return states


def test_a_click_counts_where_the_browser_names_the_stop_by_its_title_of_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = editing()
    (stops,) = at.radio
    place = stops.index
    stops.options[place] = "a title of before"
    monkeypatch.setattr(type(stops), "index", place)  # what the browser sends is the option there
    at.text_input(key=f"stop_{place}_title").set_value("a title of now")
    click(at, "tour_down")
    assert titles(at)[place + 1] == "a title of now"


def test_the_second_of_two_equal_stops_is_edited_where_it_is_shown() -> None:
    at = click(editing(), "tour_copy")
    write(at, "stop_3_title", "the copy")
    assert titles(at)[2:4] == [FLIES.stops[2].title, "the copy"]


def test_stops_are_reordered_duplicated_and_deleted_and_all_of_it_undone() -> None:
    at = editing()
    before = [stop.title for stop in FLIES.stops]
    assert titles(at) == before
    one, two, three, *rest = before
    click(at, "tour_up")
    assert titles(at) == [one, three, two, *rest]
    assert at.query_params["stop"] == "2"
    click(at, "tour_down")
    click(at, "tour_copy")
    assert titles(at) == [one, two, three, three, *rest]
    assert at.query_params["stop"] == "4"
    click(at, "tour_delete")
    click(at, "tour_delete")
    assert titles(at) == [one, two, three, *rest[1:]]
    for _ in range(5):
        click(at, "tour_undo")
    assert titles(at) == before
    click(at, "tour_undo")
    assert own_tour(at) is None
    assert told_keeper(at)["text"] == ""


def test_a_double_click_undoes_the_first_change_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second click comes before the browser has heard that nothing is left to be undone."""
    at = editing()
    undo = own.undo
    monkeypatch.setattr(own, "undo", lambda: (undo(), undo()))
    click(at, "tour_undo")
    assert not at.exception
    assert own_tour(at) is None


@pytest.mark.parametrize("number", [3, len(FLIES.stops)], ids=["a stop", "the last stop"])
@pytest.mark.parametrize("text_first", [False, True])
def test_a_text_that_comes_with_the_click_that_deletes_its_stop_goes_to_no_other_stop(
    monkeypatch: pytest.MonkeyPatch, number: int, text_first: bool
) -> None:
    at = editing(number)
    at.text_input(key=f"stop_{number - 1}_title").set_value("a title of now")
    if text_first:
        monkeypatch.setattr(at._tree, "get_widget_states", lambda read=at._tree.get_widget_states: turned(read()))
    click(at, "tour_delete")
    assert not at.exception
    assert titles(at) == [stop.title for stop in FLIES.stops if stop is not FLIES.stops[number - 1]]


def test_a_stop_is_made_to_show_what_the_page_shows() -> None:
    at = click(choose(editing(), layer=5), "tour_update")
    tour = own_tour(at)
    assert tour is not None
    assert tour.stops[2].state["layer"] == "5"
    assert tour.stops[2].claims == FLIES.stops[2].claims


def test_texts_are_edited_when_a_field_is_left() -> None:
    at = editing()
    write(at, "stop_2_title", "Left of flies")
    write(at, "stop_2_words", "Some *words*.")
    write(at, "stop_2_points", 'token("time")\n\ncell(A:"flies" → "time")')
    write(at, "stop_2_claims", 'norm(layer=0, "time") > 0')
    write(at, "tour_text_title", "Flies again")
    tour = own_tour(at)
    assert tour is not None
    stop = tour.stops[2]
    assert (tour.title, stop.title, stop.words) == ("Flies again", "Left of flies", "Some *words*.")
    assert (len(stop.points), len(stop.claims)) == (2, 1)
    assert stop.question == FLIES.stops[2].question
    assert parse_tour(write_tour(tour)) == tour


@pytest.mark.parametrize(
    ("field", "text", "sentence"),
    [
        ("stop_2_words", "<script>alert(1)</script>", "HTML is not allowed"),
        ("stop_2_title", " ", "A title is needed"),
        ("stop_2_claims", "eval(1) > 0", "“eval” is no measure"),
        ("stop_2_points", "here", "is no kind of point"),
        ("tour_text_words", "![x](https://elsewhere.example)", "pictures are not allowed"),
    ],
)
def test_what_a_tour_cannot_hold_stays_in_its_field_and_is_told(field: str, text: str, sentence: str) -> None:
    at = write(editing(), field, text)
    assert titles(at) == [stop.title for stop in FLIES.stops]
    assert any("Not kept yet" in said and sentence in said for said in alerts(at))
    assert next(area.value for area in [*at.text_input, *at.text_area] if area.key == field) == text
    run(at)
    assert next(area.value for area in [*at.text_input, *at.text_area] if area.key == field) == text


def test_a_tour_is_kept_over_a_reload() -> None:
    at = write(editing(), "stop_2_title", "Left of flies")
    kept, address = told_keeper(at)["text"], dict(at.query_params)
    again = open_page(**address)
    assert (told_keeper(again)["text"], told_keeper(again)["awaited"]) == (None, True)
    assert alerts(again) == []
    keep(again, kept)
    assert told_keeper(again)["text"] == kept
    assert "3 of 10" in sentences_of(again)
    assert "#### Left of flies" in sentences_of(again)
    assert dict(again.query_params) == address


def test_a_page_without_a_tour_of_ones_own_waits_for_none() -> None:
    assert not told_keeper(open_page())["awaited"]
    assert not told_keeper(open_page(tour="time-flies"))["awaited"]


def test_a_tour_that_is_begun_before_the_kept_one_has_come_can_be_undone_to_it() -> None:
    at = pick(open_page(), "add")
    keep(at, write_tour(FLIES))
    assert titles(at) == ["Stop 1"]
    pick(at, "undo")
    assert own_tour(at) == FLIES
    assert "1 of 10" in sentences_of(at)


def test_a_deleted_tour_comes_back() -> None:
    at = pick(keep(open_page(), ""), "add")
    click(click(at, "tour_edit"), "tour_delete")
    assert own_tour(at) is None
    assert "tour" not in at.query_params
    assert titles(pick(at, "undo")) == ["Stop 1"]


def test_a_kept_tour_that_cannot_be_read_is_told() -> None:
    at = keep(open_page(), "no tour")
    assert alerts(at) == [
        "The tour that this browser kept cannot be read. Line 1: A tour begins with “\\# ” and its title."
    ]
    assert told_keeper(at)["text"] is None


def test_what_was_being_typed_is_there_after_a_reload() -> None:
    link = {"tour": "own", "stop": "3"}
    at = keep(open_page(**link), write_tour(FLIES), draft={"field": "stop_2_title", "text": "Half a title"})
    assert titles(at)[2] == "Half a title"
    assert at.text_input(key="stop_2_title").value == "Half a title"
    assert alerts(at) == []
    refused = keep(open_page(**link), write_tour(FLIES), draft={"field": "stop_2_claims", "text": "weight("})
    assert own_tour(refused) == FLIES
    assert refused.text_area(key="stop_2_claims").value == "weight("
    assert any("Not kept yet" in alert for alert in alerts(refused))


def test_a_draft_that_is_taken_up_is_put_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit logs a warning where a field has a first value and is put one."""
    monkeypatch.setattr(policies, "_shown_default_value_warning", False)
    draft = {"field": "stop_2_title", "text": "Half a title"}
    at = keep(open_page(tour="own", stop="3"), write_tour(FLIES), draft=draft)
    assert at.text_input(key="stop_2_title").value == "Half a title"
    assert not policies._shown_default_value_warning


def test_half_a_character_of_a_draft_is_shown_as_what_stands_for_none() -> None:
    draft = {"field": "stop_2_title", "text": "Half \ud800"}
    at = keep(open_page(tour="own", stop="3"), write_tour(FLIES), draft=draft)
    assert titles(at)[2] == "Half \ufffd"


@pytest.mark.parametrize("field", ["stop_99_title", "stop_0_state", "tour_text_stops", "model", "stop_²_title"])
def test_a_draft_of_no_field_changes_nothing(field: str) -> None:
    at = keep(open_page(tour="own"), write_tour(FLIES), draft={"field": field, "text": "x"})
    assert own_tour(at) == FLIES
    assert alerts(at) == []


def test_a_file_is_opened() -> None:
    at = pick(keep(open_page(), ""), "open")
    upload(at, "flies.md", write_tour(FLIES).encode())
    assert own_tour(at) == FLIES
    assert (at.query_params["tour"], at.query_params["stop"]) == ("own", "1")
    assert "1 of 10" in sentences_of(at)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"nothing", "bad.md: Line 1: A tour begins with"),
        (b"# T\n\n## S\n\n```yaml\nclaims: os.system(1)\n```", "Line 6"),
        (b"# T\n\n## S\n\xff", "Line 4: The file is no text in UTF-8"),
        (f"x{'é' * 450_000}".encode(), "Line 1: The file is too large: a tour has at most 200,000 characters"),
    ],
)
def test_a_malformed_file_gets_one_sentence_with_its_line_and_loses_nothing(data: bytes, sentence: str) -> None:
    at = pick(keep(open_page(), ""), "add")
    before = own_tour(at)
    upload(pick(at, "open"), "bad.md", data)
    (said,) = alerts(at)
    assert sentence in said
    assert own_tour(at) == before


def test_a_tour_of_somebody_else_loads_no_model_unasked(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    loaded: list[str] = []
    load = run_cache.model
    monkeypatch.setattr(run_cache, "model", lambda name: loaded.append(name) or load(name))
    at = pick(keep(open_page(), ""), "open")
    upload(at, "theirs.md", HOSTILE.format(model=tmp_path).encode())
    assert any("is a path" in said for said in alerts(at))
    assert model_shown(at) == "bundled"
    assert str(tmp_path) not in loaded


def test_a_tour_is_closed_and_the_page_stays() -> None:
    at = click(open_page(tour="time-flies", stop="3"), "tour_close")
    assert at.query_params == {"mode": "separate", "query": "2", "key": "1"}
    assert "of 10" not in sentences_of(at)
