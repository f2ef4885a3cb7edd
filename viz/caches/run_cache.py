"""Models, runs of encoders, and the words or wordpieces of runs."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar
from weakref import WeakValueDictionary

import streamlit as st

import encoder
from encoder import Trace
from encoder.errors import CheckpointError, TraceFileError
from encoder.measures.units import Level, Special, Units, units_of
from encoder.runs.generation import Generation
from encoder.shipped.bundled import BUNDLED, bundled_folder
from encoder.shipped.first_run import FILES, first_run
from encoder.shipped.probes import Probes, has_probes, load_probes
from encoder.text.tokens import Tokens
from viz.caches import revisions
from viz.caches.keys import BY_RUN, size_of_trace
from viz.caches.recent import keep_recent
from viz.computing.run_times import RunTimes
from viz.computing.runs_under_way import RunsUnderWay
from viz.computing.worker import in_worker

if TYPE_CHECKING:
    from encoder import Backend

logger = logging.getLogger(__name__)

MODELS = 3
TRACES, TRACE_BYTES = 64, 660_000_000  # 64 of short texts, or 8 of 512 tokens through BERT-base, 82 MB each
GENERATIONS = 8  # with two traces each

Run = TypeVar("Run", Trace, Generation)


class _Named(Protocol):
    name: str


Loaded = TypeVar("Loaded", bound=_Named)

_RUN_TIMES = RunTimes()
_UNDER_WAY = RunsUnderWay()
_LOADED: WeakValueDictionary[str, Backend] = WeakValueDictionary()


def model(name: str) -> Backend:
    """A model, loaded once from the same files. Raises ModelError, which is not kept."""
    return _model(revisions.current(name))


@st.cache_resource(max_entries=MODELS, show_spinner=False)
def _model(name: str) -> Backend:
    loaded = load_revision(name, encoder.load).pack()
    _LOADED[name] = loaded
    return loaded


def load_revision(name: str, load: Callable[[str], Loaded]) -> Loaded:
    """What `load` makes of a model's files, if they have the revision in the name before and after.

    Raises:
        CheckpointError: they have another one.
    """
    check_revision(name)
    loaded = load(revisions.unrevised(name))
    check_revision(name)
    loaded.name = name
    return loaded


def check_revision(name: str) -> None:
    """Raise CheckpointError where the files of a model have changed since its name was made."""
    if revisions.unrevised(name) != name and not revisions.is_current(name):
        raise CheckpointError(
            f"The files of {revisions.unrevised(name)} have changed meanwhile: try again when all of them are written."
        )


def is_loaded(name: str) -> bool:
    """Whether a model is there, with the files that it has now, and needs no loading."""
    return revisions.current(name) in _LOADED


def _key_of_run(model_name: str, *texts: str | None) -> tuple[str | None, ...]:
    return revisions.current(model_name), *texts


@keep_recent(key_of=_key_of_run, size_of=size_of_trace, entries=TRACES, num_bytes=TRACE_BYTES)
def trace(model_name: str, a: str, b: str | None) -> Trace:
    """One run of a model. Raises InputError, which is not kept."""
    stored = stored_trace(model_name, a, b)
    if stored is not None:
        return stored
    backend = model(model_name)
    on_layer = partial(_UNDER_WAY.reached, (model_name, a, b))
    return timed_in_worker(model_name, lambda: backend.trace(a, b, on_layer=on_layer), lambda run: run.tokens)


def trace_until(model_name: str, a: str, b: str | None, *, layer: int) -> Trace:
    """The same, or the trace of the layers until one of them, as soon as the run has reached it.

    The rest of the run goes on meanwhile.
    """
    return _UNDER_WAY.until((model_name, a, b), layer, lambda: trace(model_name, a, b))


def stored_trace(model_name: str, a: str, b: str | None) -> Trace | None:
    """The run that ships, which needs no model; None for all other texts and models."""
    return _shipped_trace(a) if model_name == BUNDLED and b is None and a in FILES else None


@st.cache_resource(max_entries=len(FILES), show_spinner=False)
def _shipped_trace(text: str) -> Trace | None:
    try:
        return first_run(bundled_folder(), FILES[text])
    except TraceFileError as error:
        logger.warning("%s It is computed.", error)
        return None


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


def units_of_both(run: Generation, *, level: Level, special: Special) -> tuple[Units, Units]:
    """Words or wordpieces of the source, and of what the decoder read of its own."""
    return units(run.source, level=level, special=special), units(run.target, level=level, special=special)


def probes(model_name: str) -> Probes | None:
    """The probes of a model, None where none were trained."""
    return load_probes(model_name) if has_probes(model_name) else None
