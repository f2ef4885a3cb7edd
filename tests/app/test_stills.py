"""The route with the picture of a tour's next stop, which the speaker's window fetches."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, cast

import pytest

from tests.app.app_script import open_page
from tests.app.test_stage import ask, sent_stage
from tests.viz.html.reading import contents_of, elements_of
from viz.page import stills
from viz.page.stills import GONE, NOT_FOUND, address_of
from viz.state.selection import DEFAULT
from viz.tours.shipped import shipped_tour

OK = 200
STOPS = shipped_tour("time-flies").stops


@pytest.fixture(autouse=True)
def _served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stills, "_served", [])
    monkeypatch.setattr(stills, "_stills", type(stills._stills)())
    stills.routes()


def fetch(address: str, *, leaves: bool = False) -> tuple[int, str]:
    """The status and the body of the response to a browser that stays or leaves."""
    sent: list[dict[str, Any]] = []
    [route] = stills.routes()
    scope = {"type": "http", "method": "GET", "path": address, "path_params": {"token": address.split("/")[-1]}}

    async def receive() -> dict[str, Any]:
        if not leaves:
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(asyncio.run, cast(Any, route.app)(scope, receive, send)).result()
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:]).decode()


def test_the_next_stop_has_one_picture_with_its_rings_and_no_words() -> None:
    at = open_page(stage="1", tour="time-flies", stop="2")
    address = sent_stage(at)["tour"]["next_picture"]
    ask(at, stop=2, answered=True, scope="encoder", after=1)
    assert sent_stage(at)["tour"]["next_picture"] == address, "the window does not load it again"
    status, html = fetch(address)
    assert status == OK
    [slide] = contents_of(html)["slides"]
    assert slide["picture"]["view"] == "heat map"
    assert len(slide["picture"]["selection"]["points"]) == len(STOPS[2].points)
    assert elements_of(html, "main")[0].attributes["class"] == "slides still"
    ask(at, stop=len(STOPS), answered=True, scope="encoder", after=2)
    assert sent_stage(at)["tour"]["next_picture"] == ""


def test_a_model_without_consent_is_not_opened_for_a_picture() -> None:
    _, html = fetch(address_of(STOPS[2], replace(DEFAULT, model="bert-base-uncased"), set()))
    assert "is not opened unasked" in html


def test_an_unknown_address_and_a_browser_that_left_get_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stills, "MOST", 1)
    old, new = (address_of(stop, DEFAULT, set()) for stop in STOPS[:2])
    assert fetch(old) == (NOT_FOUND, "")
    assert fetch(new, leaves=True) == (GONE, "")


def test_a_page_without_the_route_names_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stills, "_served", [])
    assert address_of(STOPS[0], DEFAULT, set()) == ""
