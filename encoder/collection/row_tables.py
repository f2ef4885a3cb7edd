"""What a model says of every row of a collection, as tables: predictions, words, heads and vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, Self

import numpy as np
import pyarrow as pa

from encoder.collection.driving_heads import silence_heads
from encoder.collection.driving_words import check_kind, targets_of, values_of_words
from encoder.collection.results import FIRST_ROWS, Kind, Results, are_yes_or_no, results_of
from encoder.collection.table import Collection
from encoder.models.base import Backend, Reading
from encoder.models.pooling import check_pooling

What = Literal["predictions", "words", "heads", "vectors"]
SHARD: Final = 1_024  # rows
SHARD_WITH_HEADS: Final = 128  # each of its rows is read once for every head


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
        kind: of the results, as the first rows have it; None where the tables need none.
        yes_or_no: whether a score is compared with yes and no, by all labels; None for other kinds.
    """

    what: tuple[What, ...]
    size: int
    kind: Kind | None = None
    yes_or_no: bool | None = None

    @classmethod
    def of(cls, model: Backend, collection: Collection, what: Sequence[What]) -> Self:
        """Read the first rows, whose kind of results is that of all.

        Raises:
            UnsupportedModelError: the model has no such results for these rows.
        """
        if "vectors" in what:
            check_pooling(model.pooling.differs)
        shards = cls(what=tuple(what), size=SHARD_WITH_HEADS if "heads" in what else SHARD)
        if set(what) <= {"vectors"}:
            return shards
        first = collection.select(range(min(FIRST_ROWS, len(collection))))
        results = results_of(first, model.name, list(model.readings(first.texts())))
        if {"words", "heads"} & set(what):
            check_kind(results)
        is_score = results.kind == "score"
        yes_or_no = are_yes_or_no(collection.labels() or ()) if is_score else None
        return replace(shards, kind=results.kind, yes_or_no=yes_or_no)

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
        readings = list(model.readings(rows.texts()))
        tables: dict[What, pa.Table] = {}
        if "vectors" in self.what:
            tables["vectors"] = _vectors(rows, readings)
        if self.kind is not None:
            results = results_of(rows, model.name, readings, kind=self.kind)
            results = replace(results, yes_or_no=self.yes_or_no)
            if "predictions" in self.what:
                tables["predictions"] = _predictions(rows, results)
            if "words" in self.what:
                tables["words"] = _words(model, rows, results, shard.first)
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


def _predictions(collection: Collection, results: Results) -> pa.Table:
    """The columns of the collection, and the model's prediction for every row."""
    table = collection.table
    for name, values in results.columns(with_loss=collection.label is not None).items():
        table = table.append_column(collection.unused_name(name), pa.array(values))
    return table


def _words(model: Backend, collection: Collection, results: Results, first: int) -> pa.Table:
    """What each word of a row adds to the class that is predicted, in log odds; a row for each word."""
    rows = np.arange(len(collection))
    targets = targets_of(results, rows, None)
    row: list[int] = []
    position: list[int] = []
    word: list[str] = []
    value: list[float] = []
    for place, (tokens, of_words) in enumerate(values_of_words(model, collection, rows, targets, results.kind)):
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
            "value": pa.array(value, pa.float32()),
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


def _vectors(collection: Collection, readings: Sequence[Reading]) -> pa.Table:
    """The texts and their vectors, float32."""
    vectors = np.stack([reading.vector for reading in readings if reading.vector is not None])  # (N, D)
    rows = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel(), pa.float32()), vectors.shape[1])
    return pa.table({collection.text: collection.table.column(collection.text), "vector": rows})
