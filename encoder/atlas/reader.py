"""Read atlases that `ship` wrote: the cards of all heads at once, everything else lazily.

Needs no torch; DuckDB and pyarrow are imported lazily.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from encoder.atlas.names import BETWEEN_WORDS, CLS_NAME
from encoder.atlas.records import Card, Example, Habit, Relation, Silencing
from encoder.errors import AtlasError
from encoder.shipped.bundled import attention_fingerprint

if TYPE_CHECKING:
    import pyarrow as pa

    from encoder.atlas.database import Database
    from encoder.atlas.finding import Found, Search

SHIPPED = Path(__file__).parents[1] / "shipped" / "atlas"
CARDS, STEPS = "cards.json", "steps.parquet"
FORMAT = 3  # of cards.json

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Atlas:
    """What each head of a model does over a corpus.

    Attributes:
        folder: of its tables.
        chosen_on, measured_on: the corpora on which heads were chosen, and on which everything was measured.
        sentences: how many were measured.
        built: the date, such as "2026-11-22".
        credit: who made the sentences, and their licence; "" if unknown.
        cards: by layer and head.
    """

    folder: Path
    chosen_on: str
    measured_on: str
    sentences: int
    built: str
    credit: str
    cards: Mapping[tuple[int, int], Card]

    def habits(self, layer: int, head: int) -> tuple[Habit, ...]:
        """All habits of a head. Raises AtlasError if the table is damaged, as the following methods do."""
        return tuple(Habit(**row) for row in self._rows("habits", layer, head))

    def habits_by_step(self, layer: int, head: int) -> dict[int, tuple[Habit, ...]]:
        """The habits of a head at each step of the model's training, in order; empty if they are not known."""
        if not (self.folder / STEPS).exists():
            return {}
        found: dict[int, list[Habit]] = {}
        for row in self._rows("steps", layer, head):
            found.setdefault(row.pop("step"), []).append(Habit(**row))
        return {step: tuple(habits) for step, habits in found.items()}

    def relations(self, layer: int, head: int) -> tuple[Relation, ...]:
        """All relations with enough examples, sorted by the head's lead over the best fixed offset."""
        found = [Relation(**row) for row in self._rows("head-relations", layer, head)]
        return tuple(sorted(found, key=lambda one: one.offset_accuracy - one.accuracy))

    def examples(self, layer: int, head: int) -> tuple[Example, ...]:
        """Sentences that show a head, in table order."""
        import pyarrow as pa

        rows = self._rows("examples", layer, head)
        query = 'SELECT "where", name, words, tokens FROM texts WHERE "where" IN (FROM given)'
        wanted = pa.table({"where": pa.array(sorted({row["where"] for row in rows}), pa.string())})
        shown = self._database.table(query, wanted, needs="texts")
        texts = {text["where"]: text for text in shown.to_pylist()}
        return tuple(_example(row, texts[row["where"]]) for row in rows)

    def find(self, search: Search) -> Found:
        """The looks that match a search. Raises AtlasError if a table is damaged or there is no such head."""
        from encoder.atlas.finding import find

        return find(self._database, search)

    def texts(self, rows: Sequence[int]) -> pa.Table:
        """Sentences by their row numbers.

        Returns:
            One row each: `name`, `words` joined by `BETWEEN_WORDS`, and `tokens`.
        Raises:
            AtlasError: the table is damaged.
        """
        import pyarrow as pa

        query = "SELECT name, words, tokens FROM given JOIN texts USING (sentence) ORDER BY place"
        given = pa.table({"place": pa.array(range(len(rows)), pa.int32()), "sentence": pa.array(rows, pa.int32())})
        return self._database.table(query, given, needs="texts")

    def _rows(self, name: str, layer: int, head: int) -> list[Row]:
        return self._database.rows_of_head(name, layer, head)

    @property
    def _database(self) -> Database:
        from encoder.atlas.database import database  # imports DuckDB

        return database(self.folder)


def shipped_atlas(model: str, folder: Path = SHIPPED) -> Atlas | None:
    """The atlas of a model's weights; None if none ships.

    Args:
        model: a name that `encoder.load` takes.
        folder: with one subfolder per atlas.
    Raises:
        AtlasError: it is damaged.
        CheckpointError: the model's weights cannot be read.
    """
    fingerprint = attention_fingerprint(model)
    return None if fingerprint is None else atlas_of_weights(fingerprint, folder)


def atlas_of_weights(weights: str, folder: Path) -> Atlas | None:
    """The atlas of given weights in a folder that `ship` wrote to; None if there is none.

    Args:
        weights: the fingerprint of a model that ships, or `encoder.atlas.plan.model_checksum` of another model.
    Raises:
        AtlasError: there is no such folder, or one of its atlases is damaged.
    """
    if not folder.is_dir():
        raise AtlasError(f"There is no folder {folder} of atlases.")
    return next((atlas for known, atlas in _atlases_in(folder) if known == weights), None)


def _atlases_in(folder: Path) -> tuple[tuple[str, Atlas], ...]:
    """The atlases in a folder, each with the fingerprint of its model's weights."""
    return tuple(_read(path) for path in sorted(folder.glob(f"*/{CARDS}")))


def _read(path: Path) -> tuple[str, Atlas]:
    try:
        about: Row = json.loads(path.read_text(encoding="utf-8"))
        if about["format"] != FORMAT:
            raise AtlasError(f"{path} has format {about['format']!r}; this version reads {FORMAT}. Ship it again.")
        cards = [_card(row) for row in about["cards"]]
        atlas = Atlas(
            folder=path.parent,
            chosen_on=about["chosen_on"],
            measured_on=about["measured_on"],
            sentences=about["sentences"],
            built=about["built"],
            credit=about.get("credit", ""),
            cards={(card.layer, card.head): card for card in cards},
        )
        return about["weights"], atlas
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AtlasError(f"{path} is damaged, or not a file of an atlas: write it again with `ship`.") from error


def _card(row: Row) -> Card:
    habit, relation, silencing = row["habit"], row["relation"], row["silencing"]
    return Card(
        **row
        | {
            "habit": habit and Habit(**habit),
            "relation": relation and Relation(**relation),
            "pairs": tuple((query, key) for query, key in row["pairs"]),
            "quantiles": {target: tuple(weights) for target, weights in row["quantiles"].items()},
            "silencing": silencing and Silencing(**silencing),
        }
    )


def _example(row: Row, text: Row) -> Example:
    *tokens, end = text["tokens"]
    special = 0 if row["about"] == CLS_NAME else end - 1
    return Example(
        about=row["about"],
        direction=row["direction"],
        kind=row["kind"],
        value=row["value"],
        name=text["name"],
        words=tuple(text["words"].split(BETWEEN_WORDS)),
        query=row["query"],
        key=row["key"],
        query_token=tokens[row["query"]],
        key_token=tokens[row["key"]] if row["key"] >= 0 else special,
    )
