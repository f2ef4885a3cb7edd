"""What is counted over sentences: sums that can be added across shards, and their table.

Axis letters: L layers, H heads, R relations, O offsets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from encoder.atlas.names import DIRECTIONS, HABITS, OFFSETS
from encoder.atlas.tables import COUNTS, table_of
from encoder.errors import AtlasError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(slots=True)
class RelationCounts:
    """Counts of one relation.

    Attributes:
        right: (2, L, H) how often the most attended word was the right one, by direction.
        n: number of pairs of a dependent and its head.
        offsets: number of pairs by their distance in words, from the dependent to its head.
    """

    right: Ints
    n: int = 0
    offsets: Counter[int] = field(default_factory=Counter)

    def add(self, other: RelationCounts) -> None:
        """Add the other counts."""
        self.right += other.right
        self.n += other.n
        self.offsets.update(other.offsets)


@dataclass(slots=True)
class Counts:
    """Counts over some sentences.

    Attributes:
        sentences, words: how many were measured.
        habit_sentences: (HABITS,) number of sentences for which each habit is defined.
        habit_sums, habit_squares: (L, H, HABITS) sums over these sentences, and sums of squares.
        chance_sums: (HABITS,) the same sums for uniform attention.
        looks: number of words that have another word to look at.
        looks_at: (L, H, O) number of these words that look most at the word at each offset.
        relations: by name.
        mixture_right, mixture_n: how often the mixture of heads found a word's head, by relation; empty without one.
    """

    sentences: int
    words: int
    habit_sentences: Ints
    habit_sums: Floats
    habit_squares: Floats
    chance_sums: Floats
    looks: int
    looks_at: Ints
    relations: dict[str, RelationCounts]
    mixture_right: Counter[str]
    mixture_n: Counter[str]

    @classmethod
    def none(cls, layers: int, heads: int) -> Counts:
        """Counts over no sentence."""
        shape = (layers, heads, len(HABITS))
        return cls(
            sentences=0,
            words=0,
            habit_sentences=np.zeros(len(HABITS), dtype=np.int64),
            habit_sums=np.zeros(shape),
            habit_squares=np.zeros(shape),
            chance_sums=np.zeros(len(HABITS)),
            looks=0,
            looks_at=np.zeros((layers, heads, len(OFFSETS)), dtype=np.int64),
            relations={},
            mixture_right=Counter(),
            mixture_n=Counter(),
        )

    @property
    def shape(self) -> tuple[int, int]:
        """L and H."""
        layers, heads, _ = self.habit_sums.shape
        return layers, heads

    def relation(self, name: str) -> RelationCounts:
        """The counts of a relation, created as zeros if it is new."""
        if name not in self.relations:
            self.relations[name] = RelationCounts(np.zeros((len(DIRECTIONS), *self.shape), dtype=np.int64))
        return self.relations[name]

    def with_groups(self) -> dict[str, RelationCounts]:
        """The relations, plus their sum as "all", and the sums over subtypes as "acl:*"."""
        members: dict[str, list[str]] = {"all": list(self.relations)} if self.relations else {}
        for universal in {name.partition(":")[0] for name in self.relations if ":" in name}:
            members[f"{universal}:*"] = [name for name in self.relations if name.partition(":")[0] == universal]
        grouped = dict(self.relations)
        for group, names in members.items():
            grouped[group] = RelationCounts(np.zeros((len(DIRECTIONS), *self.shape), dtype=np.int64))
            for name in names:
                grouped[group].add(self.relations[name])
        return grouped

    def add(self, other: Counts) -> None:
        """Add the other counts. Float sums depend on the order of these calls."""
        for name in ("sentences", "words", "looks"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("habit_sentences", "habit_sums", "habit_squares", "chance_sums", "looks_at"):
            total: NDArray[Any] = getattr(self, name)
            total += getattr(other, name)
        for relation, counts in other.relations.items():
            self.relation(relation).add(counts)
        self.mixture_right.update(other.mixture_right)
        self.mixture_n.update(other.mixture_n)


Row = dict[str, Any]


def counts_to_table(counts: Counts) -> pa.Table:
    """The counts as a table, one or two numbers per row, in an order that depends on the counts alone."""
    return table_of(_rows(counts), COUNTS)


def _rows(counts: Counts) -> Iterator[Row]:
    for name in ("sentences", "words", "looks"):
        yield {"quantity": "total", "name": name, "n": getattr(counts, name)}
    for index, habit in enumerate(HABITS):
        n = int(counts.habit_sentences[index])
        yield {"quantity": "chance", "name": habit, "n": n, "total": float(counts.chance_sums[index])}
    for layer, head in np.ndindex(*counts.shape):
        at = {"layer": layer, "head": head}
        for index, habit in enumerate(HABITS):
            sums = counts.habit_sums[layer, head, index], counts.habit_squares[layer, head, index]
            yield {"quantity": "habit", "name": habit, **at, "total": float(sums[0]), "squares": float(sums[1])}
        for index, offset in enumerate(OFFSETS):
            yield {"quantity": "look", **at, "offset": offset, "n": int(counts.looks_at[layer, head, index])}
    for relation, of_relation in sorted(counts.relations.items()):
        for offset, n in sorted(of_relation.offsets.items()):
            yield {"quantity": "offset", "name": relation, "offset": offset, "n": n}
        for direction, layer, head in np.ndindex(*of_relation.right.shape):
            right = int(of_relation.right[direction, layer, head])
            at = {"direction": DIRECTIONS[direction], "layer": layer, "head": head}
            yield {"quantity": "relation", "name": relation, **at, "n": of_relation.n, "right": right}
    for relation, n in sorted(counts.mixture_n.items()):
        yield {"quantity": "mixture", "name": relation, "n": n, "right": counts.mixture_right[relation]}


def counts_of_table(table: pa.Table, layers: int, heads: int) -> Counts:
    """The inverse of `counts_to_table`.

    Raises:
        AtlasError: the table does not fit a model of this size.
    """
    counts = Counts.none(layers, heads)
    try:
        for row in table.to_pylist():
            _READERS[row["quantity"]](counts, row)
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise AtlasError(f"These counts are not those of {layers} layers and {heads} heads.") from error
    return counts


def _read_total(counts: Counts, row: Row) -> None:
    setattr(counts, row["name"], row["n"])


def _read_chance(counts: Counts, row: Row) -> None:
    index = HABITS.index(row["name"])
    counts.habit_sentences[index], counts.chance_sums[index] = row["n"], row["total"]


def _read_habit(counts: Counts, row: Row) -> None:
    at = row["layer"], row["head"], HABITS.index(row["name"])
    counts.habit_sums[at], counts.habit_squares[at] = row["total"], row["squares"]


def _read_look(counts: Counts, row: Row) -> None:
    counts.looks_at[row["layer"], row["head"], OFFSETS.index(row["offset"])] = row["n"]


def _read_offset(counts: Counts, row: Row) -> None:
    counts.relation(row["name"]).offsets[row["offset"]] = row["n"]


def _read_relation(counts: Counts, row: Row) -> None:
    of_relation = counts.relation(row["name"])
    of_relation.n = row["n"]
    of_relation.right[DIRECTIONS.index(row["direction"]), row["layer"], row["head"]] = row["right"]


def _read_mixture(counts: Counts, row: Row) -> None:
    counts.mixture_n[row["name"]], counts.mixture_right[row["name"]] = row["n"], row["right"]


_READERS: dict[str, Callable[[Counts, Row], None]] = {
    "total": _read_total,
    "chance": _read_chance,
    "habit": _read_habit,
    "look": _read_look,
    "offset": _read_offset,
    "relation": _read_relation,
    "mixture": _read_mixture,
}
