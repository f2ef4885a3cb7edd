"""What the page's connection with the browser promises: it sends layers of runs that are there, and opens no model."""

from typing import Any

import pytest

import encoder
from tests.app.app_script import go, open_page, selected
from viz.caches import run_cache
from viz.panels import PANELS, EncoderPanel

IN_BROWSER = [view for view, panel in PANELS.items() if isinstance(panel, EncoderPanel) and not panel.needs_model]


@pytest.fixture
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, **options: Any) -> Any:
        raise AssertionError(f"the model {name} was opened")

    run_cache.model.clear()
    monkeypatch.setattr(encoder, "load", refuse)


@pytest.mark.usefixtures("no_model")
@pytest.mark.parametrize("view", IN_BROWSER)
def test_a_page_of_a_stored_run_is_drawn_and_connected_without_a_model(view: str) -> None:
    at = open_page(view=view)
    assert selected(at)["layer"] == 0
    assert selected(go(at, at.query_params | {"layer": "5"}))["layer"] == 5


def test_a_text_that_is_not_stored_needs_the_model(no_model: None) -> None:
    with pytest.raises(AssertionError, match="the model bundled was opened"):
        open_page(a="nobody typed this before", b="")


def test_reading_a_stored_run_says_nothing_of_how_long_runs_take(monkeypatch: pytest.MonkeyPatch) -> None:
    noted = []
    run_cache.trace.clear()
    monkeypatch.setattr(run_cache.RunTimes, "note", lambda self, *run: noted.append(run[:2]))
    open_page()
    assert noted == []
    open_page(model="scratch-untrained")  # of another model no run is stored, not even of an example
    assert noted == [("scratch-untrained", 13)]
