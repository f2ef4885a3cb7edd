"""Run a model over a table of any size, in shards that any engine can take, and write the results as Parquet.

An interrupted run continues: every shard is a file of its own until all are there. The results of a shard have the same
bits on every engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import torch
from tqdm import tqdm

from encoder.atlas.plan import Plan, checksum_of, fingerprint, model_checksum, start
from encoder.atlas.tables import about_table, read_table, write_parts, write_table
from encoder.catalogue import load
from encoder.collection.files import UNBOUNDED, open_collection, read_file
from encoder.collection.kinds import KINDS
from encoder.collection.kinds.base import WholeText
from encoder.collection.names import What
from encoder.collection.results import seconds_of_rows
from encoder.collection.row_labels import LabelClasses, rule_in_words
from encoder.collection.row_tables import RESULTS, RESULTS_SCHEMA, Shard, ShardPlan
from encoder.collection.search import how_vectors_are_made
from encoder.collection.table import Collection, quoted
from encoder.engines.local import Engine
from encoder.errors import AtlasError
from encoder.models.base import Backend

PARTS: Final = "parts"
OF_ROWS: Final[tuple[What, ...]] = ("predictions", "vectors")  # tables with a row for each that is read
FILE_ROW: Final = "row of the file"
PASSES_OF_WORDS: Final = 3  # forward passes that take as long as the words of a row
TIMED_PASSES: Final = 2_000  # of shorter runs the time is not estimated


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What a worker computes.

    Attributes:
        model, device: as `encoder.load` takes them.
    """

    model: str
    shards: ShardPlan
    device: str | None = None


@dataclass(frozen=True, slots=True)
class ShardTables:
    """The results of a shard, by what they are."""

    index: int
    tables: dict[What, pa.Table]


class RowWorker:
    """One model in one process, on one thread."""

    def __init__(self, job: Job) -> None:
        torch.set_num_threads(1)
        self.job = job
        self.backend = load(job.model, device=job.device)

    def measure(self, shard: Shard) -> ShardTables:
        """All tables of a shard."""
        return ShardTables(shard.index, self.job.shards.tables_of(self.backend, shard))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TableRun:
    """A table that is open, and what is computed of it.

    Attributes:
        passes: forward passes that take as long as all tables of a row.
        heads: of the model, if each of them is silenced; else 0.
        seconds: about how long all passes take on one thread; 0 if there are few.
        plan: everything that determines the results.
    """

    path: Path
    collection: Collection
    job: Job
    passes: int
    heads: int
    seconds: float
    plan: Plan

    @property
    def labels_in_words(self) -> str:
        """How the labels are read, and which are not; "" where all are read by name, or where none is compared."""
        written = self.job.shards.format
        if written is None or self.collection.label is None:
            return ""
        labels, rule = self.collection.distinct_labels(), written.label_rule
        said, kind = rule_in_words(rule, labels, written.labels), KINDS[written.kind]
        if rule != "refused" and issubclass(kind, WholeText):
            unknown = kind.compared(labels, labels, written.labels, rule)["unknown_labels"]
            said += f" Labels that the model does not have: {quoted([*unknown])}." if unknown else ""
        return said.strip()


@dataclass(frozen=True, slots=True)
class RemainingShards:
    """The shards that remain to be measured.

    Pickled, they are the file's path: the machines of a cluster read the file themselves.
    """

    path: Path
    collection: Collection
    shards: ShardPlan
    done: frozenset[int]

    def __iter__(self) -> Iterator[Shard]:
        return self.shards.cut(self.collection, self.done)

    def __reduce__(self) -> tuple[Any, ...]:
        about = self.collection
        columns = about.text, about.text_b, about.label
        return _reopen, (self.path, *columns, dict(about.label_classes), self.shards, self.done)


def _reopen(
    path: Path,
    text: str,
    text_b: str | None,
    label: str | None,
    label_classes: dict[str, str],
    shards: ShardPlan,
    done: frozenset[int],
) -> RemainingShards:
    table = read_file(path, bounds=UNBOUNDED).table
    found = Collection.of(path.name, table, text=text, text_b=text_b, label=label)
    return RemainingShards(path, replace(found, label_classes=label_classes), shards, done)


