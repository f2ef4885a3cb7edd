"""Read the rows of a table with a model, row by row while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from encoder.collection.kinds import KINDS, kind_of
from encoder.collection.kinds.base import Kind, Results, Rows, joined
from encoder.collection.row_labels import LabelRule
from encoder.collection.table import Collection
from encoder.errors import UnsupportedModelError
from encoder.progress import Progress, no_progress

if TYPE_CHECKING:  # torch, which a page of these numbers does not need
    from encoder.models.base import Backend, Reading

FIRST_ROWS: Final = 32  # are read first, so that a page can show them
ROWS_AT_ONCE: Final = 1_024  # sorted by length together: more are padded less


@dataclass(slots=True, kw_only=True)
class GrowingResults:
    """The results of a collection while it is read; `so_far` may be called from another thread.

    Attributes:
        collection: whose rows are read.
        parts: those of its first rows.
    """

    collection: Collection
    model_name: str
    parts: list[Results] = field(default_factory=list)

    @property
    def done(self) -> int:
        """The rows that are read."""
        return sum(map(len, self.parts))

    def so_far(self, most: int | None = None) -> Results | None:
        """The results of the rows that are read, or of about the first `most` of them; None before the first."""
        parts: list[Results] = []
        for part in list(self.parts):
            if most is not None and sum(map(len, parts)) >= most:
                break
            parts.append(part)
        return joined(parts, self.model_name) if parts else None

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
    total, distinct = len(collection), collection.distinct_labels()
    while (done := into.done) < total:
        progress(done, total)
        rows = range(done, min(done + (ROWS_AT_ONCE if done else FIRST_ROWS), total))
        texts, labels = collection.texts(rows), collection.labels(rows) or [""] * len(rows)
        kind = into.parts[0].kind if into.parts else None
        readings = list(model.readings(texts, batch_size=ROWS_AT_ONCE))
        into.parts.append(_read(Rows(model.name, readings, labels, distinct), kind))
    progress(total, total)
    return joined(into.parts, into.model_name)


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
