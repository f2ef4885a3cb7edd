"""Models, runs of encoders, and the words or wordpieces of runs."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar
from weakref import WeakValueDictionary

import encoder
from encoder import Trace
from encoder.errors import CheckpointError, TraceFileError
from encoder.measures.units import Level, Special, Units, units_of
from encoder.models.files import usual_name
from encoder.offers import ModelName
from encoder.runs.generation import Generation
from encoder.runs.links import Link
from encoder.shipped.bundled import BUNDLED, bundled_folder
from encoder.shipped.first_run import FILES, first_run
from encoder.text.tokens import Tokens
from viz import permitted
from viz.caches import revisions
from viz.caches.memo import MODELS, VALUES
from viz.computing import events
from viz.computing.worker import in_worker

if TYPE_CHECKING:
    from encoder import Backend

logger = logging.getLogger(__name__)

MOST_WAITING = 32  # threads that wait for a layer; further callers wait for a free one
SAMPLES = 2  # the faster of the last two runs counts: a model's first run is the slowest

Links = tuple[Link, ...]
RunKey = tuple[str, str, str | None, Links]  # the model's name with its revision, the texts, and changed links

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

    def __init__(self, trace: Callable[[str, str, str | None, Links], Trace]) -> None:
        """`trace` returns the whole trace of a model and its texts, with changed links."""
        self._trace = trace
        self._lock = threading.Lock()
        self._waiting: dict[RunKey, list[tuple[int, Future[Trace]]]] = {}
        self._computing = ThreadPoolExecutor(MOST_WAITING, thread_name_prefix="headlight-under-way")

    def trace_until(self, model_name: str, a: str, b: str | None, *, layer: int, links: Links = ()) -> Trace:
        """The whole trace, or the trace of the layers up to `layer` as soon as the run has computed it.

        The rest of the run continues in its own thread.

        Raises:
            Exception: whatever the run raises before the layer is reached.
        """
        run = revisions.current(model_name), a, b, links
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
    origin = "shipped" if ModelName(given).ships else "folder or hub"
    with events.reported("model", origin=origin), permitted.hiding_paths(permitted.folder_of(given), given):
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


def trace(model_name: str, a: str, b: str | None = None, *, links: Links = ()) -> Trace:
    """One run of a model, with changed links. Raises InputError, SelectionError."""
    return VALUES.get(_trace, revisions.current(model_name), a, b, links)


def same_run(run: Trace, *, first: int) -> Callable[[], Trace]:
    """Gets an excerpt of a run from the cache again: for buttons, which a session keeps.

    Args:
        first: the first token of the excerpt.
    """
    name, texts, links = run.model_name, run.tokens.texts, run.links
    return lambda: trace(name, *texts, links=links).excerpt(first)


_UNDER_WAY = RunsUnderWay(lambda model_name, a, b, links: trace(model_name, a, b, links=links))
trace_until = _UNDER_WAY.trace_until


def _trace(model_name: str, a: str, b: str | None, links: Links) -> Trace:
    stored = None if links else stored_trace(model_name, a, b)
    if stored is not None:
        return stored
    backend = model(model_name)
    run = partial(backend.trace, a, b, links=links, on_layer=partial(_UNDER_WAY.reached, (model_name, a, b, links)))
    return timed_in_worker(model_name, run, lambda run: run.tokens)


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
