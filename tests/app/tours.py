"""What the tests of tours share: the menu, the tour that is being made, and the claims beside it."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.app.app_script import components, data_of, run, send, sentences_of
from viz.tours.files import parse_tour
from viz.tours.shipped import shipped_tour
from viz.tours.tour import Tour

FLIES = shipped_tour("time-flies")


def claims_threads() -> list[threading.Thread]:
    """Those that work claims out."""
    return [thread for thread in threading.enumerate() if thread.name == "headlight-claims"]


def pick(at: AppTest, option: str) -> AppTest:
    """Choose an entry of the menu of tours."""
    at.menu_button(key="tours").set_value(option)
    return run(at)


def own_tour(at: AppTest) -> Tour | None:
    """The tour that is being made, as the browser is told to keep it."""
    text = told_keeper(at)["text"]
    return parse_tour(text) if text else None


def told_keeper(at: AppTest) -> dict[str, Any]:
    """What the browser's keeper is told."""
    (keeper,) = components(at, "kept_tour")
    return data_of(keeper)


def keep(at: AppTest, text: str, *, draft: dict[str, str] | None = None, older: Sequence[object] = ()) -> AppTest:
    """The browser answers with the tour that it kept, "" for none, with what was being typed into its editor, and with
    the tours of other tabs.
    """
    answer = {"visit": told_keeper(at)["visit"], "text": text, "draft": draft, "older": list(older)}
    return send(at, "kept_tour", kept=answer)


def with_claims(at: AppTest) -> str:
    """What the page says when the claims of the stop are worked out."""
    deadline = time.monotonic() + 60
    while ":material/hourglass_empty:" in sentences_of(run(at)):
        assert time.monotonic() < deadline
        for thread in claims_threads():
            thread.join(60)
    return sentences_of(at)


def titles(at: AppTest) -> list[str]:
    """The stops of the tour that is being made."""
    tour = own_tour(at)
    return [stop.title for stop in tour.stops] if tour else []


def write(at: AppTest, name: str, text: str) -> AppTest:
    """Type into a field of the editor, and leave it."""
    area = next(field for field in [*at.text_input, *at.text_area] if field.key == name)
    area.set_value(text)
    return run(at)


def upload(at: AppTest, name: str, data: bytes) -> AppTest:
    """Open a file."""
    at.file_uploader(key="tour_file").set_value((name, data, "text/markdown"))
    return run(at)
