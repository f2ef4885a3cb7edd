"""Merge atlases of one model: their counts are added, and everything is chosen and measured again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING

from encoder.atlas.build import combine_details, write_atlas, write_searched
from encoder.atlas.counts import Counts, counts_of_table
from encoder.atlas.plan import Plan, check_apart, check_half, read_plan, start
from encoder.atlas.sentences import Skipped
from encoder.atlas.shards import HALVES, Scan
from encoder.atlas.show import read_atlas
from encoder.atlas.tables import read_table
from encoder.errors import AtlasError

if TYPE_CHECKING:
    import pyarrow as pa

# Settings that must agree for counts to be added.
SHARED = ("model_checksum", "layers", "heads", "most_words", "pairs")


def merge(folders: Sequence[Path], out: Path) -> None:
    """Merge atlases of one model over several corpora.

    The examples of all atlases are pooled; the accuracy of the mixture is that of each atlas's own mixture. No file may
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
    plan = dict(plans[0])
    plan["files"] = {half: [file for each in plans for file in each["files"][half]] for half in HALVES}
    _check_files(plans)
    plan["split"] = all(each["split"] for each in plans)
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

    def of_name(name: str) -> Iterator[pa.Table]:
        return (read_table(folder / f"{name}.parquet") for folder in folders)

    write_atlas(out, plan, halves, found, combine_details(of_name))
    write_searched(out, plan, of_name)


def _check_files(plans: Sequence[Plan]) -> None:
    """Refuse files that two atlases share; each atlas alone was checked when it was built."""
    for half in HALVES:
        check_half([file for plan in plans for file in plan["files"][half]])
    for one, other in permutations(plans, 2):
        check_apart(one["files"]["choose"], other["files"]["measure"])
