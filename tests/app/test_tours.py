"""Tours in the app: given, made, kept and opened."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.app_script import (
    alerts,
    choose,
    chosen,
    click,
    components,
    data_of,
    model_shown,
    open_page,
    pick_model,
    run,
    sentences_of,
    texts_of,
    type_texts,
)
from viz import cache
from viz.page.opening import told_by
from viz.state.fields import with_values
from viz.state.selection import DEFAULT
from viz.tours.files import parse_tour, write_tour
from viz.tours.shipped import NAMES, shipped_tour, title_of
from viz.tours.tour import Tour

FLIES = shipped_tour("time-flies")
HOSTILE = """# Mine

## A stop

```yaml
a: hello there
b: ''
model: {model}
```

Look **here**.
"""


@pytest.fixture(autouse=True, scope="module")
def no_claims_are_worked_out_after_the_tests() -> Iterator[None]:
    yield
    for thread in claims_threads():
        thread.join(60)


def claims_threads() -> list[threading.Thread]:
    """Those that work claims out."""
    return [thread for thread in threading.enumerate() if thread.name == "headlight-claims"]


def pick(at: AppTest, option: str) -> AppTest:
    """Choose an entry of the menu of tours."""
    at.menu_button(key="tours").set_value(option)
    return run(at)


def own_tour(at: AppTest) -> Tour | None:
    """The tour that is being made, as the browser is told to keep it."""
    text = told_keeper(at)["text"]
    return parse_tour(text) if text else None


def told_keeper(at: AppTest) -> dict[str, Any]:
    """What the browser's keeper is told."""
    (keeper,) = components(at, "kept_tour")
    return data_of(keeper)


def keep(at: AppTest, text: str) -> AppTest:
    """The browser answers with the tour that it kept, "" for none."""
    (keeper,) = components(at, "kept_tour")
    kept = {"visit": told_keeper(at)["visit"], "text": text}
    states = at._tree.get_widget_states()
    states.widgets.add(id=keeper.id, json_value=json.dumps({"kept": kept}))  # AppTest knows no components
    at._run(states)
    assert not at.exception, at.exception[0].message
    return at


def with_claims(at: AppTest) -> str:
    """What the page says when the claims of the stop are worked out."""
    deadline = time.monotonic() + 60
    while ":material/hourglass_empty:" in sentences_of(run(at)):
        assert time.monotonic() < deadline
        for thread in claims_threads():
            thread.join(60)
    return sentences_of(at)


def titles(at: AppTest) -> list[str]:
    """The stops of the tour that is being made."""
    tour = own_tour(at)
    return [stop.title for stop in tour.stops] if tour else []


def write(at: AppTest, name: str, text: str) -> AppTest:
    """Type into a field of the editor, and leave it."""
    area = next(field for field in [*at.text_input, *at.text_area] if field.key == name)
    area.set_value(text)
    return run(at)


def upload(at: AppTest, name: str, data: bytes) -> AppTest:
    """Open a file."""
    at.file_uploader(key="tour_file").set_value((name, data, "text/markdown"))
    return run(at)


def test_a_tour_is_chosen_asked_answered_and_walked() -> None:
    at = pick(open_page(), "time-flies")
    first = FLIES.stops[0]
    assert at.query_params["tour"] == "time-flies"
    assert at.query_params["stop"] == "1"
    assert "Time flies: one word, two meanings · 1 of 10" in sentences_of(at)
    assert first.question in sentences_of(at)
    assert first.answer not in sentences_of(at)
    assert first.words not in sentences_of(at)
    click(at, "tour_next")
    assert first.answer in sentences_of(at)
    assert first.words in sentences_of(at)
    click(at, "tour_next")
    assert (at.query_params["stop"], at.query_params["view"]) == ("2", "norms")
    assert FLIES.stops[1].answer not in sentences_of(at)
    click(at, "tour_back")
    assert (at.query_params["stop"], at.query_params["view"]) == ("1", "heat map")
    assert at.button(key="tour_back").disabled


def test_the_last_stop_has_no_next_one() -> None:
    at = click(open_page(tour="time-flies", stop="10"), "tour_next")
    assert at.button(key="tour_next").disabled


def test_an_address_that_names_a_stop_opens_it() -> None:
    at = open_page(tour="time-flies", stop="3")
    assert chosen(at) == (0, 4)
    assert at.query_params == {
        "tour": "time-flies",
        "stop": "3",
        "view": "heat map",
        "mode": "separate",
        "query": "2",
        "key": "1",
    }
    assert chosen(open_page(tour="time-flies", stop="3", layer="2", view="heat map")) == (2, 4)
    assert chosen(open_page(tour="time-flies", stop="3", layer="2")) == (2, 4)
    assert texts_of(open_page(tour="explanation"))["a"] == "the film was not good"


