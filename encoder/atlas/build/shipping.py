"""Write the parts of an atlas that the app reads: tables, and a file with the cards of all heads."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from encoder.atlas.build.distribution import quantiles
from encoder.atlas.names import TOGETHER, Target
from encoder.atlas.plan import ABOUT, check_same_weights, read_about, read_atlas
from encoder.atlas.reader import CARDS, FORMAT, STEPS, Row
from encoder.atlas.records import Card, Habit, Relation, Silencing
from encoder.atlas.tables import HABITS_BY_STEP, read_table, table_of, write_bytes, write_table
from encoder.catalogue import load
from encoder.errors import AtlasError
from encoder.offers import ModelName
from encoder.shipped.bundled import attention_fingerprint
from encoder.shipped.names import steps as trained_steps

TABLES = ("habits", "heads", "relations", "head-relations", "examples", "sentences", "looks")
NO_FILE_NAME = re.compile(r"[^\w.-]+")  # in the name of a folder or of a model of the hub
PAIRS = 3  # examples of a card
SILENCING = "silencing.parquet"  # present if `encoder.evaluation.silencing` added it


def ship(
    atlas: Path, out: Path, *, chosen_on: str, measured_on: str, credit: str = "", steps: Sequence[Path] = ()
) -> None:
    """Write the parts of an atlas that the app reads to a folder named after the model.

    Args:
        atlas: the folder that `build` wrote.
        out: parent of the new folder.
        chosen_on, measured_on: the usual names of its corpora.
        credit: who made the sentences, and their licence, as shown on the page.
        steps: atlases of the same model at earlier training steps, measured on the same files; the page compares their
            habits.
    Raises:
        AtlasError: it was built from pairs, or the model's weights have changed; or a step's atlas is of another corpus
            or of no training step.
    """
    about = read_atlas(atlas)
    name = about["model"]
    if about["pairs"]:
        raise AtlasError(f"{atlas} was built from pairs of sentences: an example has one sentence.")
    check_same_weights(atlas, about["model_checksum"], load(name))
    weights = attention_fingerprint(name) or about["model_checksum"]
    folder = out / folder_name(name)
    folder.mkdir(parents=True, exist_ok=True)
    for table in TABLES:
        shutil.copyfile(atlas / f"{table}.parquet", folder / f"{table}.parquet")
    if (atlas / SILENCING).exists():
        shutil.copyfile(atlas / SILENCING, folder / SILENCING)
    if steps:
        rows = [row for path in (*steps, atlas) for row in _habits_of_step(path, about)]
        table = table_of(sorted(rows, key=lambda row: row["step"]), HABITS_BY_STEP)
        write_table(folder / STEPS, table, {key: about[key] for key in ("model", "model_checksum")})
    shutil.copyfile(atlas / ABOUT, folder / ABOUT)
    cards = {
        "format": FORMAT,
        "weights": weights,
        "chosen_on": chosen_on,
        "measured_on": measured_on,
        "sentences": about["sentences"]["measure"],
        "built": about["built"],
        "credit": credit,
        "cards": [asdict(card) for card in _cards(atlas, about)],
    }
    write_bytes(folder / CARDS, json.dumps(cards, ensure_ascii=False).encode())


def folder_name(model: str) -> str:
    """The name of the folder of a model's atlas."""
    return NO_FILE_NAME.sub("-", model).strip("-.")


def _habits_of_step(folder: Path, about: dict[str, Any]) -> Iterator[Row]:
    """The habits of a training step's atlas, with the step; `about` describes the final atlas. Raises AtlasError."""
    own = read_about(folder)
    name = own["model"]
    if own["files"]["measure"] != about["files"]["measure"]:
        raise AtlasError(f"{folder} was measured on other files than the atlas of {about['model']}.")
    step = ModelName(name).step
    if name != about["model"] and step is None:
        raise AtlasError(f"{folder} is of {name}, which is not a training step.")
    for row in read_table(folder / "habits.parquet").to_pylist():
        if row["habit"] != TOGETHER:  # whose pairs depend on the choosing half
            yield {"step": trained_steps()[-1] if step is None else step, **row}


def _cards(folder: Path, about: dict[str, Any]) -> list[Card]:
    """The card of each head."""
    habits = {(row["layer"], row["head"], row["habit"]): row for row in about["habits"]}
    relations = {
        (row["layer"], row["head"], row["relation"], row["direction"]): row
        for row in read_table(folder / "head-relations.parquet").to_pylist()
    }
    weights = _quantiles(folder)
    pairs = _pairs(folder)
    silenced = _silencing(folder)
    cards = []
    for row in about["heads"]:
        at = row["layer"], row["head"]
        habit = habits[(*at, row["habit"])] if row["habit"] else None
        relation = relations[(*at, row["relation"], row["direction"])] if row["relation"] else None
        shown = (row["relation"], row["direction"]) if row["special"] == "relation" else (row["habit"], None)
        card = Card(
            layer=row["layer"],
            head=row["head"],
            habit=habit and Habit(**_without_head(habit)),
            relation=relation and Relation(**_without_head(relation)),
            baseline=row["baseline"],
            special=row["special"],
            pairs=tuple(pairs.get((*at, *shown), [])[:PAIRS]),
            peak_offset=row["peak_offset"],
            peak_share=row["peak_share"],
            positional=row["positional"],
            quantiles=weights[at],
            silencing=silenced.get(at),
        )
        cards.append(card)
    return cards


def _pairs(folder: Path) -> dict[tuple[Any, ...], list[tuple[str, str]]]:
    """By layer, head, habit or relation, and direction: pairs of words, those at which the head looks hardest first."""
    sentences = read_table(folder / "sentences.parquet", columns=["where", "words"]).to_pylist()
    words = {row["where"]: row["words"] for row in sentences}
    found: dict[tuple[Any, ...], list[tuple[str, str]]] = {}
    for row in read_table(folder / "examples.parquet").to_pylist():
        if row["kind"] == "hardest" and row["key"] >= 0:
            pair = words[row["where"]][row["query"]], words[row["where"]][row["key"]]
            of_head = found.setdefault((row["layer"], row["head"], row["about"], row["direction"]), [])
            if not {word.lower() for word in pair} & {word.lower() for other in of_head for word in other}:
                of_head.append(pair)
    return found


def _quantiles(folder: Path) -> dict[tuple[int, int], dict[Target, tuple[float, ...]]]:
    """By layer and head, and by target; weights have three significant digits."""
    found: dict[tuple[int, int], dict[Target, tuple[float, ...]]] = {}
    for row in read_table(folder / "distribution.parquet").to_pylist():
        of_head = found.setdefault((row["layer"], row["head"]), {})
        weights = quantiles(np.array(row["counts"]))
        if weights is not None:
            of_head[row["target"]] = tuple(float(f"{weight:.3g}") for weight in weights)
    return found


def _silencing(folder: Path) -> dict[tuple[int, int], Silencing]:
    """By layer and head; empty if not measured."""
    if not (folder / SILENCING).exists():
        return {}
    rows = read_table(folder / SILENCING).to_pylist()
    return {
        (row["layer"], row["head"]): Silencing(
            **_without_head(row),
            larger_than=sum(other["shift"] < row["shift"] for other in rows),
            others=len(rows) - 1,
        )
        for row in rows
    }


def _without_head(row: Row) -> Row:
    return {name: value for name, value in row.items() if name not in ("layer", "head")}
