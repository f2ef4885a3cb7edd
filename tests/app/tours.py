"""Helpers for tests of tours: the menu, the user's tour, and claims."""

from __future__ import annotations

import threading
import time
from typing import Any

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextArea

from tests.app.app_script import components, data_of, run, send, sentences_of
from viz.tours.files import parse_tour
from viz.tours.shipped import shipped_tour
from viz.tours.tour import Tour

FLIES = shipped_tour("time-flies")


def claims_threads() -> list[threading.Thread]:
    """The threads that compute claims."""
    return [thread for thread in threading.enumerate() if thread.name == "headlight-claims"]


def pick(at: AppTest, option: str) -> AppTest:
    """Choose an entry of the menu of tours."""
    at.menu_button(key="tours").set_value(option)
    return run(at)


def own_tour(at: AppTest) -> Tour | None:
    """The user's tour, as it is sent to the browser."""
    text = sent_to_storage(at)["text"]
    return parse_tour(text) if text else None


def sent_to_storage(at: AppTest) -> dict[str, Any]:
    """The data of the component that stores the user's tour."""
    (storage,) = components(at, "kept_tour")
    return data_of(storage)


def restore(at: AppTest, *texts: str) -> AppTest:
    """The browser sends the tours that it stored: "own", "own-2", and so on."""
    stored = [["own" if number == 1 else f"own-{number}", text] for number, text in enumerate(texts, 1)]
    return send(at, "kept_tour", stored={"visit": sent_to_storage(at)["visit"], "tours": stored})


def with_claims(at: AppTest) -> str:
    """The text of the page once the claims of the stop are computed."""
    deadline = time.monotonic() + 60
    while ":material/hourglass_empty:" in sentences_of(run(at)):
        assert time.monotonic() < deadline
        for thread in claims_threads():
            thread.join(60)
    return sentences_of(at)


def titles(at: AppTest) -> list[str]:
    """The titles of the stops of the user's tour."""
    tour = own_tour(at)
    return [stop.title for stop in tour.stops] if tour else []


def text_area(at: AppTest) -> TextArea:
    """The editor's text, which it shows in place of its form."""
    for choice in at.button_group:
        if choice.key == "tour_as" and choice.value == "Form":
            choice.set_value("Markdown")
            run(at)
    return next(area for area in at.text_area if area.label == "Markdown")


def write(at: AppTest, text: str) -> AppTest:
    """Type another text into the editor."""
    text_area(at).set_value(text)
    return run(at)


def upload(at: AppTest, name: str, data: bytes) -> AppTest:
    """Open a file."""
    at.file_uploader(key="tour_file").set_value((name, data, "text/markdown"))
    return run(at)
