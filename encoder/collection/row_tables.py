"""A model's output for every row of a collection, as tables: predictions, words, heads and vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, Self

import numpy as np
import pyarrow as pa

from encoder.collection.driving_heads import silence_heads
from encoder.collection.driving_words import require_whole_text, targets_of, values_of_words
from encoder.collection.kinds import KINDS
from encoder.collection.kinds.base import Answered, Kind, Results, WholeText
from encoder.collection.kinds.scores import Score, are_yes_or_no
from encoder.collection.names import What
from encoder.collection.results import FIRST_ROWS, results_of
from encoder.collection.row_labels import LabelRule
from encoder.collection.search import check_documents, documents_of
from encoder.collection.table import Collection
from encoder.models.base import Backend, Reading
from encoder.models.pooling import check_pooling
from encoder.text.readings import CUT_OFF, NO_KNOWN_WORD, Unread

RESULTS: Final = "results"  # what a folder holds, in messages
RESULTS_SCHEMA: Final = 6  # version of the plan of a folder, and of its tables
SHARD: Final = 1_024  # rows
SHARD_WITH_HEADS: Final = 128  # each of its rows is read once for every head


class PredictionFormat(NamedTuple):
    """What all rows of a table of predictions share; with it the table is read as results again.

    Attributes:
        kind, labels, trained, note, yes_or_no, label_rule: as in `Results`.
        columns: the names of the columns of results, by their usual names: a table may have such a column itself.
    """

    kind: Kind
    labels: tuple[str, ...]
    trained: bool
    note: str
    yes_or_no: bool | None
    columns: dict[str, str]
    label_rule: LabelRule = "names"

    @classmethod
    def of(cls, collection: Collection, first: Results) -> Self:
        """That of a collection, by the results of its first rows."""
        yes_or_no = are_yes_or_no(collection.labels() or ()) if isinstance(first, Score) else None
        columns = {name: collection.unused_name(name) for name in _columns_of(collection, first)}
        rule = first.with_labels([""] * len(first), collection.distinct_labels()).label_rule
        return cls(first.kind, first.labels, first.trained, first.note, yes_or_no, columns, rule)

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Self:
        """The format that `as_json` has written."""
        return cls(**found | {"labels": tuple(found["labels"])})

    def as_json(self) -> dict[str, Any]:
        """Plain values, with lists for tuples."""
        return self._asdict() | {"labels": list(self.labels)}


@dataclass(frozen=True, slots=True)
class Shard:
    """Consecutive rows of a collection.

    Attributes:
        index: of the shard.
        first: index of its first row in the collection.
    """

    index: int
    first: int
    rows: Collection


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardPlan:
    """How a collection is cut into shards, and what all of them share.

    Attributes:
        size: rows of a shard.
        format: of the predictions; None where the tables need none.
    """

    what: tuple[What, ...]
    size: int
    format: PredictionFormat | None = None

    @classmethod
    def of(cls, model: Backend, collection: Collection, what: Sequence[What]) -> Self:
        """Read the first rows, whose kind of results is that of all.

        Raises:
            UnsupportedModelError: the model has no such results for these rows.
            DataError: a text that needs a vector is blank.
        """
        if "vectors" in what:
            check_pooling(model.pooling.no_vector)
            check_documents(collection)
        shards = cls(what=tuple(what), size=SHARD_WITH_HEADS if "heads" in what else SHARD)
        if set(what) <= {"vectors"}:
            return shards
        first = collection.select(range(min(FIRST_ROWS, len(collection))))
        results = results_of(first, model.name, list(model.readings(first.texts())))
        if {"words", "heads"} & set(what):
            require_whole_text(results)
        return replace(shards, format=PredictionFormat.of(collection, results))

    def count(self, rows: int) -> int:
        """The number of shards of a collection of that many rows."""
        return -(-rows // self.size)

    def cut(self, collection: Collection, done: frozenset[int] = frozenset()) -> Iterator[Shard]:
        """The shards that are not done. The rows are copied: a slice of a table is sent with the whole table."""
        for index in range(self.count(len(collection))):
            if index not in done:
                first = index * self.size
                rows = range(first, min(first + self.size, len(collection)))
                yield Shard(index, first, collection.select(rows))

    def tables_of(self, model: Backend, shard: Shard) -> dict[What, pa.Table]:
        """The tables of a shard. Raises as `Backend.readings`."""
        rows = shard.rows
        reads_rows = self.format is not None or rows.text_b is None
        readings = list(model.readings(rows.texts())) if reads_rows else []
        tables: dict[What, pa.Table] = {}
        if "vectors" in self.what:
            tables["vectors"] = _vectors(model, rows, readings)
        if self.format is not None:
            results = results_of(rows, model.name, readings, kind=self.format.kind, rule=self.format.label_rule)
            results = _compared(results, self.format)
            if "predictions" in self.what:
                tables["predictions"] = predictions_of(rows, results, self.format)
            if "words" in self.what:
                tables["words"] = _words(model, rows, require_whole_text(results), shard.first)
            if "heads" in self.what:
                tables["heads"] = _heads(model, rows, results, shard.first)
        return tables


def table_of(model: Backend, collection: Collection, what: What) -> pa.Table:
    """One table of all rows, equal to the one that `headlight texts run` writes.

    Raises:
        UnsupportedModelError: the model has no such results.
        InputError: a row cannot be read.
    """
    shards = ShardPlan.of(model, collection, [what])
    return pa.concat_tables(shards.tables_of(model, shard)[what] for shard in shards.cut(collection))


def _columns_of(collection: Collection, results: Results) -> dict[str, Any]:
    """The columns of results; also how right an answer is, where it is none of the model's classes."""
    columns = results.columns(with_loss=collection.label is not None)
    return columns | results.verdicts if isinstance(results, Answered) else columns


