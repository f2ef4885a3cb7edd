"""Models, runs of encoders, and the words or wordpieces of runs."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar
from weakref import WeakValueDictionary

import encoder
from encoder import Trace
from encoder.errors import CheckpointError, TraceFileError
from encoder.measures.units import Level, Special, Units, units_of
from encoder.models.files import usual_name
from encoder.runs.generation import Generation
from encoder.shipped.bundled import BUNDLED, bundled_folder
from encoder.shipped.first_run import FILES, first_run
from encoder.shipped.probes import Probes, has_probes, load_probes
from encoder.text.tokens import Tokens
from viz import permitted
from viz.caches import revisions
from viz.caches.memo import JOBS, MODELS, VALUES, key_of
from viz.computing.worker import in_worker

if TYPE_CHECKING:
    from encoder import Backend
    from viz.computing.job import Job, Progress

logger = logging.getLogger(__name__)

MOST_WAITING = 32  # threads that wait for a layer; further callers wait for a free one
SAMPLES = 2  # the faster of the last two runs counts: a model's first run is the slowest

RunKey = tuple[str, str, str | None]  # the model's name with its revision, and the texts

P = ParamSpec("P")
Value = TypeVar("Value")
Run = TypeVar("Run", Trace, Generation)


class _Named(Protocol):
    name: str


Loaded = TypeVar("Loaded", bound=_Named)


class RunTimes:
    """Durations of the last runs of every model, by the text's length in powers of two. Thread-safe.

    A run that was read from a file does not count, since it says nothing about the next text. Only runs of the bundled
    model are stored in files, so two texts are enough for any other model.
    """

    def __init__(self) -> None:
        self._seconds: dict[tuple[str, int], tuple[float, ...]] = {}

    def note(self, model_name: str, num_tokens: int, seconds: float) -> None:
        """Record a run."""
        key = model_name, num_tokens.bit_length()
        self._seconds[key] = (*self._seconds.get(key, ()), seconds)[-SAMPLES:]

    def expected(self, model_name: str, num_tokens: int) -> float | None:
        """Expected seconds of the next run; None if too few runs of such a length are known."""
        known = self._seconds.get((model_name, num_tokens.bit_length()), ())
        return min(known) if len(known) == SAMPLES else None


class RunsUnderWay:
    """Callers that wait for a layer of a run: a view of a layer needs the trace up to this layer only. Thread-safe."""

    def __init__(self, trace: Callable[[str, str, str | None], Trace]) -> None:
        """`trace` returns the whole trace of a model and its texts."""
        self._trace = trace
        self._lock = threading.Lock()
        self._waiting: dict[RunKey, list[tuple[int, Future[Trace]]]] = {}
        self._computing = ThreadPoolExecutor(MOST_WAITING, thread_name_prefix="headlight-under-way")

    def trace_until(self, model_name: str, a: str, b: str | None, *, layer: int) -> Trace:
        """The whole trace, or the trace of the layers up to `layer` as soon as the run has computed it.

        The rest of the run continues in its own thread.

        Raises:
            Exception: whatever the run raises before the layer is reached.
        """
        run = revisions.current(model_name), a, b
        reached: Future[Trace] = Future()
        waiting = layer, reached
        with self._lock:
            self._waiting.setdefault(run, []).append(waiting)
        try:
            whole = self._computing.submit(
                copy_context().run, lambda: self._trace(*run)
            )  # with the context variables that drop it
            wait((reached, whole), return_when=FIRST_COMPLETED)
            return whole.result() if whole.done() else reached.result()
        finally:
            with self._lock:
                self._waiting[run].remove(waiting)
                if not self._waiting[run]:
                    del self._waiting[run]

    def reached(self, run: RunKey, layer: int, so_far: Callable[[], Trace]) -> None:
        """Wake the callers that wait for a layer of a run or for an earlier one."""
        with self._lock:
            due = [future for wanted, future in self._waiting.get(run, ()) if wanted <= layer and not future.done()]
        if due:
            trace = so_far()
            for future in due:
                future.set_result(trace)


_RUN_TIMES = RunTimes()
_LOADED: WeakValueDictionary[str, Backend] = WeakValueDictionary()


def model(name: str) -> Backend:
    """A model, loaded once from the same files. Raises ModelError."""
    return MODELS.get(_load, revisions.current(name))


def opened_model(name: str) -> Backend | None:
    """A model if it has been loaded; it is not loaded for this."""
    return MODELS.peek(_load, revisions.current(name))


def cached_with_model(
    function: Callable[Concatenate[Backend, P], Value], model_name: str, *args: P.args, **kwargs: P.kwargs
) -> Value:
    """The cached value of a function of a model, or its value computed in the worker's thread.

    The model is loaded in this thread, because a download may take minutes.
    """

    def work() -> Value:
        backend = model(name)
        return in_worker(lambda: function(backend, *args, **kwargs))

    name = revisions.current(model_name)
    return VALUES.compute(key_of(function, name, *args, **kwargs), work)


def cached_job(
    function: Callable[Concatenate[Backend, Progress, P], Value], model_name: str, *args: P.args, **kwargs: P.kwargs
) -> Job[Value]:
    """The cached job that calls a function of a model, which reports its progress; the caller starts the job.

    The arguments are plain values: a job holds them, and would hold a run.
    """
    from viz.computing.job import Job  # imports torch

    return JOBS.compute(
        key_of(function, revisions.current(model_name), *args, **kwargs),
        lambda: Job(lambda backend, progress: function(backend, progress, *args, **kwargs)),
    )


def _load(name: str) -> Backend:
    given = revisions.unrevised(name)
    if usual_name(given) == given:
        loaded = load_revision(name, encoder.load)
    else:  # with the weights of the usual one
        loaded = model(usual_name(given)).with_all_positions()
        check_revision(name)
        loaded.name = name
    _LOADED[name] = loaded
    return loaded


def load_revision(name: str, load: Callable[[str], Loaded]) -> Loaded:
    """What `load` returns for a model's files, if they have the revision in the name before and after.

    Raises:
        CheckpointError: they have another revision.
        UnknownModelError: a visitor may not open the model.
    """
    check_revision(name)
    given = revisions.unrevised(name)
    with permitted.hiding_paths(permitted.folder_of(given), given):
        loaded = load(permitted.resolve(given))
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
    """Whether a model is loaded from its current files."""
    return revisions.current(name) in _LOADED


def trace(model_name: str, a: str, b: str | None = None) -> Trace:
    """One run of a model. Raises InputError."""
    return VALUES.get(_trace, revisions.current(model_name), a, b)


def trace_without_heads(model_name: str, a: str, b: str | None, silenced_heads: Sequence[tuple[int, int]]) -> Trace:
    """One run of a model with silenced heads. Raises InputError, SelectionError."""
    return cached_with_model(_trace_without_heads, model_name, a, b, silenced_heads)


def _trace_without_heads(backend: Backend, a: str, b: str | None, silenced_heads: Sequence[tuple[int, int]]) -> Trace:
    return backend.trace(a, b, silenced_heads=silenced_heads)


_UNDER_WAY = RunsUnderWay(trace)
trace_until = _UNDER_WAY.trace_until


def _trace(model_name: str, a: str, b: str | None) -> Trace:
    stored = stored_trace(model_name, a, b)
    if stored is not None:
        return stored
    backend = model(model_name)
    on_layer = partial(_UNDER_WAY.reached, (model_name, a, b))
    return timed_in_worker(model_name, lambda: backend.trace(a, b, on_layer=on_layer), lambda run: run.tokens)


def stored_trace(model_name: str, a: str, b: str | None) -> Trace | None:
    """A shipped run, which needs no model; None for all other texts and models."""
    return VALUES.get(_shipped_trace, a) if model_name == BUNDLED and b is None and a in FILES else None


def _shipped_trace(text: str) -> Trace | None:
    try:
        return first_run(bundled_folder(), FILES[text])
    except TraceFileError as error:
        logger.warning("%s It is computed.", error)
        return None


def timed_in_worker(model_name: str, work: Callable[[], Run], tokens_of: Callable[[Run], Tokens]) -> Run:
    """A run in the worker's thread, whose CPU time is recorded for texts of its length."""

    def timed() -> Run:
        started = time.thread_time()
        run = work()
        _RUN_TIMES.note(model_name, len(tokens_of(run)), time.thread_time() - started)
        return run

    return in_worker(timed)


def expected_seconds(model_name: str, runs: Iterable[Tokens]) -> float:
    """Expected total seconds of runs over as many tokens; unknown ones count as 0."""
    return sum(_RUN_TIMES.expected(model_name, len(tokens)) or 0.0 for tokens in runs)


def units(run: Trace, *, level: Level, special: Special) -> Units:
    """Words or wordpieces of a run."""
    return VALUES.get(units_of, run.tokens, level=level, special=special)


def units_of_both(run: Generation, *, level: Level, special: Special) -> tuple[Units, Units]:
    """Words or wordpieces of the source, and of the decoder's input."""
    return units(run.source, level=level, special=special), units(run.target, level=level, special=special)


def probes(model_name: str) -> Probes | None:
    """The probes of a model, None where none were trained."""
    return load_probes(model_name) if has_probes(model_name) else None
