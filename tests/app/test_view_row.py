"""The choice of a view, and links to views."""

from itertools import pairwise
from typing import get_args

import pytest

from tests.app.app_script import open_page, run
from viz.panels import PANELS, Group, view_title, views_of
from viz.state.selection import View


def test_every_view_is_registered_once_and_in_its_order() -> None:
    assert tuple(PANELS) == get_args(View)
    assert tuple(view for group in get_args(Group) for view in views_of(group)) == get_args(View)


def test_no_group_has_more_views_than_there_are_keys() -> None:
    assert all(1 <= len(views_of(group)) <= 9 for group in get_args(Group))


@pytest.mark.parametrize("view", get_args(View))
def test_a_link_opens_its_view(view: View) -> None:
    at = open_page(view=view)
    box = at.selectbox(key="view")
    assert box.value == view
    exported = set(views_of("export")) - {view}
    titles = [view_title(other) for other in get_args(View) if other not in exported]
    assert box.options == titles


def test_every_view_but_exports_is_one_choice_away() -> None:
    at = open_page(model="scratch")
    offered = [view for view in get_args(View) if view not in views_of("export")]
    for _, view in pairwise((*offered, "heat map")):
        at.selectbox(key="view").set_value(view)
        assert run(at).selectbox(key="view").value == view
