"""Tables of texts, and jobs over their rows.

What a user opens belongs to the session: it is never written to a disk, and is gone with the session, as are the
results of its rows. Those of collections that ship are shared. Results of `headlight texts run` are shown in place of
those of a model, until the user lets another model run over the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, ParamSpec, TypeVar, cast
from weakref import WeakSet, WeakValueDictionary

import pyarrow as pa
import streamlit as st

from encoder.collection.kinds.base import Results
from encoder.collection.results import GrowingResults, read_first, results_of_all
from encoder.collection.search import (
    GrowingVectors,
    bytes_of_row,
    comparable,
    embed_rows,
    how_vectors_are_made,
)
from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.table import Collection
from encoder.comparison.exact_splits import Vectors
from encoder.errors import DataError, UnsupportedModelError
from viz.caches import revisions, run_cache
from viz.caches.memo import JOBS, VALUES, Memo, key_of
from viz.computing.job import Job, work_of
from viz.computing.watcher import Watcher, this_session
from viz.computing.worker import in_worker
from viz.recipes.step import LongStep, plain_arguments
from viz.recipes.tables import embed_all
from viz.state import session
from viz.state.selection import OWN
from viz.streamlit_internals import browser_secret
from viz.wording.models import title_of_model

if TYPE_CHECKING:
    from encoder.collection.saved_run import SavedRun

P = ParamSpec("P")
Value = TypeVar("Value")
Growing = TypeVar("Growing")

OWN_COLLECTION, OWN_JOBS = "own_collection", "own_collection_jobs"  # in the session
OWN_FIRST = "own_first_rows"  # in the session: those that are read of the own table
OWN_RUN, RUN_OVER = "own_run", "models_run_over_own_run"  # in the session: saved results, and models to run over them
OWN_TABLE: Final = "own_table"  # in the session: what was read of the file
OWN_BEFORE: Final = "own_table_before"  # in the session: the models' results for the table that was open before
OF_OWN_TABLE: Final = (OWN_COLLECTION, OWN_TABLE, OWN_JOBS, OWN_FIRST, OWN_RUN, OWN_BEFORE, RUN_OVER)
OWN_BYTES: Final = 256_000_000  # of the results of a session's own tables
OWN_TABLES_BYTES: Final = 1_000_000_000  # of the own tables of all sessions
ROW_BYTES: Final = 1_000  # of the prediction of a row, by a head with up to a hundred classes


@dataclass(eq=False)
class Tab:
    """A session with an own table.

    Attributes:
        browser: its secret.
        values: of the session's state, about the table.
    """

    browser: str
    watcher: Watcher
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def collection(self) -> Collection:
        """Its table."""
        found: Collection = self.values[OWN_COLLECTION]
        return found


@dataclass(frozen=True, eq=False)
class Before:
    """The models' results for all rows of a table that is no longer open.

    Attributes:
        name: of its file.
        results: by the name of the model.
    """

    name: str
    results: dict[str, Results]


TAB: Final = "tab_with_own_table"  # in the session, and gone with it
_tabs: WeakSet[Tab] = WeakSet()
_own_tables: WeakValueDictionary[int, pa.Table] = WeakValueDictionary()  # those that are open in any session, by id


def current_collection(name: str) -> Collection | None:
    """The collection of that name; None for the user's own one before it is opened. Raises DataError."""
    if name == OWN:
        _survive_reload(browser_secret())
        own: Collection | None = st.session_state.get(OWN_COLLECTION)
        return own
    return shipped_collection(name)


def gone_tabs() -> list[Tab]:
    """The tabs of this browser that had an own table and are gone, as before a reload, by the names of their tables."""
    browser = browser_secret()
    gone = [tab for tab in [*_tabs] if tab.browser == browser and tab.values and not tab.watcher.has_browser]
    return sorted(gone, key=lambda tab: tab.collection.name) if browser else []


def take_over(tab: Tab) -> None:
    """Open the table of a tab that is gone, with what was computed of it."""
    st.session_state.update(tab.values)
    tab.values = {}


def _survive_reload(browser: str) -> None:
    """Take over the table of the tab of this browser that is gone, as after a reload; of several, the user chooses."""
    state = st.session_state
    if not browser:
        return
    if OWN_COLLECTION not in state and len(gone := gone_tabs()) == 1:
        take_over(gone[0])
    if OWN_COLLECTION in state:
        tab = state.setdefault(TAB, Tab(browser, this_session()))
        tab.values = {key: state[key] for key in OF_OWN_TABLE if key in state}
        _tabs.add(tab)


