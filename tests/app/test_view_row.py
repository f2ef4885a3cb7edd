"""The choice of a view, and links to views."""

from typing import get_args

import pytest

from tests.app.app_script import choose, open_page, sentences_of
from tests.app.jobs import settled
from viz.panels import PANELS, Group, view_title, views_of
from viz.state.selection import View


def test_every_view_is_registered_once_and_in_its_order() -> None:
    assert tuple(PANELS) == get_args(View)
    assert tuple(view for group in get_args(Group) for view in views_of(group)) == get_args(View)


def test_no_group_has_more_views_than_there_are_keys() -> None:
    assert all(1 <= len(views_of(group)) <= 9 for group in get_args(Group))


@pytest.mark.parametrize("view", ["norms", "texts"])
def test_a_link_opens_its_view(view: View) -> None:
    at = open_page(view=view)
    box = at.menu_button(key="view")
    assert box.label == f"View: {PANELS[view].title}"
    assert box.options == [view_title(other) for other in get_args(View) if other not in views_of("export")]


def test_a_view_opens_with_an_example_that_it_answers() -> None:
    at = choose(open_page(), view="search")
    assert "comes first of 150, with a cosine of 0.56" in sentences_of(settled(at))
    choose(at, view="heat map")
    assert at.query_params == {}
