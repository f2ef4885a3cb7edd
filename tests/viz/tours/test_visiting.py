"""The selection at a stop, and a stop made from a selection."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from tests.viz.state.selections import SELECTIONS
from viz.state.address import from_query, to_query
from viz.state.fields import with_values
from viz.state.selection import DEFAULT, Selection
from viz.tours.shipped import NAMES, shipped_tour, title_of
from viz.tours.tour import Stop
from viz.tours.visiting import completed, selection_at, state_of


def test_a_stop_shows_what_a_link_would() -> None:
    page = with_values(DEFAULT, {"layer": 3, "special": "hide", "view": "norms"})
    shown = selection_at(Stop(title="S", state={"a": "dogs bark", "head": "mean"}), page)
    assert shown == from_query({"a": "dogs bark", "head": "mean"})[0]


def test_a_stop_keeps_models_and_texts_that_it_does_not_name() -> None:
    page = with_values(
        DEFAULT, {"model": "scratch", "a": "x", "b": "y", "mode": "separate", "tour": "own", "stop": 4, "task": "sort"}
    )
    shown = selection_at(Stop(title="S", state={"layer": "2"}), page)
    assert (shown.model, shown.texts, shown.tour, shown.stop) == ("scratch", page.texts, "own", 4)
    assert shown.decoder.task == "sort"
    named = selection_at(Stop(title="S", state={"model": "bundled", "a": "z"}), page)
    assert (named.model, named.texts.a, named.texts.b, named.texts.mode) == ("bundled", "z", "", "pair")


@given(SELECTIONS)
def test_a_stop_that_is_made_of_the_page_shows_it_again(selection: Selection) -> None:
    selection = replace(selection, tour="own", stop=1)
    state = dict(state_of(selection))
    assert not {"tour", "stop", "stage"} & set(state)
    shown = selection_at(Stop(title="S", state=state), replace(DEFAULT, tour="own", stop=1, model=selection.model))
    linked = from_query(to_query(selection))[0]
    for part in ("view", "place", "level", "special", "tags", "word_lens", "scale"):
        assert getattr(shown, part) == getattr(linked, part)
    has_no_sentences = selection.shows_decoder or selection.shows_collection
    assert has_no_sentences or shown.texts.mode == selection.texts.mode


def test_a_stop_of_the_page_as_it_opens_encodes_the_sentences_separately() -> None:
    stop = Stop(title="S", state=dict(state_of(DEFAULT)))
    assert selection_at(stop, with_values(DEFAULT, {"a": "x", "mode": "pair"})) == DEFAULT


@pytest.mark.parametrize(
    ("params", "stop"),
    [({"tour": "time-flies"}, 0), ({"tour": "time-flies", "stop": "3"}, 2), ({"tour": "time-flies", "stop": "99"}, 11)],
)
def test_an_address_without_a_view_stands_for_its_stop(params: dict[str, str], stop: int) -> None:
    state = shipped_tour("time-flies").stops[stop].state
    assert completed(params) == {**state, **params}
    assert completed({**params, "layer": "5"})["layer"] == "5"
    assert completed({**params, "view": "norms"}) == {**params, "view": "norms"}


@pytest.mark.parametrize("params", [{}, {"layer": "2"}, {"tour": "own"}, {"tour": "none"}, {"stop": "2"}])
def test_other_addresses_stand_for_themselves(params: dict[str, str]) -> None:
    assert completed(params) == params


def test_the_address_of_a_stop_names_its_view() -> None:
    selection = selection_at(shipped_tour("time-flies").stops[2], replace(DEFAULT, tour="time-flies", stop=3))
    params = to_query(selection)
    assert {"tour", "stop", "view"} <= set(params)
    assert from_query(completed(params))[0] == selection


@pytest.mark.parametrize("name", NAMES)
def test_the_tours_that_ship_open_on_any_model(name: str) -> None:
    tour = shipped_tour(name)
    assert title_of(name) == tour.title
    assert len(tour.stops) >= 8
    assert all(stop.words and stop.question and stop.answer and stop.notes for stop in tour.stops)
    assert sum(len(stop.claims) for stop in tour.stops) >= 5
