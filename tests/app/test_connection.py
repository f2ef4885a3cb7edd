"""What the page's connection with the browser promises: it sends layers of runs that are there, and opens no model."""

from pathlib import Path
from typing import Any

import pytest

import encoder
from tests.app.app_script import choose, click, components, go, open_page, pick_model, selected
from tests.encoder.random_models import bert_folder
from viz.caches import run_cache
from viz.caches.memo import MODELS, VALUES
from viz.views.registered import PANELS

IN_BROWSER = [view for view, panel in PANELS.items() if panel.of == "sentences" and not panel.needs_model]


@pytest.fixture
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, **options: Any) -> Any:
        raise AssertionError(f"the model {name} was opened")

    MODELS.clear()
    monkeypatch.setattr(encoder, "load", refuse)


@pytest.mark.usefixtures("no_model")
@pytest.mark.parametrize("view", IN_BROWSER)
def test_a_page_of_a_stored_run_is_drawn_and_connected_without_a_model(view: str) -> None:
    at = open_page(view=view, mode="separate")
    assert selected(at)["layer"] == 0
    assert selected(go(at, at.query_params | {"mode": "separate", "layer": "5"}))["layer"] == 5


def test_a_text_that_is_not_stored_needs_the_model(no_model: None) -> None:
    with pytest.raises(AssertionError, match="the model bundled was opened"):
        open_page(a="nobody typed this before", b="")


def test_reading_a_stored_run_says_nothing_of_how_long_runs_take(monkeypatch: pytest.MonkeyPatch) -> None:
    noted = []
    VALUES.clear()
    monkeypatch.setattr(run_cache.RunTimes, "note", lambda self, *run: noted.append(run[:2]))
    open_page()
    assert noted == []
    open_page(model="scratch-untrained")  # of another model no run is stored, not even of an example
    assert noted == [("scratch-untrained", 13)]


def test_a_long_text_of_a_model_with_one_layer_has_no_neighbours_to_send(tmp_path: Path) -> None:
    folder = bert_folder(tmp_path, num_hidden_layers=1, max_position_embeddings=512)
    at = pick_model(open_page(a="time flies " * 80, b=""), str(folder))
    at = click(at, "load_model")
    for view in ("heat map", "head view", "neuron view"):
        sent = [store.id for store in components(choose(at, view=view), "store")]
        assert any("store_layer" in name for name in sent)
        assert not any("store_others" in name for name in sent)
