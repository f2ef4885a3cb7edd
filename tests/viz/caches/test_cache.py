"""Models, traces and documents are made once, and failures are not kept."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load

import encoder
from encoder import Backend
from encoder.errors import InputError, UnknownModelError
from encoder.experiments.senses import evaluate
from encoder.experiments.senses.rows import shipped_senses
from encoder.runs.trace import Trace
from viz.caches import experiment_cache, message_cache, run_cache
from viz.payloads.message import Message

A, B = "time flies like an arrow", "fruit flies like a banana"


@pytest.fixture(scope="module")
def bundled() -> Backend:
    """One for these tests alone: the page packs what it loads."""
    return encoder.load("bundled")


@pytest.fixture(autouse=True)
def loads(bundled: Backend, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names that are loaded, into empty caches; any name but "nowhere" is the bundled model."""
    names: list[str] = []

    def load(name: str) -> Backend:
        names.append(name)
        if name == "nowhere":
            raise UnknownModelError("There is no folder 'nowhere'.")
        return bundled

    def clear() -> None:
        for cached in (
            run_cache._model,
            run_cache.trace,
            message_cache.layers_message,
            message_cache.model_message,
            message_cache.bertviz_document,
        ):
            cached.clear()

    monkeypatch.setattr(encoder, "load", load)
    clear()
    yield names
    clear()


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
    return message_cache.bertviz_document(run_cache.trace("one", A, B), **settings | changes)[0]


def test_a_model_is_loaded_once(loads: list[str]) -> None:
    assert run_cache.model("one") is run_cache.model("one")
    assert loads == ["one"]


