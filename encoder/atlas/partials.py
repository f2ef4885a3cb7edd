"""Partial results: a file for every table of every shard, the counts last, so that they tell that a shard is done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from encoder.atlas.counts import Counts, counts_of_table
from encoder.atlas.measuring import ShardResult
from encoder.atlas.sentences import Skipped
from encoder.atlas.shards import Half
from encoder.atlas.tables import about_table, read_table, write_table
from encoder.errors import AtlasError


@dataclass(frozen=True, slots=True)
class Partials:
    """The partial results of a build.

    Attributes:
        folder: where they lie.
        checksum: of the build's plan; a partial result of another one counts as missing.
    """

    folder: Path
    checksum: str

    def path(self, half: Half, index: int, name: str) -> Path:
        return self.folder / f"{half}-{index:06d}.{name}.parquet"

    def has(self, half: Half, index: int) -> bool:
        """Whether a shard has been measured to the end, with files that can be read."""
        try:
            about = about_table(read_table(self.path(half, index, "counts")))
            for name in about["tables"]:
                read_table(self.path(half, index, name))
        except AtlasError:
            return False
        return bool(about["plan"] == self.checksum)

    def write(self, result: ShardResult) -> None:
        """Keep what a shard came to. Raises AtlasError where the disk is full."""
        others = sorted(result.tables.keys() - {"counts"})
        about: dict[str, Any] = {
            "plan": self.checksum,
            "tables": others,
            "sentences": result.sentences,
            "skipped": [asdict(skipped) for skipped in result.skipped],
        }
        for name in (*others, "counts"):
            write_table(self.path(result.half, result.index, name), result.tables[name], about)

    def tables(self, half: Half, shards: int, name: str) -> Iterator[pa.Table]:
        """A half's tables of one name, in the order of their shards; shards without it are passed over."""
        for index in range(shards):
            if name == "counts" or self.path(half, index, name).exists():
                yield read_table(self.path(half, index, name))

    def counts(self, half: Half, shards: int, shape: tuple[int, int]) -> Counts:
        """All counts of a half, added up in the order of its shards."""
        total = Counts.none(*shape)
        for table in self.tables(half, shards, "counts"):
            total.add(counts_of_table(table, *shape))
        return total

    def skipped(self, half: Half, shards: int) -> Iterator[Skipped]:
        """Sentences that the model could not read."""
        for table in self.tables(half, shards, "counts"):
            yield from (Skipped(**row) for row in about_table(table)["skipped"])
