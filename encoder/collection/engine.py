"""Run a model over a table of any size, in shards that any engine can take, and write the results as Parquet.

An interrupted run continues: every shard is a file of its own until all are there. The results of a shard have the same
bits on every engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

import numpy as np
import pyarrow as pa
import torch
from tqdm import tqdm

from encoder.atlas.plan import Plan, checksum_of, fingerprint, model_checksum, start
from encoder.atlas.tables import SCHEMA, about_table, read_table, write_parts, write_table
from encoder.catalogue import load
from encoder.collection.files import open_collection
from encoder.collection.results import results_of
from encoder.collection.table import Collection
from encoder.engines.local import Engine
from encoder.errors import AtlasError
from encoder.models.base import Reading
from encoder.models.pooling import check_pooling

What = Literal["predictions", "vectors"]
PARTS: Final = "parts"
RESULTS: Final = "results"  # of the folder, in messages
SHARD: Final = 1_024  # rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is computed of which table.

    Attributes:
        model, device: as `encoder.load` takes them.
        what: the tables of results.
        text, text_b, label: columns of the table.
    """

    model: str
    what: tuple[What, ...]
    text: str
    text_b: str | None = None
    label: str | None = None
    device: str | None = None


@dataclass(frozen=True, slots=True)
class RowShard:
    """Consecutive rows of a table."""

    index: int
    rows: pa.Table


@dataclass(frozen=True, slots=True)
class RowResult:
    """The results of a shard, by what they are."""

    index: int
    tables: dict[str, pa.Table]


class RowWorker:
    """One model in one process, on one thread."""

    def __init__(self, job: Job) -> None:
        torch.set_num_threads(1)
        self.job = job
        self.backend = load(job.model, device=job.device)
        if "vectors" in job.what:
            check_pooling(self.backend.pooling.differs)

    def measure(self, shard: RowShard) -> RowResult:
        """Read the rows of a shard once, and make all tables of it. Raises as `read_rows`."""
        job = self.job
        collection = Collection(name=job.model, table=shard.rows, text=job.text, text_b=job.text_b, label=job.label)
        readings = list(self.backend.readings(collection.texts()))
        tables: dict[str, pa.Table] = {what: TABLES[what](collection, self.backend.name, readings) for what in job.what}
        return RowResult(shard.index, tables)


def _predictions(collection: Collection, model_name: str, readings: Sequence[Reading]) -> pa.Table:
    """The columns of the table, and the model's prediction for every row."""
    columns = results_of(collection, model_name, readings).columns()
    table = collection.table
    for name, values in columns.items():
        table = table.append_column(f"{name} (model)" if name in collection.columns else name, pa.array(values))
    return table


def _vectors(collection: Collection, _: str, readings: Sequence[Reading]) -> pa.Table:
    """The texts and their vectors, float32."""
    vectors = np.stack([reading.vector for reading in readings if reading.vector is not None])  # (N, D)
    rows = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel(), pa.float32()), vectors.shape[1])
    return pa.table({collection.text: collection.table.column(collection.text), "vector": rows})


TABLES: Final = {"predictions": _predictions, "vectors": _vectors}


@dataclass(frozen=True)
class RowShards:
    """The shards of a file that remain to be measured; iterating reads the file."""

    path: Path
    job: Job
    done: frozenset[int] = frozenset()

    @cached_property
    def collection(self) -> Collection:
        """The rows of the file that have a text. Raises DataError."""
        return open_collection(self.path, text=self.job.text, text_b=self.job.text_b, label=self.job.label)

    @property
    def count(self) -> int:
        """The number of all shards."""
        return -(-len(self.collection) // SHARD)

    def __iter__(self) -> Iterator[RowShard]:
        table = self.collection.table
        for index in range(self.count):
            if index not in self.done:
                yield RowShard(index, table.slice(index * SHARD, SHARD))


def run_texts(path: Path, job: Job, folder: Path, engine: AbstractContextManager[Engine]) -> list[Path]:
    """Run a model over the rows of a file, and write a Parquet table of each kind of result. Continues what is there.

    Args:
        engine: started with `RowWorker` and this job.
    Returns:
        The files.
    Raises:
        DataError: the file is missing or broken, or has no such column.
        AtlasError: the folder holds something else, or the disk is full.
        ModelError: the model cannot be loaded.
        UnsupportedModelError: it has no such results.
    """
    shards = RowShards(path, job)
    rows = len(shards.collection)
    plan = _plan(path, job)
    start(folder, plan, resume=True, what=RESULTS)
    parts, checksum = folder / PARTS, checksum_of(plan)
    parts.mkdir(exist_ok=True)
    done = frozenset(index for index in range(shards.count) if _is_done(parts, index, job, checksum))
    before = sum(min(SHARD, rows - index * SHARD) for index in done)
    with tqdm(total=rows, initial=before, desc="rows", unit=" rows", disable=None) as progress:
        if len(done) < shards.count:
            with engine as measure:
                for result in measure(RowShards(path, job, done)):
                    for what, table in result.tables.items():
                        write_table(_part(parts, result.index, what), table, {"plan": checksum})
                    progress.update(len(result.tables[job.what[0]]))
    files = []
    for what in job.what:
        tables = (read_table(_part(parts, index, what)) for index in range(shards.count))
        schema = read_table(_part(parts, 0, what)).schema
        files.append(folder / f"{what}.parquet")
        write_parts(files[-1], tables, schema, {"model": job.model, "model_checksum": plan["model_checksum"]})
    return files


def _plan(path: Path, job: Job) -> Plan:
    """Everything that determines the results."""
    columns = {"text": job.text, "text_b": job.text_b, "label": job.label}
    return {
        "schema": SCHEMA,
        "model": job.model,
        "model_checksum": model_checksum(load(job.model, device=job.device)),
        "file": fingerprint(path),
        "what": list(job.what),
        "shard": SHARD,
        **columns,
    }


def _part(parts: Path, index: int, what: str) -> Path:
    return parts / f"{index:06d}.{what}.parquet"


def _is_done(parts: Path, index: int, job: Job, checksum: str) -> bool:
    """Whether all tables of a shard are there, and belong to this plan."""
    try:
        return all(about_table(read_table(_part(parts, index, what)))["plan"] == checksum for what in job.what)
    except AtlasError:
        return False