def set_own_collection(collection: Collection, run: SavedRun | None = None) -> None:
    """Open a table for this session, in place of the last one; `run` has its saved results.

    Raises:
        DataError: the tables of other sessions leave no room for it.
    """
    before: Collection | None = st.session_state.get(OWN_COLLECTION)
    others = [each for each in [*_own_tables.values()] if before is None or each is not before.table]
    if others and sum(each.nbytes for each in others) + collection.table.nbytes > OWN_TABLES_BYTES:
        raise DataError("Other visitors have opened as many tables as this server holds: try again later.")
    _own_tables[id(collection.table)] = collection.table
    if before is not None and before.table is not collection.table:
        st.session_state[OWN_BEFORE] = Before(before.name, _finished_readings(before))
    st.session_state[OWN_COLLECTION] = collection
    st.session_state[OWN_RUN] = run
    for key in (OWN_JOBS, OWN_FIRST, RUN_OVER):
        st.session_state.pop(key, None)


def bytes_of_own_tables() -> int:
    """Of the own tables that are open in any session."""
    return sum(each.nbytes for each in [*_own_tables.values()])


def _finished_readings(collection: Collection) -> dict[str, Results]:
    """The results of the page's models for a table, if they read all of its rows."""
    found, function = {}, cast(Callable[..., Any], results_of_all)  # a reading is cached under its name
    for name in _models_of_page():
        reading = memo_of(collection).peek(function, revisions.current(name), collection)
        if reading is not None and reading.growing.done == len(collection):
            found[name] = reading.growing.so_far()
    return found


def _models_of_page() -> tuple[str, ...]:
    selection = session.current()
    return tuple(filter(None, (selection.model, selection.table.other_model)))


def results_before(model_name: str, collection: Collection) -> tuple[str, Results] | None:
    """The name of the own table that was open before, and a model's results for its rows, if there are as many."""
    before: Before | None = st.session_state.get(OWN_BEFORE)
    if before is None or collection is not st.session_state.get(OWN_COLLECTION):
        return None
    results = before.results.get(revisions.unrevised(model_name))
    return None if results is None or len(results) != len(collection) else (before.name, results)


def set_own_classes(collection: Collection) -> None:
    """Open the rows that are open with other classes for their labels; the models' results stay."""
    before, names = st.session_state[OWN_COLLECTION], map(revisions.current, _models_of_page())
    found = [(name, function, memo_of(before).peek(function, name, before)) for name in names for function in READINGS]
    set_own_collection(collection)
    for name, function, reading in found:
        if reading is not None:
            again = _relabelled(reading, collection) if function is results_of_all else reading
            memo_of(collection).compute(key_of(function, name, collection), partial(_as_given, again))


def _as_given(value: Value) -> Value:
    return value


def _relabelled(reading: Reading[Results, GrowingResults], collection: Collection) -> Reading[Results, GrowingResults]:
    growing = reading.growing.with_labels_of(collection)
    if growing.done == len(collection):
        return Reading(_finished(growing.so_far()), growing)
    return Reading(Job(work_of(read_first, collection, growing), nbytes=ROW_BYTES * len(collection)), growing)


def saved_run(collection: Collection, results: Results | None = None) -> SavedRun | None:
    """The run whose results a collection was opened with; None if there is none, or it gave other results."""
    run: SavedRun | None = st.session_state.get(OWN_RUN)
    if run is None or run.collection is not collection or (results is not None and run.results is not results):
        return None
    return run


def run_over(model_name: str, *, wanted: bool) -> None:
    """Let a model run over the rows of saved results, or show these again."""
    models: set[str] = st.session_state.setdefault(RUN_OVER, set())
    (models.add if wanted else models.discard)(revisions.unrevised(model_name))


def shows_saved(model_name: str, run: SavedRun) -> bool:
    """Whether the saved results stand for those of a model, which may be another one."""
    current, name = session.current(), revisions.unrevised(model_name)
    is_second = name == current.table.other_model != current.model
    is_other = is_second or name in st.session_state.get(RUN_OVER, ())
    return not is_other or is_model_of(run, model_name)


def is_model_of(run: SavedRun, model_name: str) -> bool:
    """Whether a model has the weights of the model that gave saved results."""
    from encoder.atlas.plan import model_checksum

    name, model = revisions.current(model_name), run_cache.model(model_name)
    own = VALUES.compute(key_of(model_checksum, name), lambda: in_worker(lambda: model_checksum(model)))
    return own == run.model_checksum


