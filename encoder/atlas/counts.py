"""What is counted of some sentences: sums that can be added up, whatever the sentences are split into.

Axis letters: L layers, H heads, R relations, O offsets.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from encoder.atlas.names import DIRECTIONS, HABITS, OFFSETS

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(slots=True)
class RelationCounts:
    """Of one relation.

    Attributes:
        right: (2, L, H) how often the word that was looked at most was the right one, by direction.
        n: how many pairs of a dependent and its head there were.
        offsets: how many of them lay how many words apart, from the dependent to its head.
    """

    right: Ints
    n: int = 0
    offsets: Counter[int] = field(default_factory=Counter)

    def add(self, other: RelationCounts) -> None:
        """Count what the other one counted as well."""
        self.right += other.right
        self.n += other.n
        self.offsets.update(other.offsets)


@dataclass(slots=True)
class Counts:
    """Of some sentences.

    Attributes:
        sentences, words: how many were measured.
        habit_sentences: (HABITS,) for how many sentences each habit is defined.
        habit_sums, habit_squares: (L, H, HABITS) sums over these, and sums of squares.
        chance_sums: (HABITS,) the same for attention that is spread evenly.
        looks: how many words had another one to look at.
        looks_at: (L, H, O) how many of them looked most at the word at each offset.
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
        """Of no sentence."""
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
        """The counts of a relation, 0 where it has not been seen."""
        if name not in self.relations:
            self.relations[name] = RelationCounts(np.zeros((len(DIRECTIONS), *self.shape), dtype=np.int64))
        return self.relations[name]

    def with_groups(self) -> dict[str, RelationCounts]:
        """The relations, all of them as "all", and those that share a name before a colon as "acl:*"."""
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
        """Count what the other one counted as well; sums of floats depend on the order of such calls."""
        for name in ("sentences", "words", "looks"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("habit_sentences", "habit_sums", "habit_squares", "chance_sums", "looks_at"):
            total: NDArray[Any] = getattr(self, name)
            total += getattr(other, name)
        for relation, counts in other.relations.items():
            self.relation(relation).add(counts)
        self.mixture_right.update(other.mixture_right)
        self.mixture_n.update(other.mixture_n)
