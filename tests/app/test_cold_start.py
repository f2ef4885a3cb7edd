"""The default page renders before torch is imported; what needs a model says what it waits for."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit

from tests.app.app_script import (
    captions,
    choose,
    components,
    figures,
    labels,
    matrix,
    open_page,
    run,
    sentences_of,
    type_texts,
)
from viz.computing.background import Background
from viz.page import loading
from viz.page.warmup import preloading

ROOT = Path(__file__).parents[2]
SERVER = """
import json, sys
import viz.page.direct, viz.page.warmup

print(json.dumps([name for name in ("numpy", "pandas", "pyarrow", "viz.page.opening") if name in sys.modules]))
"""
WARMED_UP = """
import json, sys
from encoder.shipped import first_run
from tests.app.app_script import components, open_page
from viz.computing.background import Background
from viz.page.warmup import BODY, WARMUP

WARMUP.start()
done = WARMUP.wait(60)
loaded = [name in sys.modules for name in (BODY, "PIL.ImageFile", "pyarrow")]
Background.start = lambda self: None  # of the models
first_run._derive = None  # the runs have been read
at = open_page()
print(json.dumps([done, loaded, len(components(at, "cell_map"))]))
"""
HEAVY = (
    *("torch", "transformers", "sklearn", "scipy", "accelerate", "bertviz", "huggingface_hub", "simplemma"),
    "encoder.lab",
)
FIRST_RENDER = f"""
import json, sys
from tests.app.app_script import choose, components, open_page
from viz.computing.background import Background

Background.start = lambda self: None  # of the models
at = open_page()
tables = "pandas" in sys.modules  # half a second of a core, which views with tables and plots need later
seen = [name for name in ("cell_map", "head_map", "token_strip", "host", "text_fields") if components(at, name)]
for view in ("head view", "model view", "neuron view", "norms", "data"):
    choose(at, view=view)
choose(at, layer=3)
choose(at, special="hide")
open_page(**at.query_params | {{"view": "predictions"}})
print(json.dumps([seen, tables, [name for name in {HEAVY!r} if name in sys.modules]]))
"""


class Loading:
    """The models, held back until they are let through."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.begun = threading.Event()
        self.after = threading.Event()
        self.background = Background([("torch", self._work)], afterwards=[("the views", self.after.set)])

    def _work(self) -> None:
        self.begun.set()
        self.gate.wait(60)

    def finish(self) -> None:
        self.background.start()
        self.gate.set()
        assert self.background.wait(60)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loading]:
    held = Loading()
    monkeypatch.setattr(loading, "MODELS", held.background)
    yield held
    held.gate.set()


def test_the_first_render_and_all_views_of_it_import_no_torch() -> None:
    seen, tables, imported = _printed(FIRST_RENDER)
    assert seen == ["cell_map", "head_map", "token_strip", "host", "text_fields"]
    assert not tables
    assert imported == []


def test_the_server_starts_without_the_imports_of_the_page() -> None:
    assert _printed(SERVER) == []


def test_warmup_preloads_the_page_but_not_pyarrow() -> None:
    assert _printed(WARMED_UP) == [True, [True, True, False], 2]  # pyarrow's import would delay the downloads


def test_a_component_comes_before_all_that_is_seen() -> None:
    assert (
        next(part.type for part in open_page().main if part.type in ("bidi_component", "markdown")) == "bidi_component"
    )


def test_the_page_says_what_is_loading_and_then_that_it_is_loaded(held: Loading) -> None:
    at = open_page()
    assert labels(at)[:3] == ["[CLS]", "time", "flies"]
    assert "Loading torch … What needs no model works already." in captions(at)
    held.finish()
    run(at)
    assert "The model is loaded." in captions(at)
    run(at)
    assert "loaded" not in captions(at)


def test_loading_begins_with_the_first_run_of_the_page(held: Loading) -> None:
    assert not held.begun.is_set()
    open_page()
    assert held.begun.wait(30)


def test_loading_begins_without_a_visitor(held: Loading) -> None:
    preloading(unvisited=0).start()
    assert held.begun.wait(60)


def test_views_of_stored_runs_work_while_models_load(held: Loading) -> None:
    at = open_page()
    before = matrix(at)
    choose(at, layer=3, head=7)
    assert (matrix(at) != before).any()
    choose(at, view="norms")
    assert len(figures(at)) == 2  # of A and of B
    choose(at, view="heat map", special="hide")
    assert "[CLS]" not in labels(at)
    assert not held.background.done


def test_a_new_text_waits_for_the_model(held: Loading, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    empty = streamlit.empty

    def noting() -> object:
        place = empty()
        inform = place.info

        def note(text: str) -> None:
            said.append(text)
            inform(text)
            held.gate.set()

        monkeypatch.setattr(place, "info", note)
        return place

    monkeypatch.setattr(streamlit, "empty", noting)
    at = type_texts(open_page(), a="the old man the boat", b="")
    assert said
    assert set(said) == {"This needs the model, which is being loaded: torch …"}
    assert labels(at) == ["[CLS]", "the", "old", "man", "the", "boat", "[SEP]"]
    assert "This needs the model" not in sentences_of(at)


def test_a_page_that_opens_later_says_nothing_of_loading(held: Loading) -> None:
    held.finish()
    at = open_page()
    assert "load" not in captions(at).lower()
    assert components(at, "cell_map")


def _printed(script: str) -> Any:
    """The JSON in the last line that a script prints in a process of its own."""
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True)
    return json.loads(ran.stdout.splitlines()[-1])