def job_of_table(step: LongStep[Value], model_name: str) -> Job[Value]:
    """The cached job of a long step about a table; the caller starts it.

    Jobs over collections that ship are shared by all sessions. A job about saved results is refused unless the model
    gave them.
    """
    collection = step.table
    if collection is None:
        raise ValueError(f"{step.what} is about no table")
    if step.function in READINGS:
        found: Job[Value] = READINGS[step.function](model_name, collection).job
        return found
    run, name = saved_run(collection), revisions.current(model_name)
    given = (*step.args, *step.options.values())
    uses_saved = run is not None and run not in given and any(each is run.results for each in given)
    if run is not None and uses_saved and not is_model_of(run, model_name):
        refused: Job[Value] = _finished(None)
        refused.error = UnsupportedModelError(
            f"This needs {title_of_model(run.model)}, which gave the saved results: open it as the model of the page."
        )
        return refused
    return memo_of(collection).compute(
        key_of(step.function, name, *plain_arguments(step), **step.options),
        lambda: Job(
            work_of(step.function, *step.args, **step.options), nbytes=max(step.nbytes, ROW_BYTES * len(collection))
        ),
    )


def _finished(result: Any, *, nbytes: int = 0) -> Job[Any]:
    """A job that has its result."""
    job = Job[Any](lambda backend, progress: result, nbytes=nbytes)
    job.result = result
    return job


@dataclass(frozen=True, slots=True)
class Reading(Generic[Value, Growing]):
    """A job over the rows of a collection, and what it has computed so far."""

    job: Job[Value]
    growing: Growing

    @property
    def nbytes(self) -> int:
        """Bytes of its result, at most."""
        return self.job.nbytes

    @property
    def result(self) -> Value | None:
        """What the job has computed."""
        return self.job.result

    def wait(self) -> None:
        """Wait for the end of the job, if it was started."""
        self.job.wait()


def reading_of(model_name: str, collection: Collection) -> Reading[Results, GrowingResults]:
    """The cached reading of a collection's rows by a model, or the saved one; the caller starts its job."""
    name = revisions.current(model_name)
    run = saved_run(collection)
    if run is not None and run.results is not None and shows_saved(model_name, run):
        return Reading(_finished(run.results), GrowingResults(collection=collection, model_name=run.model))

    def work() -> Reading[Results, GrowingResults]:
        growing = GrowingResults(collection=collection, model_name=name)
        job = Job(work_of(read_first, collection, growing), nbytes=ROW_BYTES * len(collection))
        return Reading(job, growing)

    return memo_of(collection).compute(key_of(results_of_all, name, collection), work)


def shown_results(model_name: str, collection: Collection) -> tuple[Collection, Results] | None:
    """The rows that a model has read, and its results: all, or the first ones if the reading was stopped."""
    reading = reading_of(model_name, collection)
    if reading.result is not None:
        return collection, reading.result
    waits = reading.job.running and this_session() in reading.job.watchers
    found = None if waits else reading.growing.first()
    if found is not None and collection is st.session_state.get(OWN_COLLECTION):
        st.session_state[OWN_FIRST] = found[0]
    return found


def vectors_of(model_name: str, collection: Collection) -> Reading[Vectors, GrowingVectors]:
    """The cached vectors of a collection's texts by a model, or the saved ones; the caller starts the job."""
    name = revisions.current(model_name)
    run = saved_run(collection)

    def work() -> Reading[Vectors, GrowingVectors]:
        growing, model = GrowingVectors(collection), run_cache.model(name)
        is_same = run is not None and run.has_vectors and run.vectors_made == how_vectors_are_made(model)
        if run is not None and is_same and is_model_of(run, name):
            vectors, growing.unread = run.vectors()
            growing.append(found := comparable(model, vectors))
            return Reading(_finished(growing.vectors, nbytes=found.nbytes), growing)
        of_row = in_worker(lambda: bytes_of_row(model))
        job = Job[Vectors](work_of(embed_rows, growing), nbytes=of_row * len(collection))
        return Reading(job, growing)

    return memo_of(collection).compute(key_of(embed_all, name, collection), work)


def memo_of(collection: Collection) -> Memo:
    """The memo of what is computed of a collection."""
    if collection in (st.session_state.get(OWN_COLLECTION), st.session_state.get(OWN_FIRST)):
        memo: Memo = st.session_state.setdefault(OWN_JOBS, Memo(OWN_BYTES))
        return memo
    return JOBS


READINGS: Final[dict[Callable[..., Any], Callable[[str, Collection], Reading[Any, Any]]]] = {
    results_of_all: reading_of,
    embed_all: vectors_of,
}
