"""The row of views: groups, the views of a group, and links to them."""

from itertools import pairwise
from typing import Any, get_args

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.app_script import open_page, run
from viz.panels import GROUPS, PANELS, Group, views_of
from viz.state.selection import View


def shown(at: AppTest) -> tuple[Any, Any]:
    """The group and the view that are open."""
    return at.button_group(key="group").value, at.button_group(key="view").value


def open_group(at: AppTest, group: Group) -> AppTest:
    at.button_group(key="group").set_value(group)
    return run(at)


def test_every_view_is_registered_once_and_in_its_order() -> None:
    assert tuple(PANELS) == get_args(View)
    assert tuple(view for group in GROUPS for view in views_of(group)) == get_args(View)


def test_no_group_has_more_views_than_there_are_keys() -> None:
    assert tuple(GROUPS) == get_args(Group)
    assert all(1 <= len(views_of(group)) <= 9 for group in GROUPS)


@pytest.mark.parametrize("view", get_args(View))
def test_a_link_opens_its_view_in_its_group(view: View) -> None:
    at = open_page(view=view)
    assert shown(at) == (PANELS[view].group, view)
    assert at.button_group(key="view").options == [PANELS[other].title for other in views_of(PANELS[view].group)]
    assert "group" not in at.query_params


def test_a_group_opens_with_its_first_view() -> None:
    at = open_page()
    for group in ("ask", "learn", "look"):
        assert shown(open_group(at, group)) == (group, views_of(group)[0])


def test_going_back_to_a_group_shows_the_view_that_was_open_in_it() -> None:
    at = open_page(view="norms")
    open_group(at, "ask")
    at.button_group(key="view").set_value("predictions")
    run(at)
    steps: list[tuple[Group, View]] = [
        ("look", "norms"),
        ("ask", "predictions"),
        ("learn", "anatomy"),
        ("look", "norms"),
    ]
    for group, view in steps:
        assert shown(open_group(at, group)) == (group, view)
    assert set(at.query_params) == {"view"}


def test_every_view_is_at_most_two_choices_away() -> None:
    at = open_page()
    for before, view in pairwise((*get_args(View), "heat map")):
        if PANELS[before].group != PANELS[view].group:
            open_group(at, PANELS[view].group)
        at.button_group(key="view").set_value(view)
        run(at)
        assert shown(at) == (PANELS[view].group, view)
