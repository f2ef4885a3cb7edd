"""Models, runs and what views are sent, kept for all sessions.

Everything kept here is immutable or never changed: traces are read-only arrays. What is asked for by a run is keyed on
what the run follows from. Whatever takes a model or numbers to work out is worked out in `viz.worker`'s thread; only
loading a model is not, because a download may take minutes.

All that is kept, and how much memory it takes, is read here and in four files beside it: `viz.attribution_cache` for
what methods draw in place of weights, `viz.experiment_cache` for experiments, `viz.explaining_cache` for what words add
to a number, and `viz.similarity_cache` for what pairs of words add to a cosine. Nothing here imports torch before a
model is asked for, so that a stored run is drawn before that.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakValueDictionary

import numpy as np
import streamlit as st

import encoder
from encoder import Trace
from encoder.errors import TraceFileError
from encoder.measures.combined_attention import combined_units, head_thumbnails
from encoder.measures.unit_attention import MEAN, shown_attention
from encoder.measures.units import Level, Special, Units, units_of
from encoder.runs.arrays import FloatArray
from encoder.runs.generation import Generation, Kind
from encoder.shipped.bundled import BUNDLED, bundled_folder, run_fingerprint
from encoder.shipped.first_run import FIRST_TEXTS, first_run
from encoder.shipped.probes import Probes, has_probes, load_probes
from encoder.text.tokens import Tokens
from viz.cache_keys import BY_RUN, key_of_message, key_of_trace, size_of_message, size_of_trace
from viz.components.bertviz import head_view_html, model_view_html
from viz.kept_runs import KeptRuns, cache_folder, is_shipped
from viz.payloads.layer import layers_message as pack_layers
from viz.payloads.message import Message
from viz.payloads.model_map import THUMBNAIL
from viz.payloads.model_map import map_message as pack_map
from viz.payloads.neurons import neurons_message as pack_neurons
from viz.payloads.runs import (
    LayersNeurons,
    attention_of_generation,
    attention_of_trace,
    heads_of_trace,
    neurons_of_generation,
    neurons_of_trace,
)
from viz.recent import keep_recent
from viz.run_times import RunTimes
from viz.runs_under_way import RunsUnderWay
from viz.state.selection import BertViz, Kinds
from viz.theme import THEMES, ThemeName
from viz.worker import in_worker

if TYPE_CHECKING:
    from encoder import Backend

logger = logging.getLogger(__name__)

MODELS = 3
TRACES, TRACE_BYTES = 64, 660_000_000  # 64 of short texts, or 8 of 512 tokens through BERT-base, 82 MB each
DOCUMENTS = 32
# Two layers of 512 tokens and 12 heads take 12.6 MB in a message. Each text on a page has two messages or three.
MESSAGES, MESSAGE_BYTES = 4 * TRACES, 300_000_000
MAPS = TRACES  # at most 0.4 MB each
GENERATIONS = 8  # with two traces each

keep_messages = keep_recent(key_of=key_of_message, size_of=size_of_message, entries=MESSAGES, num_bytes=MESSAGE_BYTES)
Run = TypeVar("Run", Trace, Generation)

_RUN_TIMES = RunTimes()
_UNDER_WAY = RunsUnderWay()
_LOADED: WeakValueDictionary[str, Backend] = WeakValueDictionary()


@st.cache_resource(max_entries=MODELS, show_spinner=False)
def model(name: str) -> Backend:
    """A model, loaded once. Raises ModelError, which is not kept."""
    _LOADED[name] = loaded = encoder.load(name)
    return loaded


def is_loaded(name: str) -> bool:
    """Whether a model is there and needs no loading."""
    return name in _LOADED


@keep_recent(key_of=lambda *what: what, size_of=size_of_trace, entries=TRACES, num_bytes=TRACE_BYTES)
def trace(model_name: str, a: str, b: str | None) -> Trace:
    """One run of a model. Raises InputError, which is not kept."""
    stored = stored_trace(model_name, a, b)
    if stored is not None:
        return stored
    backend = model(model_name)
    on_layer = partial(_UNDER_WAY.reached, (model_name, a, b))
    run = timed_in_worker(model_name, lambda: backend.trace(a, b, on_layer=on_layer), lambda run: run.tokens)
    if model_name == BUNDLED:
        _kept_runs().write(run, (a, b))
    return run


def trace_until(model_name: str, a: str, b: str | None, *, layer: int) -> Trace:
    """The same, or the trace of the layers until one of them, as soon as the run has reached it.

    The rest of the run goes on meanwhile.
    """
    return _UNDER_WAY.until((model_name, a, b), layer, lambda: trace(model_name, a, b))


def stored_trace(model_name: str, a: str, b: str | None) -> Trace | None:
    """A run that takes no model: the one that ships, or one that this computer kept. None where there is neither."""
    return _stored_trace(a, b) if model_name == BUNDLED and is_shipped((a, b)) else None


@st.cache_resource(max_entries=GENERATIONS, show_spinner=False)
def _stored_trace(a: str, b: str | None) -> Trace | None:
    if (a, b) == FIRST_TEXTS:
        try:
            return first_run(bundled_folder())
        except TraceFileError as error:
            logger.warning("%s It is computed.", error)
    return _kept_runs().read(BUNDLED, (a, b))


def _kept_runs() -> KeptRuns:
    return KeptRuns(cache_folder(), fingerprint=run_fingerprint())


def timed_in_worker(model_name: str, work: Callable[[], Run], tokens_of: Callable[[Run], Tokens]) -> Run:
    """A run in the worker's thread; how long it takes for its tokens, had it a core to itself, is remembered."""

    def timed() -> Run:
        started = time.thread_time()
        run = work()
        _RUN_TIMES.note(model_name, len(tokens_of(run)), time.thread_time() - started)
        return run

    return in_worker(timed)


