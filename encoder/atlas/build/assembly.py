"""Build an atlas: measure the choosing half, choose, measure the other half, and write the tables; or merge several.

Every table of a shard is a file of its own, a partial result. The counts are written last: their file marks a shard as
done.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice, permutations
from pathlib import Path
from typing import Any

import pyarrow as pa
from tqdm import tqdm

from encoder.atlas.build.claims import (
    FEWEST,
    all_relations,
    choose,
    habit_rows,
    head_relation_rows,
    head_rows,
    relation_rows,
)
from encoder.atlas.build.corpus import Skipped
from encoder.atlas.build.counts import Counts, counts_of_table, counts_to_table
from encoder.atlas.build.distribution import DISTRIBUTION, combine_distributions
from encoder.atlas.build.examples import keep_best
from encoder.atlas.build.measuring import BATCH_TOKENS, Setting, ShardResult
from encoder.atlas.build.reduction import check_readable
from encoder.atlas.build.search_tables import renumbered
from encoder.atlas.build.shards import HALVES, Half, Scan, Shards, Source, scan
from encoder.atlas.build.together import SENTENCES, Associations, PairLooks
from encoder.atlas.names import TOGETHER
from encoder.atlas.plan import (
    ABOUT,
    Plan,
    check_disjoint,
    check_distinct,
    checksum_of,
    fingerprint,
    model_checksum,
    read_atlas,
    read_plan,
    start,
)
from encoder.atlas.tables import (
    EXAMPLES,
    HABITS,
    HEAD_RELATIONS,
    HEADS,
    RELATIONS,
    SCHEMA,
    SKIPPED,
    TEXTS,
    about_table,
    looks_schema,
    read_table,
    table_of,
    write_bytes,
    write_parts,
    write_table,
)
from encoder.catalogue import load
from encoder.engines.local import Engine
from encoder.errors import AtlasError
from encoder.models.base import Backend
from encoder.models.device import device_of

PARTS = "parts"
# Settings that must agree for counts to be added.
SHARED = ("model_checksum", "layers", "heads", "most_words", "pairs")
PartsOf = Callable[[str], Iterable[pa.Table]]  # the parts of a table, by its name


def _make_plan(backend: Backend, setting: Setting, source: Source) -> Plan:
    """Everything that determines the numbers. Raises DataError if a file cannot be read, and as the checks below."""
    files = {half: [fingerprint(path) for path in source.files(half)] for half in HALVES}
    for half in HALVES:
        check_distinct(files[half])
    if not source.split:
        check_disjoint(files["choose"], files["measure"])
    return {
        "schema": SCHEMA,
        "model": setting.model,
        "model_checksum": model_checksum(backend),
        "layers": backend.num_layers,
        "heads": backend.num_heads,
        "device": device_of(backend.modules[0]).type,
        "files": files,
        "split": source.split,
        "most_words": source.most_words,
        "pairs": source.pairs,
        "limit": source.limit,
        **({} if source.column is None else {"column": source.column}),
        "shard": source.shard,
        "batch_tokens": BATCH_TOKENS,
        "batch_sentences": setting.batch_sentences,
    }


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
    plan = _make_plan(backend, setting, source)
    found = scan(source)
    for half in HALVES:
        if not found.sentences[half]:
            raise AtlasError(f"There is no sentence to {half}: give more text.")
    start(folder, plan, resume=resume)
    partials = Partials(folder / PARTS, checksum_of(plan), source.shard)
    partials.folder.mkdir(exist_ok=True)
    shape = plan["layers"], plan["heads"]
    shards = {half: found.shards(half, source.shard) for half in HALVES}
    with engine as measure:
        _measure_half(measure, partials, Shards(source=source, half="choose"), found)
        choosing = partials.counts("choose", shards["choose"], shape)
        associations = Associations(partials.first("choose", shards["choose"], "sentences"))
        partials.pair_looks("choose", shards["choose"], associations, shape).count(choosing)
        # Enough examples that about FEWEST can be expected of the same relation in the other half.
        fewest = math.ceil(FEWEST * found.sentences["choose"] / found.sentences["measure"])
        chosen = choose(choosing, fewest=fewest)
        _measure_half(measure, partials, Shards(source=source, half="measure", chosen=chosen), found)
    for half in HALVES:
        for skipped in partials.skipped(half, shards[half]):
            found.skip(skipped)
    measuring = partials.counts("measure", shards["measure"], shape)
    looks = partials.pair_looks("measure", shards["measure"], associations, shape)
    looks.count(measuring)
    halves: dict[Half, Counts] = {"choose": choosing, "measure": measuring}
    _write_atlas(folder, plan, halves, found, partial(partials.tables, "measure", shards["measure"]), looks)


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


def merge(folders: Sequence[Path], out: Path) -> None:
    """Merge atlases of one model over several corpora: counts are added, and everything is chosen and measured again.

    The examples of all atlases are pooled. No file may
    be in the same half of two atlases, where it would be counted twice, nor in different halves, where heads would be
    measured on the file that chose them.

    Raises:
        AtlasError: a folder holds no atlas, or the atlases are of different models or share a file or its name.
    """
    plans = [read_plan(folder) for folder in folders]
    for folder, plan in zip(folders, plans, strict=True):
        different = [key for key in SHARED if plan[key] != plans[0][key]]
        if different:
            raise AtlasError(f"{folder} and {folders[0]} differ in {', '.join(different)}: they cannot be merged.")
    atlases = [read_atlas(folder) for folder in folders]
    for half in HALVES:
        check_distinct([file for plan in plans for file in plan["files"][half]])
    for one, other in permutations(plans, 2):
        check_disjoint(one["files"]["choose"], other["files"]["measure"])
    files = {half: [file for plan in plans for file in plan["files"][half]] for half in HALVES}
    plan = plans[0] | {"files": files, "split": all(each["split"] for each in plans)}
    start(out, plan, resume=False)
    found = Scan()
    for folder, atlas in zip(folders, atlases, strict=True):
        found.reasons.update(atlas["skipped"])
        found.named += [Skipped(**row) for row in read_table(folder / "skipped.parquet").to_pylist()]
    shape = plan["layers"], plan["heads"]
    halves = {half: Counts.none(*shape) for half in HALVES}
    for half in HALVES:
        for folder in folders:
            halves[half].add(counts_of_table(read_table(folder / f"counts-{half}.parquet"), *shape))
    _write_atlas(out, plan, halves, found, lambda name: (read_table(folder / f"{name}.parquet") for folder in folders))


def _write_atlas(
    folder: Path,
    plan: Plan,
    halves: dict[Half, Counts],
    found: Scan,
    parts_of: PartsOf,
    pair_looks: PairLooks | None = None,
) -> None:
    """Write the tables that people and searches read, and the counts that they were made from.

    Args:
        pair_looks: for examples of words that go together; None where the parts have them.
    """
    choosing, measuring = halves["choose"], halves["measure"]
    heads = list(head_rows(choosing, measuring))
    examples = keep_best(row for part in parts_of("examples") for row in part.to_pylist())
    for row in heads:
        if pair_looks and row["habit"] == TOGETHER:
            examples += keep_best(pair_looks.examples(row["layer"], row["head"]))
    tables = {
        "habits": table_of(habit_rows(measuring), HABITS),
        "heads": table_of(heads, HEADS),
        "relations": table_of(relation_rows(choosing, measuring), RELATIONS),
        "head-relations": table_of(head_relation_rows(choosing, measuring), HEAD_RELATIONS),
        "skipped": table_of(({"where": line.where, "reason": line.reason} for line in found.named), SKIPPED),
        "examples": table_of(examples, EXAMPLES),
        "distribution": table_of(combine_distributions(parts_of("distribution")), DISTRIBUTION),
        **{f"counts-{half}": counts_to_table(counts) for half, counts in halves.items()},
    }
    for name, table in tables.items():
        write_table(folder / f"{name}.parquet", table, _about(plan))
    write_parts(folder / "sentences.parquet", parts_of("sentences"), TEXTS, _about(plan))
    looks = renumbered(parts_of("looks"), (table.num_rows for table in parts_of("sentences")))
    write_parts(folder / "looks.parquet", looks, looks_schema(*measuring.shape), _about(plan))
    summary = {
        **plan,
        "built": datetime.now(UTC).date().isoformat(),
        "sentences": {half: counts.sentences for half, counts in halves.items()},
        "words": {half: counts.words for half, counts in halves.items()},
        "skipped": dict(found.reasons),
        "all_relations": all_relations(choosing, measuring),
    }
    write_bytes(folder / ABOUT, json.dumps(summary, indent=1, ensure_ascii=False).encode())


def _about(plan: Plan) -> dict[str, str]:
    return {"model": plan["model"], "model_checksum": plan["model_checksum"]}


@dataclass(frozen=True, slots=True)
class Partials:
    """The partial results of a build, in a folder."""

    folder: Path
    checksum: str  # of the build's plan; partial results of another plan count as missing
    shard: int  # sentences

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

    def first(self, half: Half, shards: int, name: str) -> Iterator[pa.Table]:
        """The tables of one name that words that go together are counted in."""
        return islice(self.tables(half, shards, name), math.ceil(SENTENCES / self.shard))

    def pair_looks(self, half: Half, shards: int, associations: Associations, shape: tuple[int, int]) -> PairLooks:
        """How often each head looks at words that go together, in the first sentences of a half."""
        found = PairLooks(associations, *shape, without_own=half == "choose")
        parts = (self.first(half, shards, name) for name in ("sentences", "looks"))
        for sentences, looks in zip(*parts, strict=True):
            found.add(sentences, looks)
        return found

    def skipped(self, half: Half, shards: int) -> Iterator[Skipped]:
        """Sentences that the model could not read."""
        for table in self.tables(half, shards, "counts"):
            yield from (Skipped(**row) for row in about_table(table)["skipped"])
