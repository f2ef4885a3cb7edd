"""Changes of a tour that is being made."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.viz.tours.strategies import stops, tours
from viz.tours import edits
from viz.tours.files import TEXTS, parse_tour, write_tour
from viz.tours.grammar import GrammarError
from viz.tours.texts import TextError
from viz.tours.tour import Stop, Tour

INDEX = st.integers(0, 3)
NAMES = ("title", "words", *TEXTS, "points", "claims")


def of(*titles: str) -> Tour:
    return Tour(title="T", stops=tuple(Stop(title=title) for title in titles))


def titles(tour: Tour | None) -> str:
    return "".join(stop.title for stop in tour.stops) if tour else ""


def test_stops_are_moved_doubled_and_removed() -> None:
    tour = of(*"abcd")
    assert titles(edits.moved(tour, 1, 1)) == "acbd"
    assert titles(edits.moved(tour, 1, -1)) == "bacd"
    assert titles(edits.moved(tour, 3, 9)) == titles(edits.moved(tour, 0, -1)) == "abcd"
    assert titles(edits.duplicated(tour, 0)) == "aabcd"
    assert titles(edits.without_stop(tour, 2)) == "abd"
    assert edits.without_stop(of("a"), 0) is None
    assert titles(tour) == "abcd"


def test_a_stop_is_added_after_another_one() -> None:
    first = edits.with_stop(None, {"layer": "3"}, -1)
    assert (first.title, first.stops) == (edits.FIRST_TITLE, (Stop(title="Stop 1", state={"layer": "3"}),))
    assert [stop.title for stop in edits.with_stop(of("a", "b"), {}, 0).stops] == ["a", "Stop 3", "b"]


@given(tours, INDEX, st.sampled_from(NAMES))
@settings(max_examples=60)
def test_the_text_of_a_stop_is_read_back(tour: Tour, index: int, name: str) -> None:
    index %= len(tour.stops)
    text = edits.text_of(tour.stops[index], name)
    if name in ("points", "claims") and len(text.splitlines()) != len(getattr(tour.stops[index], name)):
        return  # a word that holds a line break cannot be edited line by line
    assert edits.with_stop_text(tour, index, name, text) == tour


@given(tours, INDEX, INDEX, stops)
@settings(max_examples=60)
def test_every_change_gives_a_tour_that_is_read_back(tour: Tour, index: int, by: int, stop: Stop) -> None:
    index %= len(tour.stops)
    for changed in (
        edits.moved(tour, index, by),
        edits.duplicated(tour, index),
        edits.without_stop(tour, index),
        edits.with_state(tour, index, stop.state),
        edits.with_stop(tour, stop.state, index),
    ):
        assert changed is None or parse_tour(write_tour(changed)) == changed


@pytest.mark.parametrize(
    ("name", "text"),
    [("title", ""), ("words", "<b>"), ("points", "x"), ("claims", "norm(layer=0) > 1"), ("notes", "![]")],
)
def test_a_text_that_a_tour_may_not_hold_is_refused(name: str, text: str) -> None:
    with pytest.raises((GrammarError, TextError)):
        edits.with_stop_text(of("a"), 0, name, text)


def test_the_tour_has_texts_of_its_own() -> None:
    assert edits.with_tour_text(of("a"), "title", " Mine ").title == "Mine"
    assert edits.with_tour_text(of("a"), "words", "*Mine*").words == "*Mine*"
