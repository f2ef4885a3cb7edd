"""Build an atlas: measure the choosing half, choose, measure the other half, and write the tables.

Every table of a shard is a file of its own, a partial result. The counts are written last, so their file marks a shard
as done.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from tqdm import tqdm

from encoder.atlas.claims import FEWEST, all_relations, relation_rows
from encoder.atlas.counts import Counts, Floats, counts_of_table, counts_to_table
from encoder.atlas.distribution import DISTRIBUTION, combine_distributions
from encoder.atlas.examples import EXAMPLES, keep_best
from encoder.atlas.heads import choose, habit_rows, head_relation_rows, head_rows
from encoder.atlas.likeness import LIKENESS, combine, head_places
from encoder.atlas.local import Engine
from encoder.atlas.measuring import Setting, ShardResult
from encoder.atlas.mixture import learn
from encoder.atlas.names import DIRECTIONS
from encoder.atlas.plan import Plan, checksum_of, make_plan, start
from encoder.atlas.reduction import check_readable
from encoder.atlas.search_tables import TEXTS, renumbered
from encoder.atlas.sentences import Skipped
from encoder.atlas.shards import HALVES, Half, Scan, Shards, Source, scan
from encoder.atlas.tables import (
    HABITS,
    HEAD_RELATIONS,
    HEADS,
    MIXTURE,
    RELATIONS,
    SKIPPED,
    about_table,
    looks_schema,
    read_table,
    table_of,
    write_bytes,
    write_parts,
    write_table,
)
from encoder.catalogue import load
from encoder.errors import AtlasError

if TYPE_CHECKING:
    import pyarrow as pa

PARTS, ABOUT = "parts", "atlas.json"


def build(
    setting: Setting, source: Source, folder: Path, engine: AbstractContextManager[Engine], *, resume: bool = False
) -> None:
    """Build an atlas in a folder.

    Args:
        engine: measures shards; started once files and model have been checked. The numbers do not depend on it.
        resume: continue an interrupted build.
    Raises:
        AtlasError: the folder holds something else, the disk is full, or one half of the corpus is empty.
        DataError: a file of the corpus is missing or damaged.
        ModelError: the model cannot be loaded, or does not return its attention.
    """
    backend = load(setting.model, device=setting.device)
    check_readable(backend)
    plan = make_plan(backend, setting, source)
    found = scan(source)
    for half in HALVES:
        if not found.sentences[half]:
            raise AtlasError(f"There is no sentence to {half}: give more text, or --choose and --measure files.")
    start(folder, plan, resume=resume)
    partials = Partials(folder / PARTS, checksum_of(plan))
    partials.folder.mkdir(exist_ok=True)
    shape = plan["layers"], plan["heads"]
    shards = {half: found.shards(half, source.shard) for half in HALVES}
    with engine as measure:
        _measure_half(measure, partials, Shards(source=source, half="choose"), found)
        choosing = partials.counts("choose", shards["choose"], shape)
        mixture = learn(list(partials.tables("choose", shards["choose"], "learning")), *shape)
        # Enough examples that about FEWEST can be expected of the same relation in the other half.
        fewest = math.ceil(FEWEST * found.sentences["choose"] / found.sentences["measure"])
        chosen = choose(choosing, mixture, fewest=fewest)
        _measure_half(measure, partials, Shards(source=source, half="measure", chosen=chosen), found)
    for half in HALVES:
        for skipped in partials.skipped(half, shards[half]):
            found.skip(skipped)
    halves: dict[Half, Counts] = {
        "choose": choosing,
        "measure": partials.counts("measure", shards["measure"], shape),
    }
    of_measured = partial(partials.tables, "measure", shards["measure"])
    write_atlas(folder, plan, halves, found, combine_details(of_measured))
    write_searched(folder, plan, of_measured)
    write_table(folder / "mixture.parquet", mixture_table(mixture), _about(plan))


def _measure_half(measure: Engine, partials: Partials, shards: Shards, found: Scan) -> None:
    """Measure the shards of a half that have no result yet."""
    half, size, total = shards.half, shards.source.shard, found.sentences[shards.half]
    done = frozenset(index for index in range(found.shards(half, size)) if partials.has(half, index))
    before = sum(min(size, total - index * size) for index in done)
    with tqdm(total=total, initial=before, desc=half, unit=" sentences", disable=None) as progress:
        if before == total:
            return
        for result in measure(replace(shards, done=done)):
            partials.write(result)
            progress.update(result.sentences)


def write_atlas(folder: Path, plan: Plan, halves: dict[Half, Counts], found: Scan, details: Details) -> None:
    """Write the tables that people read, and the counts that they were made from."""
    choosing, measuring = halves["choose"], halves["measure"]
    places = head_places(details.likeness, *measuring.shape)
    tables = {
        "habits": table_of(habit_rows(measuring), HABITS),
        "heads": table_of(head_rows(choosing, measuring, places), HEADS),
        "relations": table_of(relation_rows(choosing, measuring), RELATIONS),
        "head-relations": table_of(head_relation_rows(choosing, measuring), HEAD_RELATIONS),
        "skipped": table_of(({"where": line.where, "reason": line.reason} for line in found.named), SKIPPED),
        **details.tables(),
        **{f"counts-{half}": counts_to_table(counts) for half, counts in halves.items()},
    }
    for name, table in tables.items():
        write_table(folder / f"{name}.parquet", table, _about(plan))
    summary = {
        **plan,
        "built": datetime.now(UTC).date().isoformat(),
        "sentences": {half: counts.sentences for half, counts in halves.items()},
        "words": {half: counts.words for half, counts in halves.items()},
        "skipped": dict(found.reasons),
        "all_relations": all_relations(choosing, measuring),
    }
    write_bytes(folder / ABOUT, json.dumps(summary, indent=1, ensure_ascii=False).encode())


def write_searched(folder: Path, plan: Plan, of_name: Callable[[str], Iterable[pa.Table]]) -> None:
    """Write the sentences of the measuring half, and where each head looks from each of their words.

    Args:
        of_name: the parts of a table, by its name.
    """
    write_parts(folder / "sentences.parquet", of_name("sentences"), TEXTS, _about(plan))
    counts = (table.num_rows for table in of_name("sentences"))
    looks = renumbered(of_name("looks"), counts)
    write_parts(folder / "looks.parquet", looks, looks_schema(plan["layers"], plan["heads"]), _about(plan))


def _about(plan: Plan) -> dict[str, str]:
    return {"model": plan["model"], "model_checksum": plan["model_checksum"]}


class Details(NamedTuple):
    """Examples, the likeness of heads and the distribution of their weights, as rows."""

    examples: list[dict[str, Any]]
    likeness: list[dict[str, Any]]
    distribution: list[dict[str, Any]]

    def tables(self) -> dict[str, pa.Table]:
        """The tables, by the names of their files."""
        return {
            "examples": table_of(self.examples, EXAMPLES),
            "likeness": table_of(self.likeness, LIKENESS),
            "distribution": table_of(self.distribution, DISTRIBUTION),
        }


def combine_details(of_name: Callable[[str], Iterable[pa.Table]]) -> Details:
    """Combine the details of several samples.

    Args:
        of_name: the tables of all samples with a given name.
    """
    return Details(
        examples=keep_best(row for table in of_name("examples") for row in table.to_pylist()),
        likeness=combine(of_name("likeness")),
        distribution=combine_distributions(of_name("distribution")),
    )


def mixture_rows(weights: Floats | None) -> Iterator[dict[str, Any]]:
    """The nonzero weights of a mixture (2, L, H)."""
    if weights is None:
        return
    for direction, layer, head in np.argwhere(weights > 0).tolist():
        at = {"direction": DIRECTIONS[direction], "layer": layer, "head": head}
        yield {**at, "weight": float(weights[direction, layer, head])}


def mixture_table(weights: Floats | None) -> pa.Table:
    """The mixture as a table; empty if there is none."""
    return table_of(mixture_rows(weights), MIXTURE)


@dataclass(frozen=True, slots=True)
class Partials:
    """The partial results of a build.

    Attributes:
        folder: where they are stored.
        checksum: of the build's plan; partial results of another plan count as missing.
    """

    folder: Path
    checksum: str

    def path(self, half: Half, index: int, name: str) -> Path:
        return self.folder / f"{half}-{index:06d}.{name}.parquet"

    def has(self, half: Half, index: int) -> bool:
        """Whether all files of a shard are there and readable."""
        try:
            about = about_table(read_table(self.path(half, index, "counts")))
            for name in about["tables"]:
                read_table(self.path(half, index, name))
        except AtlasError:
            return False
        return bool(about["plan"] == self.checksum)

    def write(self, result: ShardResult) -> None:
        """Store a shard's result. Raises AtlasError if the disk is full."""
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
        """The tables of one name in a half, in the order of their shards; shards without one are left out."""
        for index in range(shards):
            if name == "counts" or self.path(half, index, name).exists():
                yield read_table(self.path(half, index, name))

    def counts(self, half: Half, shards: int, shape: tuple[int, int]) -> Counts:
        """The sum of a half's counts, added in the order of its shards."""
        total = Counts.none(*shape)
        for table in self.tables(half, shards, "counts"):
            total.add(counts_of_table(table, *shape))
        return total

    def skipped(self, half: Half, shards: int) -> Iterator[Skipped]:
        """Sentences that the model could not read."""
        for table in self.tables(half, shards, "counts"):
            yield from (Skipped(**row) for row in about_table(table)["skipped"])
