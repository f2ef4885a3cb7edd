"""Models, runs and their messages: computed once for each set of arguments, in the worker's thread."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load

import encoder
from encoder import Backend
from encoder.experiments.anatomy.parameter_counts import count_preset
from encoder.experiments.senses import evaluate
from encoder.experiments.senses.rows import shipped_senses
from encoder.runs.trace import Trace
from viz.caches import experiment_cache, message_cache, run_cache
from viz.caches.memo import MODELS, VALUES, cached
from viz.caches.run_cache import cached_job, cached_with_model
from viz.computing.job import Progress
from viz.payloads.message import Message

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

    found = [cached_with_model(layers_but, name, fewer) for name in ("one", "two", "one") for fewer in (1, 2)]
    assert found == [5, 4] * 3
    assert calls == [("headlight", 1), ("headlight", 2)] * 2


def test_a_job_is_cached_by_the_arguments_of_its_function(bundled: Backend) -> None:
    def add(model: Backend, progress: Progress, number: int) -> int:
        progress(1, 2)
        return model.num_layers + number

    job = cached_job(add, "one", 3)
    assert cached_job(add, "one", 3) is job
    assert cached_job(add, "one", 4) is not job is not cached_job(add, "two", 3)
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


def test_the_map_has_every_layer_and_head() -> None:
    message, removed = message_cache.model_message(run_cache.trace("one", A, B), level="wordpieces", special="hide")
    arrays = load(message.data)
    assert removed.shape == (6, 12, 10)
    assert arrays["thumbnails"].shape == (6, 12, 10, 10)
    assert arrays["profiles"].shape == (6, 12, 5)


def test_a_dropped_run_is_not_made_again_for_its_pictures(runs: list[tuple[Any, ...]]) -> None:
    trace = run_cache.trace("one", A, B)
    VALUES.clear()
    cached(message_cache.layers_message, trace, layers=(1,), level="wordpieces", special="show")
    cached(message_cache.model_message, trace, level="wordpieces", special="show")
    cached(message_cache.neurons_message, trace, layers=(1,), special="show")
    assert runs == [(A, B)]


def test_the_halves_of_an_encoder_decoder_have_units_of_their_own() -> None:
    run = experiment_cache.generation("seq2seq", "sort", "a a")
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
    noting(experiment_cache, "band_of_model")
    few = tuple(row for row in shipped_senses() if row.word in ("bat", "bank"))
    monkeypatch.setattr(evaluate, "shipped_senses", lambda: few)
    trace = run_cache.trace("one", A, B)
    cached(message_cache.layers_message, trace, layers=(0,), level="words", special="show")
    cached(message_cache.model_message, trace, level="words", special="show")
    cached(message_cache.neurons_message, trace, layers=(0,), special="show")
    cached_with_model(Backend.trace, "one", A, silenced_heads=((0, 1),))
    experiment_cache.band("one")
    cached(count_preset, "bert-base")
    document(layer=3, layers=(3,))
    assert {name.rpartition("_")[0] for name in threads} == {"headlight"}