def prepare(
    path: Path,
    model: str,
    what: Sequence[What],
    *,
    text: str | None = None,
    text_b: str | None = None,
    label: str | None = None,
    labels: LabelClasses | None = None,
    device: str | None = None,
) -> TableRun:
    """Open a table and load a model, and run it on the first rows.

    Args:
        model, device: as `encoder.load` takes them.
        text, text_b, label, labels: as for `open_collection`.
    Raises:
        DataError: the file is missing or broken, or has no such column or label.
        ModelError: the model cannot be loaded.
        UnsupportedModelError: it has no such results.
    """
    collection = open_collection(path, text=text, text_b=text_b, label=label, labels=labels)
    backend = load(model, device=device)
    shards = ShardPlan.of(backend, collection, what)
    heads = backend.num_layers * backend.num_heads if "heads" in what else 0
    passes = 1 + PASSES_OF_WORDS * ("words" in what) + heads
    is_long = passes * len(collection) >= TIMED_PASSES
    return TableRun(
        path=path,
        collection=collection,
        job=Job(model=model, shards=shards, device=device),
        passes=passes,
        heads=heads,
        seconds=passes * _seconds(backend, collection) if is_long else 0.0,
        plan={
            "schema": RESULTS_SCHEMA,
            "model": model,
            "model_checksum": model_checksum(backend),
            "file": fingerprint(path),
            "what": list(what),
            "shard": shards.size,
            "text": collection.text,
            "text_b": collection.text_b,
            "label": collection.label,
            "labels": dict(collection.label_classes),
            **({"vectors": how_vectors_are_made(backend)} if "vectors" in what else {}),
            **({} if collection.positions is None else {"file_row": collection.unused_name(FILE_ROW)}),
            "format": None if shards.format is None else shards.format.as_json(),
        },
    )


def _seconds(model: Backend, collection: Collection) -> float:
    """As `seconds_of_rows`, on one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return seconds_of_rows(model, collection)
    finally:
        torch.set_num_threads(threads)


def run_texts(run: TableRun, folder: Path, engine: AbstractContextManager[Engine]) -> list[Path]:
    """Run a model over the rows of a table, and write a Parquet table of each kind. Continues what is there.

    Args:
        engine: started with `RowWorker` and the job of the run.
    Returns:
        The files.
    Raises:
        AtlasError: the folder holds something else, or the disk is full.
        InputError: a row cannot be read.
    """
    shards, what, rows = run.job.shards, run.job.shards.what, len(run.collection)
    start(folder, run.plan, resume=True, what=RESULTS)
    parts, checksum, count = folder / PARTS, checksum_of(run.plan), shards.count(rows)
    parts.mkdir(exist_ok=True)
    done = frozenset(index for index in range(count) if _is_done(parts, index, what, checksum))
    before = sum(min(shards.size, rows - index * shards.size) for index in done)
    with tqdm(total=rows, initial=before, desc="rows", unit=" rows", disable=None) as progress:
        if len(done) < count:
            with engine as measure:
                for result in measure(RemainingShards(run.path, run.collection, shards, done)):
                    for name, table in result.tables.items():
                        numbered = _with_file_rows(table, run, result.index * shards.size) if name in OF_ROWS else table
                        write_table(_part(parts, result.index, name), numbered, {"plan": checksum})
                    progress.update(min(shards.size, rows - result.index * shards.size))
    return [_join(parts, count, name, folder, run.plan) for name in what]


def _with_file_rows(table: pa.Table, run: TableRun, first: int) -> pa.Table:
    """A table of rows with their numbers in the file, from 1, if these are others because rows are left out."""
    if (name := run.plan.get("file_row")) is None:
        return table
    numbers = run.collection.numbers(range(first, first + table.num_rows)) + 1
    return table.append_column(name, pa.array(numbers))


def _join(parts: Path, count: int, what: What, folder: Path, plan: Plan) -> Path:
    """Write one table from those of all shards."""
    tables = (read_table(_part(parts, index, what)) for index in range(count))
    schema = read_table(_part(parts, 0, what)).schema
    path = folder / f"{what}.parquet"
    write_parts(path, tables, schema, {"model": plan["model"], "model_checksum": plan["model_checksum"]})
    return path


def _part(parts: Path, index: int, what: What) -> Path:
    return parts / f"{index:06d}.{what}.parquet"


def _is_done(parts: Path, index: int, what: Sequence[What], checksum: str) -> bool:
    """Whether all tables of a shard are there, and belong to this plan."""
    try:
        return all(about_table(read_table(_part(parts, index, name), columns=[]))["plan"] == checksum for name in what)
    except AtlasError:
        return False