def predictions_of(collection: Collection, results: Results, written: PredictionFormat) -> pa.Table:
    """The columns of the collection, and the model's prediction for every row."""
    table = collection.table
    for name, values in _columns_of(collection, results).items():
        table = table.append_column(written.columns[name], pa.array(values))
    return table


def results_of_table(table: pa.Table, written: PredictionFormat, model_name: str, labels: Sequence[str]) -> Results:
    """The results in the columns of a table of predictions; logits follow from its probabilities, in float32.

    Args:
        labels: of the rows; "" where there is none.
    """
    columns = {name: table.column(place) for name, place in written.columns.items()}
    results = KINDS[written.kind].from_columns(
        columns,
        labels,
        model_name=model_name,
        labels=written.labels,
        lengths=columns["tokens"].to_numpy(),
        truncated=columns[CUT_OFF].to_numpy(),
        unread=columns[NO_KNOWN_WORD].to_numpy(),
        trained=written.trained,
        note=written.note,
        label_rule=written.label_rule,
    )
    return _compared(results, written)


def _compared(results: Results, written: PredictionFormat) -> Results:
    """The results of some rows, compared with yes and no if all rows are."""
    return replace(results, yes_or_no=written.yes_or_no) if isinstance(results, Score) else results


def _words(model: Backend, collection: Collection, results: WholeText, first: int) -> pa.Table:
    """What each word of a row adds to the class that is predicted, in log odds; a row for each word."""
    rows = np.arange(len(collection))
    targets = targets_of(results, rows, None)
    row: list[int] = []
    position: list[int] = []
    word: list[str] = []
    value: list[float] = []
    for place, (tokens, of_words) in enumerate(values_of_words(model, collection, results, rows, targets)):
        row += [first + place] * len(of_words)
        position += of_words
        word += [tokens.words[index] for index in of_words]
        value += of_words.values()
    classes = [results.labels[targets[place - first]] for place in row]
    return pa.table(
        {
            "row": pa.array(row, pa.int64()),
            "position": pa.array(position, pa.int32()),
            "word": pa.array(word, pa.string()),
            "adds": pa.array(value, pa.float32()),
            "class": pa.array(classes, pa.string()),
        }
    )


def _heads(model: Backend, collection: Collection, results: Results, first: int) -> pa.Table:
    """What silencing each head changes in each row; a row for each row and head."""
    found = silence_heads(model, collection, results)
    row = np.broadcast_to(np.arange(len(collection))[:, None, None], (len(collection), *found.shifts.shape[:2]))
    _, layer, head = np.indices(row.shape, np.int16)
    columns = {
        "change": found.shifts,
        "flips": found.flipped,
        "becomes_right": found.repaired,
        "becomes_wrong": found.broken,
    }
    return pa.table(
        {
            "row": pa.array(first + row.ravel(), pa.int64()),
            "layer": pa.array(layer.ravel()),
            "head": pa.array(head.ravel()),
            **{name: pa.array(np.moveaxis(values, -1, 0).ravel()) for name, values in columns.items()},
        }
    )


def _vectors(model: Backend, collection: Collection, readings: Sequence[Reading]) -> pa.Table:
    """The texts that *Search* ranks (of pairs the second ones), their vectors as it reads them, and what is unread."""
    column, reader = documents_of(collection), model.for_role("document")
    if collection.text_b is not None or reader is not model:
        readings = list(reader.readings(collection.column(column)))
    vectors = np.stack([reading.vector for reading in readings if reading.vector is not None])  # (N, D)
    rows = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel(), pa.float32()), vectors.shape[1])
    texts, unread = replace(collection, table=collection.table.select([column])), Unread()
    for reading in readings:
        unread.note(reading.tokens)
    found = {texts.unused_name(name): values for name, values in ({"vector": rows} | unread.columns).items()}
    return pa.table({column: texts.table.column(column)} | found)
