"""Whatever can be operated has a name that says what it does."""

from __future__ import annotations

import re

import pytest

from tests.browser.pages.app_page import VIEWS, AppPage, Open

OPERATED = {"button", "checkbox", "combobox", "link", "menuitem", "radio", "slider", "spinbutton", "switch", "textbox"}
# The name of a Material symbol, alone or as Streamlit reads it out.
SYMBOL = re.compile(r"^(\w+ icon|[a-z]+(_[a-z]+)+|close|delete|download|edit|menu|save|slideshow|undo)$")


def without_name(at: AppPage) -> list[tuple[str, str]]:
    """Role and name of what can be operated and has no name, or that of a symbol."""
    session = at.page.context.new_cdp_session(at.page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    operated = [
        (node["role"]["value"], node.get("name", {}).get("value", "").strip())
        for node in nodes
        if not node["ignored"] and node["role"]["value"] in OPERATED
    ]
    assert operated
    return [(role, name) for role, name in operated if not name or SYMBOL.match(name)]


@pytest.mark.parametrize("view", VIEWS)
def test_every_control_of_a_view_has_a_name(visit_app: Open, view: str) -> None:
    at = visit_app(view=view.lower().rstrip("?").replace("why this prediction", "why"))
    assert without_name(at) == []


def test_every_control_of_a_tour_and_its_editor_has_a_name(open_app: Open) -> None:
    at = open_app(tour="time-flies", stop="3")
    assert without_name(at) == []
    at.page.get_by_role("button", name="Edit", exact=True).click()
    at.page.get_by_role("dialog").wait_for()
    assert without_name(at.idle()) == []


@pytest.mark.parametrize("selection", [{"a": ""}, {"stage": "1"}, {"mode": "separate"}], ids=["error", "stage", "two"])
def test_every_control_of_a_state_has_a_name(visit_app: Open, selection: dict[str, str]) -> None:
    assert without_name(visit_app().go(**selection)) == []
