"""Print an atlas, in words or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from encoder.atlas.build import ABOUT
from encoder.atlas.tables import read_table
from encoder.errors import AtlasError


def read_about(folder: Path) -> dict[str, Any]:
    """The description of an atlas.

    Raises:
        AtlasError: the folder holds no finished atlas.
    """
    try:
        about: dict[str, Any] = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise AtlasError(f"{folder} holds no finished atlas: continue with build --resume.") from error
    except (OSError, ValueError) as error:
        raise AtlasError(f"{folder / ABOUT} is damaged: continue with build --resume.") from error
    return about


def read_atlas(folder: Path) -> dict[str, Any]:
    """The description of an atlas, with `relations`, `heads` and `habits` as lists of rows. Raises as `read_about`."""
    tables = ("relations", "heads", "habits")
    return {**read_about(folder), **{name: read_table(folder / f"{name}.parquet").to_pylist() for name in tables}}


def in_words(atlas: dict[str, Any]) -> Iterator[str]:
    """The lines that `show` prints."""
    files = {half: ", ".join(file["name"] for file in of_half) for half, of_half in atlas["files"].items()}
    for half, verb in (("choose", "Chosen"), ("measure", "Measured")):
        yield f"{verb} on {atlas['sentences'][half]:,} sentences of {files[half]}."
    yield f"Model: {atlas['model']} ({atlas['model_checksum'][:12]}…), built {atlas['built']}."
    for reason, count in atlas["skipped"].items():
        yield f"Skipped: {count:,} × {reason}."
    yield ""
    if not atlas["relations"]:
        yield "No relation has 150 examples."
    for row in atlas["relations"]:
        yield _relation(row)
    together = atlas["all_relations"]
    if together is not None:
        yield (
            f"All relations, each by its own head: {together['accuracy']:.3f}, "
            f"best fixed offsets {together['offset_accuracy']:.3f}, n = {together['n']:,}."
        )
        if "mixture_accuracy" in together:
            yield f"All relations by one mixture of heads: {together['mixture_accuracy']:.3f}."
    yield ""
    yield from map(_head, atlas["heads"])


def _relation(row: dict[str, Any]) -> str:
    better = row["accuracy"] - row["offset_accuracy"]
    verdict = "syntactic" if row["syntactic"] else "no better than the offset" if better <= 0 else "slightly better"
    return (
        f"{row['relation']:<14} {row['direction']:<17} L{row['layer']} H{row['head']:<2}  {row['accuracy']:.3f} "
        f"[{row['low']:.3f}, {row['high']:.3f}]  best fixed offset {row['offset']:+d}: {row['offset_accuracy']:.3f}  "
        f"n = {row['n']:,}  {verdict}"
    )


def _head(row: dict[str, Any]) -> str:
    place = f"L{row['layer']} H{row['head']}"
    positional = f"; positional, offset {row['peak_offset']:+d}" if row["positional"] else ""
    if row["habit"] is None:
        return f"{place}: no habit stronger than chance was found{positional}"
    return f"{place}: {row['habit']} {row['mean']:.3f}, uniform {row['chance']:.3f}{positional}"