def expected_seconds(model_name: str, runs: Iterable[Tokens]) -> float:
    """What runs over as many tokens may take together, as far as such runs are known."""
    return sum(_RUN_TIMES.expected(model_name, len(tokens)) or 0.0 for tokens in runs)


@st.cache_resource(max_entries=2 * TRACES, show_spinner=False, hash_funcs=BY_RUN)
def units(run: Trace, *, level: Level, special: Special) -> Units:
    """Words or wordpieces of a run."""
    return units_of(run.tokens, level=level, special=special)


@st.cache_resource(max_entries=4 * TRACES, show_spinner=False, hash_funcs=BY_RUN)
def run_id(run: Trace | Generation, what: str) -> str:
    """What names the layers of a run in the browser: the same run, shown in the same way, has the same id.

    Args:
        what: that is sent of its layers, and how.
    """
    halves = (run.source, run.target) if isinstance(run, Generation) else (run,)
    digest = hashlib.blake2b(f"{[key_of_trace(half) for half in halves]} {what}".encode(), digest_size=12)
    for half in halves:
        digest.update(np.ascontiguousarray(half.hidden_states[-1]).data)
    return digest.hexdigest()


def attention_id(run: Trace | Generation, *, level: Level, special: Special) -> str:
    """The id of a run's layers as `layers_message` and `combined_message` send them."""
    return run_id(run, f"attention {level} {special}")


def neurons_id(run: Trace | Generation, *, special: Special, kind: Kind | None = None) -> str:
    """The id of a run's layers as `neurons_message` and `combined_neurons_message` send them."""
    return run_id(run, f"neurons {special} {kind}")


@keep_messages
def layers_message(run: Trace, *, layers: tuple[int, ...], level: Level, special: Special) -> Message:
    """The attention of some layers for the views, and what each unit gives to tokens that are not shown."""
    shown = units(run, level=level, special=special)
    identity = attention_id(run, level=level, special=special)

    def work() -> Message:
        found = attention_of_trace(run, shown, special, layers)
        return pack_layers(found.attention, shown, run=identity, layers=layers, removed=found.removed)

    return in_worker(work)


@st.cache_resource(max_entries=MAPS, show_spinner=False, hash_funcs=BY_RUN)
def model_message(run: Trace, *, level: Level, special: Special) -> tuple[Message, FloatArray]:
    """All heads of a model for the map, and (L, H, U), what each unit gives to tokens that are not shown."""
    shown = units(run, level=level, special=special)

    def work() -> tuple[Message, FloatArray]:
        heads = heads_of_trace(run, shown, special)
        return pack_map(heads.pictures, heads.measures), heads.removed

    return in_worker(work)