def test_the_way_back_leads_to_the_stop_before() -> None:
    at = open_page(tour="time-flies", stop="3")
    click(at, "tour_next")
    address = dict(at.query_params)
    click(at, "tour_next")
    assert at.query_params["stop"] == "4"
    at.query_params = address
    run(at)
    assert at.query_params["stop"] == "3"
    assert chosen(at) == (0, 4)
    assert "3 of 10" in sentences_of(at)


@pytest.mark.parametrize("name", ["none-such", "own"])
def test_a_link_to_a_tour_that_is_not_here_is_told(name: str) -> None:
    at = keep(open_page(tour=name), "")
    (said,) = alerts(at)
    assert "tour" in said
    assert chosen(at) == (0, 4)


@pytest.mark.parametrize("link", [{"tour": "../x"}, {"tour": "time-flies", "stop": "x"}])
def test_a_link_that_makes_no_sense_is_told(link: dict[str, str]) -> None:
    (said,) = alerts(open_page(**link))
    assert "was ignored" in said


def test_claims_come_with_their_numbers_and_do_not_hold_up_the_picture() -> None:
    at = click(open_page(tour="time-flies", stop="5"), "tour_next")
    said = with_claims(at)
    assert said.count(":material/check_circle:") == 4
    assert "**0.631**" in said
    pick_model(at, "scratch-untrained")
    assert at.query_params["stop"] == "5"
    said = with_claims(at)
    assert "**does not hold here: 0.999" in said
    assert "There is no layer 5: the last one is 3." in said


def test_the_page_is_drawn_anew_where_claims_are_about_what_is_typed() -> None:
    given, typed = (with_values(DEFAULT, {"a": text, "tour": "time-flies"}) for text in ("dogs bark", "dogs bar"))
    assert told_by(given) != told_by(typed)
    assert told_by(with_values(given, {"tour": ""})) == told_by(with_values(typed, {"tour": ""}))
    at = click(open_page(tour="time-flies", stop="3"), "tour_next")
    type_texts(at, a="dogs bark", held=True)
    assert '"flies" is not in sentence A.' in with_claims(at).replace("\\", "")


def test_a_stop_keeps_the_model_and_the_texts_that_it_does_not_name() -> None:
    at = pick_model(open_page(), "scratch")
    pick(at, "time-flies")
    click(click(at, "tour_next"), "tour_next")
    assert model_shown(at) == "scratch"


def test_what_is_shown_becomes_a_stop_anywhere() -> None:
    at = keep(open_page(), "")
    choose(at, view="head view")
    pick(at, "add")
    assert (at.query_params["tour"], at.query_params["stop"]) == ("own", "1")
    type_texts(at, a="dogs bark", b="")
    choose(at, layer=3)
    click(at, "tour_add")
    assert at.query_params["stop"] == "2"
    tour = own_tour(at)
    assert tour is not None
    assert [stop.title for stop in tour.stops] == ["Stop 1", "Stop 2"]
    assert tour.stops[0].state["view"] == "head view"
    assert dict(tour.stops[1].state) == {"view": "head view", "a": "dogs bark", "b": "", "layer": "3"}
    click(at, "tour_back")
    assert texts_of(at)["a"] == "time flies like an arrow"
    click(at, "tour_next")
    assert texts_of(at)["a"] == "dogs bark"
    assert chosen(at)[0] == 3


def editing(number: int = 3) -> AppTest:
    """The editor, open at a stop of a copy of the tour about flies."""
    at = keep(open_page(tour="time-flies", stop=str(number)), "")
    return click(at, "tour_edit")


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
    assert told_keeper(again)["text"] is None
    assert alerts(again) == []
    keep(again, kept)
    assert told_keeper(again)["text"] == kept
    assert "3 of 10" in sentences_of(again)
    assert "#### Left of flies" in sentences_of(again)
    assert dict(again.query_params) == address


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
    load = cache.model
    monkeypatch.setattr(cache, "model", lambda name: loaded.append(name) or load(name))
    at = pick(keep(open_page(), ""), "open")
    upload(at, "theirs.md", HOSTILE.format(model=tmp_path).encode())
    assert any("is a folder on this computer" in said for said in alerts(at))
    assert model_shown(at) == "bundled"
    assert str(tmp_path) not in loaded


def test_a_tour_is_closed_and_the_page_stays() -> None:
    at = click(open_page(tour="time-flies", stop="3"), "tour_close")
    assert at.query_params == {"mode": "separate", "query": "2", "key": "1"}
    assert "of 10" not in sentences_of(at)


@pytest.mark.parametrize("name", NAMES)
def test_every_stop_of_the_tours_that_ship_is_drawn(name: str) -> None:
    at = pick(open_page(), name)
    assert title_of(name) == shipped_tour(name).title
    for number, stop in enumerate(shipped_tour(name).stops, 1):
        assert f"#### {stop.title}".replace("’", "’") in sentences_of(at).replace("\\", "")
        assert at.query_params["stop"] == str(number)
        assert not at.error
        for _ in range(1 + bool(stop.question)):
            if not at.button(key="tour_next").disabled:
                click(at, "tour_next")
