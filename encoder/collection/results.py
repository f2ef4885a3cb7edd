"""Read the rows of a table with a model, row by row while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow.compute as pc

from encoder.collection.kinds import KINDS, kind_of
from encoder.collection.kinds.base import Kind, Results, Rows, joined
from encoder.collection.row_labels import LabelRule
from encoder.collection.table import Collection
from encoder.errors import UnsupportedModelError
from encoder.progress import Progress, no_progress

if TYPE_CHECKING:  # torch, which a page of these numbers does not need
    from encoder.models.base import Backend, Reading

FIRST_ROWS: Final = 32  # are read first, so that a page can show them
TIMED_ROWS: Final = 64
ROWS_AT_ONCE: Final = 1_024  # sorted by length together: more are padded less


@dataclass(slots=True, kw_only=True)
class GrowingResults:
    """The results of a collection while it is read; `so_far` may be called from another thread.

    Attributes:
        collection: whose rows are read.
        parts: those of its first rows.
        most: rows after which `read_first` ends; None for all.
    """

    collection: Collection
    model_name: str
    parts: list[Results] = field(default_factory=list)
    most: int | None = None
    _first: tuple[Collection, Results] | None = None

    @property
    def done(self) -> int:
        """The rows that are read."""
        return sum(map(len, self.parts))

    def so_far(self) -> Results | None:
        """The results of the rows that are read; None before the first."""
        parts = list(self.parts)
        return joined(parts, self.model_name) if parts else None

    def first(self) -> tuple[Collection, Results] | None:
        """The rows that are read as a collection, and their results; None before the first. The same until more are."""
        found = self.so_far()
        if found is not None and (self._first is None or len(self._first[0]) != len(found)):
            self._first = self.collection.select(range(len(found))), found
        return self._first

    def with_labels_of(self, collection: Collection) -> GrowingResults:
        """The same rows, compared with the labels of a collection in which other classes were chosen for these."""
        again = GrowingResults(collection=collection, model_name=self.model_name)
        for part in list(self.parts):
            labels = collection.labels(range(again.done, again.done + len(part)))
            again.parts.append(part if labels is None else part.with_labels(labels, collection.distinct_labels()))
        return again


def read_rows(
    model: Backend, collection: Collection, into: GrowingResults, *, progress: Progress = no_progress
) -> Results:
    """Read all rows, in their order, continuing after those that are already read.

    Args:
        into: receives the results.
        progress: called with the rows done and in total.
    Raises:
        InputError: a row cannot be read.
        UnsupportedModelError: the model predicts nothing for the first rows.
    """
    _read_until(model, collection, into, len(collection), progress)
    return joined(into.parts, into.model_name)


def read_first(
    model: Backend, collection: Collection, into: GrowingResults, *, progress: Progress = no_progress
) -> Results | None:
    """As `read_rows`, but only `into.most` rows, if that is a number; None if more remain."""
    total = len(collection)
    _read_until(model, collection, into, total if into.most is None else min(into.most, total), progress)
    return joined(into.parts, into.model_name) if into.done == total else None


def _read_until(model: Backend, collection: Collection, into: GrowingResults, total: int, progress: Progress) -> None:
    distinct = collection.distinct_labels()
    while (done := into.done) < total:
        progress(done, total)
        rows = range(done, min(done + (ROWS_AT_ONCE if done else FIRST_ROWS), total))
        texts, labels = collection.texts(rows), collection.labels(rows) or [""] * len(rows)
        kind = into.parts[0].kind if into.parts else None
        readings = list(model.readings(texts, batch_size=ROWS_AT_ONCE))
        into.parts.append(_read(Rows(model.name, readings, labels, distinct), kind))
    progress(total, total)


def seconds_of_rows(model: Backend, collection: Collection) -> float:
    """About how long a model reads all rows, from the time that it takes for some, which are spread evenly."""
    sample = collection.select(np.unique(np.linspace(0, len(collection) - 1, TIMED_ROWS).astype(int)).tolist())
    texts = sample.texts()
    list(model.readings(texts[:1]))  # the first run of a model takes longer
    started = perf_counter()
    list(model.readings(texts, batch_size=ROWS_AT_ONCE))
    return (perf_counter() - started) * _characters(collection) / _characters(sample)


def _characters(collection: Collection) -> int:
    columns = filter(None, (collection.text, collection.text_b))
    return sum(pc.sum(pc.utf8_length(collection.table.column(name))).as_py() or 0 for name in columns)


def results_of_all(model: Backend, collection: Collection, *, progress: Progress = no_progress) -> Results:
    """The results of all rows. Arguments and errors as in `read_rows`."""
    return read_rows(model, collection, GrowingResults(collection=collection, model_name=model.name), progress=progress)


def results_of(
    collection: Collection,
    model_name: str,
    readings: Sequence[Reading],
    *,
    kind: Kind | None = None,
    rule: LabelRule | None = None,
) -> Results:
    """The results of the first rows of a collection.

    Args:
        kind: that of rows before these; None if there are none.
        rule: how labels are read; None = as those of the collection say.
    Raises:
        UnsupportedModelError: the model predicts nothing for these rows.
    """
    labels = collection.labels(range(len(readings))) or [""] * len(readings)
    return _read(Rows(model_name, readings, labels, collection.distinct_labels(), rule), kind)


def _read(rows: Rows, kind: Kind | None) -> Results:
    """The results of rows; `kind` is that of the rows before."""
    kind = kind or kind_of(rows.readings)
    if kind is None:
        raise UnsupportedModelError(
            f"{rows.model_name} predicts nothing for these texts: it has no head that reads them."
        )
    return KINDS[kind].read(rows)