@keep_messages
def neurons_message(run: Trace, *, layers: tuple[int, ...], special: Special) -> Message:
    """Queries and keys of some layers for the neuron view. Raises NotCapturedError, which is not kept."""
    pieces = units(run, level="wordpieces", special="show")
    shown = units(run, level="wordpieces", special=special)
    identity = neurons_id(run, special=special)
    return in_worker(lambda: _pack_neurons(neurons_of_trace(run, shown, special, layers), pieces, layers, identity))


def _pack_neurons(found: LayersNeurons, pieces: Units, layers: tuple[int, ...], identity: str) -> Message:
    return pack_neurons(
        found.queries,
        found.keys,
        pieces,
        run=identity,
        layers=layers,
        scaling=found.scaling,
        bias=found.bias,
        removed=found.removed,
    )


@st.cache_resource(max_entries=3 * GENERATIONS, show_spinner=False, hash_funcs=BY_RUN)
def combined_message(run: Generation, *, layers: tuple[int, ...], level: Level, special: Special) -> Message:
    """Some layers' attentions of an encoder-decoder for the views, all three in one square.

    The tensors of what each unit gives to tokens that are not shown are called "removed_" with the attention's kind.
    """
    source, target = units_of_both(run, level=level, special=special)
    numbers = (*range(len(source)), *range(len(target)))
    both = combined_units(source, target)
    identity = attention_id(run, level=level, special=special)

    def work() -> Message:
        found = attention_of_generation(run, source, target, special, layers)
        return pack_layers(
            found.attention,
            both,
            run=identity,
            layers=layers,
            letters=("S", "T"),
            numbers=numbers,
            removed=found.removed,
        )

    return in_worker(work)


@st.cache_resource(max_entries=3 * GENERATIONS, show_spinner=False, hash_funcs=BY_RUN)
def combined_neurons_message(run: Generation, *, kind: Kind, layers: tuple[int, ...], special: Special) -> Message:
    """Some layers of an encoder-decoder for the neuron view. Raises NotCapturedError, which is not kept."""
    both = combined_units(*units_of_both(run, level="wordpieces", special="show"))
    identity = neurons_id(run, special=special, kind=kind)
    return in_worker(lambda: _pack_neurons(neurons_of_generation(run, kind, layers), both, layers, identity))


@st.cache_resource(max_entries=GENERATIONS, show_spinner=False, hash_funcs=BY_RUN)
def combined_map(run: Generation, *, kind: Kinds, level: Level, special: Special) -> Message:
    """All heads of an encoder-decoder for the map: one of its attentions, or all three in one square."""
    both = units_of_both(run, level=level, special=special)
    return in_worker(lambda: pack_map(*head_thumbnails(run, *both, kind=kind, special=special, size=THUMBNAIL)))


def units_of_both(run: Generation, *, level: Level, special: Special) -> tuple[Units, Units]:
    """Words or wordpieces of the source, and of what the decoder read of its own."""
    return units(run.source, level=level, special=special), units(run.target, level=level, special=special)


def probes(model_name: str) -> Probes | None:
    """The probes of a model, None where none were trained."""
    return load_probes(model_name) if has_probes(model_name) else None


@st.cache_resource(max_entries=DOCUMENTS, show_spinner=False, hash_funcs=BY_RUN)
def bertviz_document(
    run: Trace,
    *,
    view: BertViz,
    layers: tuple[int, ...],
    layer: int,
    head: int,
    level: Level,
    special: Special,
    theme: ThemeName,
) -> tuple[str, FloatArray]:
    """BertViz's view of N layers of a run, and (N, H, U), what each unit gives to tokens that are not shown.

    The same arguments give the same frame, which stays put.
    """
    shown = units(run, level=level, special=special)
    draw = head_view_html if view == "head view" else model_view_html

    def work() -> tuple[str, FloatArray]:
        attention = [shown_attention(run.weights(index), shown, special) for index in layers]
        html = draw(
            np.stack([weights for weights, _ in attention]),  # (N, H, U, U)
            shown.labels,
            sentence_b_start=shown.sentence_b_start,
            layer=layer,
            heads=None if head == MEAN else (head,),
            include_layers=layers,
            theme=THEMES[theme],
        )
        return html, np.stack([removed for _, removed in attention])

    return in_worker(work)