def test_a_model_multiplies_as_fast_as_it_can(
    bundled: Backend, loads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    packed: list[Backend] = []

    def pack() -> Backend:
        packed.append(bundled)
        return bundled

    monkeypatch.setattr(bundled, "pack", pack)
    run_cache.model("one")
    run_cache.model("one")
    assert packed == [bundled]


def test_a_model_that_failed_is_tried_again(loads: list[str]) -> None:
    for _ in range(2):
        with pytest.raises(UnknownModelError):
            run_cache.model("nowhere")
    assert loads == ["nowhere", "nowhere"]


def test_a_text_runs_once_for_each_model_and_pairing(runs: list[tuple[Any, ...]]) -> None:
    assert run_cache.trace("one", A, B) is run_cache.trace("one", A, B)
    assert len(run_cache.trace("one", A, None).tokens) == 7
    assert len(run_cache.trace("one", B, A).tokens) == 13
    run_cache.trace("two", A, B)
    assert runs == [(A, B), (A, None), (B, A), (A, B)]


def test_a_text_that_failed_is_tried_again(runs: list[tuple[Any, ...]]) -> None:
    for _ in range(2):
        with pytest.raises(InputError):
            run_cache.trace("one", " ", None)
    assert len(runs) == 2


def test_a_kept_trace_cannot_be_changed() -> None:
    trace = run_cache.trace("one", A, B)
    arrays = [trace.hidden_states, *trace.embedding_parts.values(), trace.queries(0), trace.keys(0), trace.values(0)]
    for array in [*arrays, trace.weights(0)]:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_only_so_many_traces_are_kept(runs: list[tuple[Any, ...]]) -> None:
    texts = [f"{number} flies" for number in range(run_cache.TRACES + 1)]
    for text in [*texts, texts[-1], texts[1]]:
        run_cache.trace("one", text, None)
    assert len(runs) == run_cache.TRACES + 1
    run_cache.trace("one", texts[0], None)
    assert len(runs) == run_cache.TRACES + 2


def test_a_trace_of_512_tokens_takes_what_the_cache_counts_on(bundled: Backend) -> None:
    trace = bundled.trace("flies " * 600)
    layers, heads, tokens, width = trace.num_layers, trace.num_heads, 512, trace.hidden_states.shape[-1]
    captured = [array for layer in trace.layers for array in (layer.query, layer.key, layer.value)]
    arrays = [trace.hidden_states, *trace.embedding_parts.values(), *captured]
    expected = 4 * tokens * width * (layers + 1 + len(trace.embedding_parts) + 3 * layers)
    assert sum(array.nbytes for array in arrays if array is not None) == expected
    assert all(layer.bias is None and layer.given_weights is None for layer in trace.layers)
    message = message_cache.layers_message(trace, layers=(0,), level="wordpieces", special="show")
    assert len(message.data) < 2 * heads * tokens * tokens + 20_000


def test_a_message_is_made_once_for_each_layer_and_way_of_showing(runs: list[tuple[Any, ...]]) -> None:
    def ask(**changes: Any) -> Message:
        settings: dict[str, Any] = {"layers": (1,), "level": "wordpieces", "special": "show"} | changes
        return message_cache.layers_message(run_cache.trace("one", A, B), **settings)

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
        message_cache.run_id.clear()
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


def test_a_document_is_the_same_for_the_same_arguments(runs: list[tuple[Any, ...]]) -> None:
    """Another one would reload the frame, and lose what was clicked in it."""
    first = document()
    message_cache.bertviz_document.clear()
    assert document() == first
    assert runs == [(A, B)]


def test_what_is_kept_by_a_run_is_asked_for_with_the_run_itself(runs: list[tuple[Any, ...]]) -> None:
    """A run that fell out of the cache is not made again for its pictures."""
    trace = run_cache.trace("one", A, B)
    run_cache.trace.clear()
    message_cache.layers_message(trace, layers=(1,), level="wordpieces", special="show")
    message_cache.model_message(trace, level="wordpieces", special="show")
    message_cache.neurons_message(trace, layers=(1,), special="show")
    assert runs == [(A, B)]


def test_runs_with_and_without_silenced_heads_are_kept_apart(bundled: Backend) -> None:
    whole, silenced = bundled.trace(A), bundled.trace(A, silenced_heads=[(0, 1)])
    messages = [
        message_cache.layers_message(run, layers=(1,), level="words", special="show").id for run in (whole, silenced)
    ]
    assert messages[0] != messages[1]


def test_the_halves_of_an_encoder_decoder_are_kept_apart_where_their_texts_are_one() -> None:
    run = experiment_cache.generation("seq2seq", "sort", "a a")
    halves = [run_cache.units(half, level="wordpieces", special="show") for half in (run.source, run.target)]
    assert [units.labels for units in halves] == [run.source.tokens.labels, run.target.tokens.labels]
    assert halves[0].labels != halves[1].labels


def test_units_are_worked_out_once_for_a_run_and_way_of_showing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    units_of = run_cache.units_of
    monkeypatch.setattr(
        run_cache, "units_of", lambda *args, **options: (asked.append(options), units_of(*args, **options))[1]
    )
    run_cache.units.clear()
    trace = run_cache.trace("one", A, B)
    for layer in range(3):
        message_cache.layers_message(trace, layers=(layer,), level="words", special="hide")
    message_cache.model_message(trace, level="words", special="hide")
    run_cache.units(trace, level="words", special="hide")
    assert asked == [{"level": "words", "special": "hide"}]


def test_the_masses_beside_a_document_are_kept_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    derived: list[int] = []
    weights = Trace.weights
    monkeypatch.setattr(Trace, "weights", lambda trace, layer: (derived.append(layer), weights(trace, layer))[1])
    trace = run_cache.trace("one", A, B)
    settings: dict[str, Any] = {"layer": 1, "head": 4, "level": "wordpieces", "special": "hide", "theme": "light"}
    for _ in range(2):
        _, removed = message_cache.bertviz_document(trace, view="model view", layers=(1, 2), **settings)
    assert removed.shape == (2, 12, 10)
    assert derived == [1, 2]


def test_every_number_is_worked_out_in_the_worker(bundled: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
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
    packed = ("pack_neurons", "pack_layers", "pack_map")
    for name in (*packed, "band_of_model", "record", "masked", "changed", "count_preset"):
        noting(message_cache if hasattr(message_cache, name) else experiment_cache, name)
    for cached in (
        experiment_cache.band,
        experiment_cache.silenced_trace,
        message_cache.neurons_message,
        experiment_cache.parameters_of_preset,
    ):
        cached.clear()
    few = tuple(row for row in shipped_senses() if row.word in ("bat", "bank"))
    monkeypatch.setattr(evaluate, "shipped_senses", lambda: few)
    trace = run_cache.trace("one", A, B)
    message_cache.layers_message(trace, layers=(0,), level="words", special="show")
    message_cache.model_message(trace, level="words", special="show")
    message_cache.neurons_message(trace, layers=(0,), special="show")
    experiment_cache.silenced_trace("one", A, ((0, 1),))
    experiment_cache.band("one")
    experiment_cache.parameters_of_preset("bert-base")
    document(layer=3, layers=(3,))
    assert {name.rpartition("_")[0] for name in threads} == {"headlight"}


def test_every_setting_makes_a_document_of_its_own() -> None:
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
