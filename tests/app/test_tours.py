"""Tours in the app: opening and walking them, and their claims."""

from __future__ import annotations

import pytest

from tests.app.app_script import (
    alerts,
    choose,
    chosen,
    click,
    go,
    model_shown,
    open_page,
    pick_model,
    sentences_of,
    texts_of,
    type_texts,
)
from tests.app.tours import FLIES, own_tour, pick, restore, with_claims
from viz.page.body import rerun_key
from viz.state.fields import with_values
from viz.state.selection import DEFAULT


def test_a_tour_is_chosen_asked_answered_and_walked() -> None:
    at = pick(open_page(), "time-flies")
    first = FLIES.stops[0]
    assert at.query_params["tour"] == "time-flies"
    assert at.query_params["stop"] == "1"
    assert "Time flies: one word, two meanings · 1 of 12" in sentences_of(at)
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
    at = click(open_page(tour="time-flies", stop="12"), "tour_next")
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
    go(at, address)
    assert at.query_params["stop"] == "3"
    assert chosen(at) == (0, 4)
    assert "3 of 12" in sentences_of(at)


@pytest.mark.parametrize("name", ["none-such", "own"])
def test_a_link_to_a_missing_tour_is_reported(name: str) -> None:
    at = restore(open_page(tour=name))
    (said,) = alerts(at)
    assert "lesson" in said
    assert chosen(at) == (0, 4)


@pytest.mark.parametrize("link", [{"tour": "../x"}, {"tour": "time-flies", "stop": "x"}])
def test_an_invalid_link_is_reported(link: dict[str, str]) -> None:
    (said,) = alerts(open_page(**link))
    assert "was ignored" in said


def test_claims_come_with_their_numbers_and_do_not_hold_up_the_picture() -> None:
    at = click(open_page(tour="time-flies", stop="6"), "tour_next")
    said = with_claims(at)
    assert said.count(":material/check_circle:") == 4
    assert "cosine of both flies after layer 5 0.631 :material/check_circle:" in said
    pick_model(at, "scratch-untrained")
    assert at.query_params["stop"] == "6"
    said = with_claims(at)
    assert "does not hold here: cosine of both flies after layer" in said
    assert "There is no layer 5: the last one is 3." in said


def test_the_page_reruns_if_claims_depend_on_the_typed_text() -> None:
    given, typed = (with_values(DEFAULT, {"a": text, "tour": "time-flies"}) for text in ("dogs bark", "dogs bar"))
    assert rerun_key(given) != rerun_key(typed)
    assert rerun_key(with_values(given, {"tour": ""})) == rerun_key(with_values(typed, {"tour": ""}))
    assert rerun_key(with_values(DEFAULT, {"source": "banana"})) == rerun_key(DEFAULT)
    assert rerun_key(with_values(DEFAULT, {"task": "sort"})) != rerun_key(DEFAULT)
    at = click(open_page(tour="time-flies", stop="3"), "tour_next")
    type_texts(at, a="dogs bark", held=True)
    assert '"flies" is not in sentence A.' in with_claims(at).replace("\\", "")


def test_a_stop_keeps_the_model_and_the_texts_that_it_does_not_name() -> None:
    at = pick_model(open_page(), "scratch")
    pick(at, "time-flies")
    click(click(at, "tour_next"), "tour_next")
    assert model_shown(at) == "scratch"


def test_any_page_becomes_a_stop() -> None:
    at = restore(open_page())
    choose(at, view="head view")
    pick(at, "add")
    assert at.query_params["tour"].startswith("own-")
    assert at.query_params["stop"] == "1"
    type_texts(at, a="dogs bark", b="")
    choose(at, layer=3)
    click(at, "tour_add")
    assert at.query_params["stop"] == "2"
    tour = own_tour(at)
    assert tour is not None
    assert tour.stops[0].title.startswith("In layer 0, head 4, “flies” gives 80 %")
    assert tour.stops[0].state["view"] == "head view"
    assert dict(tour.stops[1].state) == {
        "view": "head view",
        "a": "dogs bark",
        "b": "",
        "mode": "separate",
        "layer": "3",
        "tags": "6",
    }
    click(at, "tour_back")
    assert texts_of(at)["a"] == "time flies like an arrow"
    click(at, "tour_next")
    assert texts_of(at)["a"] == "dogs bark"
    assert chosen(at)[0] == 3
    at.button(key="tour_add").click()
    type_texts(at, a="cats sleep")  # in the same run
    tour = own_tour(at)
    assert tour is not None
    assert (tour.stops[2].title, tour.stops[2].state["a"]) == ("Stop 3", "cats sleep")
