"""A view's start: an example while nothing was chosen, which leaves with the view."""

import pytest

from viz.state import history
from viz.state.address import to_query
from viz.state.fields import value_of, with_values
from viz.state.selection import ADDRESS_BASE, DEFAULT, Selection, View
from viz.state.starts import STARTS, opening


def opened(selection: Selection, *views: View) -> Selection:
    for view in views:
        selection = with_values(selection, opening(selection, view))
    return selection


@pytest.mark.parametrize("view", STARTS)
def test_a_start_opens_with_its_view_and_goes_with_it(view: View) -> None:
    at_start = opened(DEFAULT, view)
    assert {name: value_of(at_start, name) for name in STARTS[view]} == dict(STARTS[view])
    assert opened(at_start, "heat map") == DEFAULT
    other: View = "search" if view != "search" else "why"
    assert opened(at_start, other) == opened(DEFAULT, other)


@pytest.mark.parametrize("view", STARTS)
def test_an_address_of_a_view_alone_opens_its_start(view: View) -> None:
    page = history.opened({"view": view})
    assert page.selection == opened(DEFAULT, view)
    assert history.opened(history.written(page).address).selection == page.selection
    assert history.arrived(history.opened({}), {"view": view}).selection == page.selection
    of_pair = with_values(ADDRESS_BASE, {"view": view})
    assert history.opened(to_query(of_pair)).selection == of_pair


@pytest.mark.parametrize("view", ["why", "predictions", "routes"])
def test_nothing_of_the_visitors_is_replaced(view: View) -> None:
    typed = with_values(DEFAULT, {"a": "my own text"})
    assert opened(typed, view) == with_values(typed, {"view": view})
    chosen = with_values(DEFAULT, {"model": "scratch-bert"})
    assert opened(chosen, view, "heat map") == chosen


def test_what_is_changed_at_a_start_stays() -> None:
    searched = with_values(opened(DEFAULT, "search"), {"find": "roses"})
    assert value_of(opened(searched, "texts", "search"), "find") == "roses"
    tour = with_values(DEFAULT, {"tour": "time-flies"})
    assert opened(tour, "why") == with_values(tour, {"view": "why"})
