"""The library as its users call it: names to complete, one line for each object, and sentences for mistakes."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import encoder
from encoder import Backend
from encoder.catalogue import load_writer
from encoder.errors import ArgumentError, HeadlightError, InputError, SelectionError, UnknownModelError
from tests.encoder.random_models import A, Zoo

ROOT = Path(__file__).parents[2]
SEVERAL = ["a good film", "a bad film"]


def test_a_trace_is_one_short_line(bundled: Backend) -> None:
    trace = bundled.trace("time flies like an arrow", "fruit " * 100)
    assert repr(trace).startswith("<Trace of 'time flies like an arrow', 'fruit fruit ")
    assert repr(trace).endswith(f" by bundled: 6 layers, 12 heads, {len(trace.tokens)} tokens>")
    assert len(repr(trace)) < 200


def test_a_model_is_one_short_line(bundled: Backend) -> None:
    assert "'bundled': 6 layers, 12 heads; " in repr(bundled)


def test_a_model_is_loaded_from_a_path_object(zoo: Zoo) -> None:
    folder = zoo.folder("bert")
    by_path, by_name = encoder.load(folder), encoder.load(str(folder))
    assert by_path.name == by_name.name == str(folder)
    assert by_path.trace(A).to_bytes() == by_name.trace(A).to_bytes()


@pytest.mark.parametrize("load", [encoder.load, load_writer])
def test_a_path_object_is_no_name_and_no_id(load: Callable[[Any], object], tmp_path: Path) -> None:
    for path in (Path("bundled"), Path("seq2seq"), tmp_path / "none"):
        with pytest.raises(UnknownModelError, match="There is no folder"):
            load(path)
    with pytest.raises(UnknownModelError, match="by its name or its folder, not by a NoneType"):
        load(None)


def test_a_mistyped_folder_is_not_looked_for_on_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "models").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownModelError, match="There is no folder 'models/bert-csl3'"):
        encoder.load("models/bert-csl3")


MISTAKES: dict[str, tuple[Callable[[Backend], Any], type[HeadlightError], str]] = {
    "two texts": (lambda model: model.trace(SEVERAL), InputError, "may be a pair or two texts"),
    "two lists of texts": (lambda model: model.trace(["good"], SEVERAL), InputError, "'a good film' is several"),
    "no text": (lambda model: model.trace(None), InputError, "A is of type NoneType: give a text, or a list of words"),
    "a number": (lambda model: model.trace("good", 1), InputError, "Sentence B is of type int"),
    "numbers": (lambda model: model.trace([1, 2]), InputError, "Sentence A is of type list"),
    "states of a text": (lambda model: model.hidden_states(["good"]), ArgumentError, r"give \[model.tokenize\(text\)"),
    "states of tokens": (lambda model: model.hidden_states(model.tokenize("good")), ArgumentError, "a list of tokens"),
    "one head": (lambda model: model.trace("good", silenced_heads=(0, 1)), SelectionError, r"pairs .*\[\(0, 1\)\]"),
    "a layer before the first": (lambda model: model.trace("good").weights(-7), SelectionError, "layers 0 to 5"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_sentence(bundled: Backend, name: str) -> None:
    call, error, sentence = MISTAKES[name]
    with pytest.raises(error, match=sentence):
        call(bundled)


@pytest.mark.parametrize(("given", "expected"), [(None, "passive"), ("active", "active")])
def test_threads_wait_without_spinning(given: str | None, expected: str) -> None:
    """Read when torch is imported, which must come after."""
    environment = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    if given:
        environment["OMP_WAIT_POLICY"] = given
    code = "import encoder, os, sys; print(os.environ['OMP_WAIT_POLICY'], 'torch' in sys.modules)"
    printed = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, env=environment, text=True)
    assert printed.split() == [expected, "False"]
