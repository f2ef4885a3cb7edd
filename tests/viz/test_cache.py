"""Models, traces and documents are made once, and failures are not kept."""

from collections.abc import Iterator
from typing import Any

import pytest
from safetensors.numpy import load

import encoder
from encoder import Backend
from encoder.errors import InputError, UnknownModelError
from viz import cache

A, B = "time flies like an arrow", "fruit flies like a banana"


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
        for cached in (cache.model, cache.trace, cache.layer_message, cache.model_message, cache.bertviz_document):
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

    def note(*arguments: Any) -> Any:
        calls.append(arguments)
        return trace(*arguments)

    monkeypatch.setattr(bundled, "trace", note)
    return calls


def document(**changes: Any) -> str:
    settings: dict[str, Any] = {
        "layers": (1,),
        "layer": 1,
        "head": 4,
        "level": "wordpieces",
        "special": "show",
        "theme": "light",
    }
    return cache.bertviz_document("head view", "one", (A, B), **settings | changes)


def test_a_model_is_loaded_once(loads: list[str]) -> None:
    assert cache.model("one") is cache.model("one")
    assert loads == ["one"]


def test_a_model_that_failed_is_tried_again(loads: list[str]) -> None:
    for _ in range(2):
        with pytest.raises(UnknownModelError):
            cache.model("nowhere")
    assert loads == ["nowhere", "nowhere"]


def test_a_text_runs_once_for_each_model_and_pairing(runs: list[tuple[Any, ...]]) -> None:
    assert cache.trace("one", A, B) is cache.trace("one", A, B)
    assert len(cache.trace("one", A, None).tokens) == 7
    assert len(cache.trace("one", B, A).tokens) == 13
    cache.trace("two", A, B)
    assert runs == [(A, B), (A, None), (B, A), (A, B)]


def test_a_text_that_failed_is_tried_again(runs: list[tuple[Any, ...]]) -> None:
    for _ in range(2):
        with pytest.raises(InputError):
            cache.trace("one", " ", None)
    assert len(runs) == 2


def test_a_kept_trace_cannot_be_changed() -> None:
    trace = cache.trace("one", A, B)
    arrays = [trace.hidden_states, *trace.embedding_parts.values(), trace.queries(0), trace.keys(0), trace.values(0)]
    for array in [*arrays, trace.weights(0)]:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_only_so_many_traces_are_kept(runs: list[tuple[Any, ...]]) -> None:
    texts = [f"{number} flies" for number in range(cache.TRACES + 1)]
    for text in [*texts, texts[-1], texts[1]]:
        cache.trace("one", text, None)
    assert len(runs) == cache.TRACES + 1
    cache.trace("one", texts[0], None)
    assert len(runs) == cache.TRACES + 2


def test_a_trace_of_512_tokens_takes_what_the_cache_counts_on(bundled: Backend) -> None:
    trace = bundled.trace("flies " * 600)
    layers, heads, tokens, width = trace.num_layers, trace.num_heads, 512, trace.hidden_states.shape[-1]
    captured = [array for layer in trace.layers for array in (layer.query, layer.key, layer.value)]
    arrays = [trace.hidden_states, *trace.embedding_parts.values(), *captured]
    expected = 4 * tokens * width * (layers + 1 + len(trace.embedding_parts) + 3 * layers)
    assert sum(array.nbytes for array in arrays if array is not None) == expected
    assert all(layer.bias is None and layer.given_weights is None for layer in trace.layers)
    message, removed = cache.layer_message("one", ("flies " * 600, None), layer=0, level="wordpieces", special="show")
    assert len(message.data) < 2 * heads * tokens * tokens + 20_000
    assert removed.shape == (heads, tokens)


def test_a_message_is_made_once_for_each_layer_and_way_of_showing(runs: list[tuple[Any, ...]]) -> None:
    def ask(**changes: Any) -> str:
        settings: dict[str, Any] = {"layer": 1, "level": "wordpieces", "special": "show"} | changes
        return cache.layer_message("one", (A, B), **settings)[0].id

    first = ask()
    assert ask() == first
    assert len({first, ask(layer=2), ask(special="hide"), ask(special="renormalise")}) == 4
    assert runs == [(A, B)]


def test_the_map_has_every_layer_and_head() -> None:
    message, removed = cache.model_message("one", (A, B), level="wordpieces", special="hide")
    arrays = load(message.data)
    assert removed.shape == (6, 12, 10)
    assert arrays["thumbnails"].shape == (6, 12, 10, 10)
    assert arrays["profiles"].shape == (6, 12, 5)


def test_a_document_is_the_same_for_the_same_arguments(runs: list[tuple[Any, ...]]) -> None:
    """Another one would reload the frame, and lose what was clicked in it."""
    first = document()
    cache.bertviz_document.clear()
    assert document() == first
    assert runs == [(A, B)]


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
