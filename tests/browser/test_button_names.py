"""Whatever can be operated has a name that says what it does. `test_accessibility` asks the same of every view."""

from __future__ import annotations

import pytest

from tests.browser.pages.app_page import Open
from tests.browser.pages.names import without_name


def test_every_control_of_a_tour_and_its_editor_has_a_name(open_app: Open) -> None:
    at = open_app(tour="time-flies", stop="3")
    assert without_name(at) == []
    at.page.get_by_role("button", name="Edit", exact=True).click()
    at.page.get_by_role("dialog").wait_for()
    assert without_name(at.idle()) == []


@pytest.mark.parametrize("selection", [{"a": ""}, {"stage": "1"}, {"mode": "separate"}], ids=["error", "stage", "two"])
def test_every_control_of_a_state_has_a_name(visit_app: Open, selection: dict[str, str]) -> None:
    assert without_name(visit_app().go(**selection)) == []
