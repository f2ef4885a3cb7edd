"""Tables of texts, and jobs over their rows.

What a user opens belongs to the session: it is never written to a disk, and is gone with the session, as are the
results of its rows. Those of collections that ship are shared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Concatenate, Final, ParamSpec, TypeVar

import numpy as np
import streamlit as st

from encoder import Backend
from encoder.collection.results import GrowingResults, Results, read_rows
from encoder.collection.search import GrowingVectors, embed_rows
from encoder.collection.shipped_sets import shipped_collection
from encoder.collection.table import Collection
from encoder.collection.word_map import Found, WordMap, map_word
from encoder.runs.arrays import FloatArray
from viz.caches import revisions, run_cache
from viz.caches.memo import JOBS, Memo, key_of
from viz.computing.job import Job, Progress
from viz.computing.worker import in_worker
from viz.state.selection import OWN

P = ParamSpec("P")
Value = TypeVar("Value")

OWN_COLLECTION, OWN_JOBS = "own_collection", "own_collection_jobs"  # in the session
OWN_BYTES: Final = 256_000_000  # of the results of a session's own tables
OCCURRENCE_BYTES: Final = 600  # of a mapped occurrence of a word, in a model of 24 layers
ROW_BYTES: Final = 1_000  # of the prediction of a row, by a head with up to a hundred classes


def current_collection(name: str) -> Collection | None:
    """The collection of that name; None for the user's own one before it is opened. Raises DataError."""
    if name == OWN:
        own: Collection | None = st.session_state.get(OWN_COLLECTION)
        return own
    return shipped_collection(name)


def set_own_collection(collection: Collection) -> None:
    """Open a table for this session, in place of the last one."""
    st.session_state[OWN_COLLECTION] = collection
    st.session_state.pop(OWN_JOBS, None)


def collection_job(
    function: Callable[Concatenate[Backend, Progress, Collection, P], Value],
    model_name: str,
    collection: Collection,
    *args: P.args,
    **kwargs: P.kwargs,
) -> Job[Value]:
    """The cached job that calls a function of a model and a collection; the caller starts it.

    Jobs over collections that ship are shared by all sessions.
    """
    return _memo_of(collection).compute(
        key_of(function, revisions.current(model_name), collection, *args, **kwargs),
        lambda: Job(
            lambda backend, progress: function(backend, progress, collection, *args, **kwargs),
            nbytes=ROW_BYTES * len(collection),
        ),
    )


@dataclass(frozen=True, slots=True)
class RowReading:
    """The job that reads the rows of a collection, and what it has read so far."""

    job: Job[Results]
    growing: GrowingResults

    @property
    def nbytes(self) -> int:
        """Bytes of its results, at most."""
        return self.job.nbytes


def reading_of(model_name: str, collection: Collection) -> RowReading:
    """The cached reading of a collection's rows by a model; the caller starts its job."""
    name = revisions.current(model_name)

    def work() -> RowReading:
        growing = GrowingResults(collection=collection, model_name=name)
        job = Job(
            lambda backend, progress: read_rows(backend, collection, growing, progress),
            nbytes=ROW_BYTES * len(collection),
        )
        return RowReading(job, growing)

    return _memo_of(collection).compute(key_of(reading_of, name, collection), work)


def cached_answer(function: Callable[P, Value], collection: Collection, *args: P.args, **kwargs: P.kwargs) -> Value:
    """What a function says of the results of a collection, cached as long as these.

    Args:
        function: gets `args` alone; the collection says whose memo it is.
    """
    return _memo_of(collection).get(function, *args, **kwargs)


@dataclass(frozen=True, slots=True)
class VectorReading:
    """The job that computes the vectors of a collection's texts, and those that it has computed so far."""

    job: Job[FloatArray]
    growing: GrowingVectors

    @property
    def nbytes(self) -> int:
        """Bytes of the vectors of all rows."""
        return self.job.nbytes


def vectors_of(model_name: str, collection: Collection) -> VectorReading:
    """The cached vectors of a collection's texts by a model; the caller starts the job."""

    name = revisions.current(model_name)

    def work() -> VectorReading:
        growing, model = GrowingVectors(collection), run_cache.model(name)
        of_row = 0 if model.pooling.differs else in_worker(lambda: model.embed(["a"]).nbytes)  # else the job is refused
        job = Job(lambda backend, progress: embed_rows(backend, growing, progress), nbytes=of_row * len(collection))
        return VectorReading(job, growing)

    return _memo_of(collection).compute(key_of(vectors_of, name, collection), work)


def word_map_of(model_name: str, collection: Collection, found: Found) -> Job[WordMap]:
    """The cached job that maps the occurrences of a word; the caller starts it."""
    name = revisions.current(model_name)

    def work() -> Job[WordMap]:
        return Job(
            lambda backend, progress: map_word(backend, progress, collection, found),
            nbytes=OCCURRENCE_BYTES * len(found.places),
        )

    return _memo_of(collection).compute(key_of(word_map_of, name, collection, found.word, found.forms), work)


def cached_of_collection(
    function: Callable[Concatenate[Backend, P], Value],
    model_name: str,
    collection: Collection,
    *args: P.args,
    **kwargs: P.kwargs,
) -> Value:
    """The cached value of a short function of a model about a collection, computed in the worker's thread.

    Arrays among the arguments do not identify the value: they must follow from the model, the collection and the rest.
    """
    name = revisions.current(model_name)
    plain = [argument for argument in args if not isinstance(argument, np.ndarray)]

    def work() -> Value:
        backend = run_cache.model(name)
        return in_worker(lambda: function(backend, *args, **kwargs))

    return _memo_of(collection).compute(key_of(function, name, collection, *plain, **kwargs), work)


def _memo_of(collection: Collection) -> Memo:
    if collection is st.session_state.get(OWN_COLLECTION):
        memo: Memo = st.session_state.setdefault(OWN_JOBS, Memo(OWN_BYTES))
        return memo
    return JOBS
