"""Models, runs and their messages: computed once for each set of arguments, in the worker's thread."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import encoder
from encoder import Backend
from encoder.experiments.anatomy.parameter_counts import count_preset
from encoder.experiments.senses import states
from encoder.experiments.senses.rows import shipped_senses
from encoder.progress import Progress, no_progress
from encoder.runs.trace import Trace
from viz.caches import message_cache, run_cache, writers
from viz.caches.memo import MODELS, VALUES, cached
from viz.caches.steps import job_of, result_of
from viz.computing.job import Job
from viz.payloads.message import Message
from viz.recipes.patching import run_without_heads
from viz.recipes.step import LongStep, Step
from viz.views.word_lens import steps as word_lens

A, B = "time flies like an arrow", "fruit flies like a banana"


@pytest.fixture(scope="module")
def bundled() -> Backend:
    """One for these tests alone: the page packs what it loads."""
    return encoder.load("bundled")


@pytest.fixture(autouse=True)
def loads(bundled: Backend, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names that are loaded, into empty memos; any name is the bundled model."""
    names: list[str] = []

    def load(name: str) -> Backend:
        names.append(name)
        return bundled

    monkeypatch.setattr(encoder, "load", load)
    for memo in (MODELS, VALUES):
        memo.clear()
    yield names
    for memo in (MODELS, VALUES):
        memo.clear()


@pytest.fixture
def runs(bundled: Backend, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """The arguments of every forward pass."""
    calls: list[tuple[Any, ...]] = []
    trace = bundled.trace

    def note(*arguments: Any, **options: Any) -> Any:
        calls.append(arguments)
        return trace(*arguments, **options)

    monkeypatch.setattr(bundled, "trace", note)
    return calls


def document(**changes: Any) -> str:
    settings: dict[str, Any] = {
        "view": "head view",
        "layers": (1,),
        "layer": 1,
        "head": 4,
        "level": "wordpieces",
        "special": "show",
        "theme": "light",
    }
    return cached(message_cache.bertviz_document, run_cache.trace("one", A, B), **settings | changes)[0]


def test_a_model_is_loaded_once(loads: list[str]) -> None:
    assert run_cache.model("one") is run_cache.model("one")
    assert loads == ["one"]


def test_a_text_runs_once_for_each_model_and_pairing(runs: list[tuple[Any, ...]]) -> None:
    assert run_cache.trace("one", A, B) is run_cache.trace("one", A, B)
    assert len(run_cache.trace("one", A).tokens) == 7
    assert len(run_cache.trace("one", B, A).tokens) == 13
    run_cache.trace("two", A, B)
    assert runs == [(A, B), (A, None), (B, A), (A, B)]


def test_a_value_of_a_model_is_computed_once_for_each_model_and_argument() -> None:
    calls: list[tuple[str, int]] = []

    def layers_but(model: Backend, fewer: int) -> int:
        calls.append((threading.current_thread().name.rpartition("_")[0], fewer))
        return model.num_layers - fewer

    found = [result_of(Step(layers_but, (fewer,)), name) for name in ("one", "two", "one") for fewer in (1, 2)]
    assert found == [5, 4] * 3
    assert calls == [("headlight", 1), ("headlight", 2)] * 2


def test_a_job_is_cached_by_the_arguments_of_its_function(bundled: Backend) -> None:
    def add(model: Backend, number: int, *, progress: Progress = no_progress) -> int:
        progress(1, 2)
        return model.num_layers + number

    def job_for(number: int, name: str = "one") -> Job[int]:
        return job_of(LongStep(add, (number,), tokens=0, what="A sum", key=""), name)

    job = job_for(3)
    assert job_for(3) is job
    assert job_for(4) is not job is not job_for(3, "two")
    job.start(bundled)
    job.wait(30)
    assert (job.result, job.done, job.total) == (9, 1, 2)


def test_a_message_is_made_once_for_each_layer_and_way_of_showing(runs: list[tuple[Any, ...]]) -> None:
    def ask(**changes: Any) -> Message:
        settings: dict[str, Any] = {"layers": (1,), "level": "wordpieces", "special": "show"} | changes
        return cached(message_cache.layers_message, run_cache.trace("one", A, B), **settings)

    first = ask()
    assert ask() is first
    assert ask(layers=(2,)).id == first.id != ask(level="words").id
    assert len({first.id, ask(special="hide").id, ask(special="renormalise").id}) == 3
    assert runs == [(A, B)]


def test_a_run_with_other_numbers_has_another_id(bundled: Backend) -> None:
    trace = bundled.trace(A, B)
    other = replace(trace, hidden_states=trace.hidden_states + np.float32(0.1))
    names = []
    for run in (trace, trace, other, bundled.trace(B, A)):
        VALUES.clear()
        names.append(message_cache.attention_id(run, level="words", special="show"))
    assert names[0] == names[1]
    assert len(set(names)) == 3
    assert message_cache.neurons_id(trace, special="show") not in names


def test_a_dropped_run_is_not_made_again_for_its_pictures(runs: list[tuple[Any, ...]]) -> None:
    trace = run_cache.trace("one", A, B)
    VALUES.clear()
    cached(message_cache.layers_message, trace, layers=(1,), level="wordpieces", special="show")
    cached(message_cache.model_message, trace, level="wordpieces", special="show")
    cached(message_cache.neurons_message, trace, layers=(1,), special="show")
    assert runs == [(A, B)]


def test_the_halves_of_an_encoder_decoder_have_units_of_their_own() -> None:
    run = writers.generation("seq2seq", "sort", "a a")
    halves = [run_cache.units(half, level="wordpieces", special="show") for half in (run.source, run.target)]
    assert [units.labels for units in halves] == [run.source.tokens.labels, run.target.tokens.labels]
    assert halves[0].labels != halves[1].labels


def test_a_document_is_the_same_for_the_same_arguments_alone() -> None:
    """Another one would reload the frame, and lose what was clicked in it."""
    first = document()
    VALUES.clear()
    assert document() == first
    changes: list[dict[str, Any]] = [
        {},
        {"layers": (2,), "layer": 2},
        {"head": 5},
        {"head": -1},
        {"special": "hide"},
        {"special": "renormalise"},
        {"theme": "dark"},
    ]
    assert len({document(**change) for change in changes}) == len(changes)


def test_every_number_is_computed_in_the_worker(bundled: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: set[str] = set()

    def noting(owner: Any, name: str) -> None:
        function = getattr(owner, name)

        def note(*args: Any, **options: Any) -> Any:
            threads.add(threading.current_thread().name)
            return function(*args, **options)

        monkeypatch.setattr(owner, name, note)

    noting(bundled, "run")
    noting(Trace, "weights")
    noting(Trace, "queries")
    for name in ("pack_neurons", "pack_layers", "pack_map"):
        noting(message_cache, name)
    noting(word_lens, "band_of_model")
    few = tuple(row for row in shipped_senses() if row.word in ("bat", "bank"))
    monkeypatch.setattr(states, "shipped_senses", lambda: few)
    trace = run_cache.trace("one", A, B)
    cached(message_cache.layers_message, trace, layers=(0,), level="words", special="show")
    cached(message_cache.model_message, trace, level="words", special="show")
    cached(message_cache.neurons_message, trace, layers=(0,), special="show")
    result_of(Step(run_without_heads, (A, None, ((0, 1),))), "one")
    result_of(Step(word_lens.band_of_model), "one")
    cached(count_preset, "bert-base")
    document(layer=3, layers=(3,))
    assert {name.rpartition("_")[0] for name in threads} == {"headlight"}
