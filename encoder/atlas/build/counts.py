"""What is counted of each batch: sums that can be added across shards, and their table.

Axis letters: B sentences, L layers, H heads, N arcs, O offsets, T tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import torch
from numpy.typing import NDArray
from torch import Tensor

from encoder.atlas.build.corpus import ROOT
from encoder.atlas.build.layout import NO_WORD, Encoded, Layout
from encoder.atlas.build.reduction import Reduced
from encoder.atlas.names import DIRECTIONS, FARTHEST, HABITS, OFFSETS, TOGETHER
from encoder.atlas.tables import COUNTS, table_of
from encoder.errors import AtlasError

TOTALS = ("sentences", "words", "looks", "together_sentences")
LEFT_OUT = frozenset({"punct", "root"})
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Row = dict[str, Any]


@dataclass(slots=True)
class RelationCounts:
    """Counts of one relation."""

    right: Ints  # (2, L, H) how often the most attended word was the right one, by direction
    n: int = 0  # number of pairs of a dependent and its head
    offsets: Counter[int] = field(default_factory=Counter)  # pairs by their distance in words, from dependent to head

    def add(self, other: RelationCounts) -> None:
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
        together_sentences: number of sentences with words that go together; `encoder.atlas.build.together` counts them.
        together: (2, L, H) sums over these of the lift of such words, and of its squares.
        looks: number of words that have another word to look at.
        looks_at: (L, H, O) number of these words that look most at the word at each offset.
        relations: by name.
    """

    sentences: int
    words: int
    habit_sentences: Ints
    habit_sums: Floats
    habit_squares: Floats
    chance_sums: Floats
    together_sentences: int
    together: Floats
    looks: int
    looks_at: Ints
    relations: dict[str, RelationCounts]

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
            together_sentences=0,
            together=np.zeros((2, layers, heads)),
            looks=0,
            looks_at=np.zeros((layers, heads, len(OFFSETS)), dtype=np.int64),
            relations={},
        )

    @property
    def shape(self) -> tuple[int, int]:
        """L and H."""
        layers, heads, _ = self.habit_sums.shape
        return layers, heads

    def relation(self, name: str) -> RelationCounts:
        """The counts of a relation, created as zeros if it is new."""
        if name not in self.relations:
            self.relations[name] = self._no_pairs()
        return self.relations[name]

    def _no_pairs(self) -> RelationCounts:
        return RelationCounts(np.zeros((len(DIRECTIONS), *self.shape), dtype=np.int64))

    def with_groups(self) -> dict[str, RelationCounts]:
        """The relations, plus their sum as "all", and the sums over subtypes as "acl:*"."""
        members: dict[str, list[str]] = {"all": list(self.relations)} if self.relations else {}
        for universal in {name.partition(":")[0] for name in self.relations if ":" in name}:
            members[f"{universal}:*"] = [name for name in self.relations if name.partition(":")[0] == universal]
        grouped = dict(self.relations)
        for group, names in members.items():
            grouped[group] = self._no_pairs()
            for name in names:
                grouped[group].add(self.relations[name])
        return grouped

    def add(self, other: Counts) -> None:
        """Add the other counts. Float sums depend on the order of these calls."""
        for name in TOTALS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("habit_sentences", "habit_sums", "habit_squares", "chance_sums", "together", "looks_at"):
            total: NDArray[Any] = getattr(self, name)
            total += getattr(other, name)
        for relation, counts in other.relations.items():
            self.relation(relation).add(counts)


class Arcs(NamedTuple):
    """The N counted pairs of a dependent and its head in a batch, (N,) each.

    Attributes:
        sentence: row of the batch.
        dependent, head: their positions among the tokens.
        offset: words from the dependent to the head.
        relation: the name of each pair's relation.
    """

    sentence: Tensor
    dependent: Tensor
    head: Tensor
    offset: NDArray[np.int64]
    relation: tuple[str, ...]

    def of(self, sentences: Sequence[int]) -> Arcs:
        """The arcs of some rows of the batch."""
        kept = np.isin(self.sentence.cpu().numpy(), sentences)
        on_device = torch.from_numpy(kept).to(self.sentence.device)
        names = tuple(name for name, keep in zip(self.relation, kept, strict=True) if keep)
        return Arcs(self.sentence[on_device], self.dependent[on_device], self.head[on_device], self.offset[kept], names)


def arcs_of(texts: Sequence[Encoded], layout: Layout) -> Arcs:
    """The arcs of a batch, without punctuation and without words that have no token."""
    rows = [arc for row, text in enumerate(texts) for arc in _arcs(row, text, layout.place_of_word[row])]
    numbers = np.array([row[:4] for row in rows], dtype=np.int64).reshape(-1, 4)
    sentence, dependent, head = torch.from_numpy(numbers[:, :3].T.copy()).to(layout.word.device)
    return Arcs(sentence, dependent, head, numbers[:, 3], tuple(row[4] for row in rows))


def _arcs(row: int, text: Encoded, places: NDArray[np.int64]) -> Iterator[tuple[int, int, int, int, str]]:
    tree = text.sentence.tree
    if tree is None:
        return
    for dependent, (head, relation) in enumerate(zip(tree.heads, tree.relations, strict=True)):
        if head == ROOT or relation.partition(":")[0] in LEFT_OUT or NO_WORD in (places[dependent], places[head]):
            continue
        yield row, int(places[dependent]), int(places[head]), head - dependent, relation


def _right_heads(reduced: Reduced, arcs: Arcs) -> Tensor:
    """(N, 2, L, H) boolean: whether the most attended word is the right one, by direction."""
    from_dependent = reduced.strongest[arcs.sentence, :, :, arcs.dependent]  # (N, L, H)
    from_head = reduced.strongest[arcs.sentence, :, :, arcs.head]  # (N, L, H)
    right = (from_dependent == arcs.head[:, None, None], from_head == arcs.dependent[:, None, None])
    return torch.stack(right, dim=1)


def count_batch(counts: Counts, reduced: Reduced, arcs: Arcs) -> None:
    """Add a batch's words, looks and relations to the counts; `add_habits` adds the habits."""
    layout = reduced.layout
    counts.sentences += len(layout.place_of_word)
    counts.words += int(layout.is_word.sum())
    _count_looks(counts, reduced)
    right = _right_heads(reduced, arcs).cpu().numpy()  # (N, 2, L, H)
    for relation in dict.fromkeys(arcs.relation):
        chosen = np.array([name == relation for name in arcs.relation])
        of_relation = counts.relation(relation)
        of_relation.right += right[chosen].sum(0, dtype=np.int64)
        of_relation.n += int(chosen.sum())
        of_relation.offsets.update(arcs.offset[chosen].tolist())


def _count_looks(counts: Counts, reduced: Reduced) -> None:
    """Count how often each head looks most at the word at each offset."""
    word = reduced.layout.word  # (B, T)
    looks = reduced.strength[:, 0, 0] >= 0  # (B, T)
    counts.looks += int(looks.sum())
    places = reduced.strongest  # (B, L, H, T)
    looked_at = word[:, None, None].expand(places.shape).gather(-1, places)  # (B, L, H, T)
    offset = looked_at - word[:, None, None]
    counted = looks[:, None, None] & (offset.abs() <= FARTHEST)
    layers, heads = counts.shape
    head = torch.arange(layers * heads, device=word.device).view(layers, heads, 1)
    steps = 2 * FARTHEST + 1
    cells = (head * steps + offset + FARTHEST)[counted]
    found = torch.bincount(cells, minlength=layers * heads * steps).view(layers, heads, steps).cpu().numpy()
    counts.looks_at += np.delete(found, FARTHEST, axis=-1)  # offset 0: the word itself is not counted


def add_habits(
    counts: Counts, habits: NDArray[np.float32], defined: NDArray[np.bool_], chance: NDArray[np.float64]
) -> None:
    """Add the habits of S sentences in one sum, so that the bits do not depend on how they were batched.

    Args:
        habits: (S, L, H, HABITS); `defined` and `chance` are (S, HABITS).
    """
    counts.habit_sentences += defined.sum(0)
    counts.chance_sums += np.where(defined, chance, 0.0).sum(0)
    for layer, of_layer in enumerate(np.moveaxis(habits, 1, 0)):  # one at a time: float64 takes twice the memory
        kept = np.where(defined[:, None], of_layer, 0).astype(np.float64)  # (S, H, HABITS)
        counts.habit_sums[layer] += kept.sum(0)
        counts.habit_squares[layer] += np.square(kept, out=kept).sum(0)


def counts_to_table(counts: Counts) -> pa.Table:
    """The counts as a table with one or two numbers per row, in an order that depends on the counts alone."""
    return table_of(_rows(counts), COUNTS)


def _rows(counts: Counts) -> Iterator[Row]:
    for name in TOTALS:
        yield {"quantity": "total", "name": name, "n": getattr(counts, name)}
    for index, habit in enumerate(HABITS):
        n = int(counts.habit_sentences[index])
        yield {"quantity": "chance", "name": habit, "n": n, "total": float(counts.chance_sums[index])}
    for layer, head in np.ndindex(*counts.shape):
        at = {"layer": layer, "head": head}
        for index, habit in enumerate(HABITS):
            sums = counts.habit_sums[layer, head, index], counts.habit_squares[layer, head, index]
            yield {"quantity": "habit", "name": habit, **at, "total": float(sums[0]), "squares": float(sums[1])}
        total, squares = counts.together[:, layer, head].tolist()
        yield {"quantity": TOGETHER, **at, "total": total, "squares": squares}
        for index, offset in enumerate(OFFSETS):
            yield {"quantity": "look", **at, "offset": offset, "n": int(counts.looks_at[layer, head, index])}
    for relation, of_relation in sorted(counts.relations.items()):
        for offset, n in sorted(of_relation.offsets.items()):
            yield {"quantity": "offset", "name": relation, "offset": offset, "n": n}
        for direction, layer, head in np.ndindex(*of_relation.right.shape):
            right = int(of_relation.right[direction, layer, head])
            at = {"direction": DIRECTIONS[direction], "layer": layer, "head": head}
            yield {"quantity": "relation", "name": relation, **at, "n": of_relation.n, "right": right}


def counts_of_table(table: pa.Table, layers: int, heads: int) -> Counts:
    """The inverse of `counts_to_table`. Raises AtlasError if the table does not fit a model of this size."""
    counts = Counts.none(layers, heads)
    try:
        for row in table.to_pylist():
            _read(counts, row)
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise AtlasError(f"These counts are not those of {layers} layers and {heads} heads.") from error
    return counts


def _read(counts: Counts, row: Row) -> None:
    quantity, name, at = row["quantity"], row["name"], (row["layer"], row["head"])
    if quantity == "total":
        setattr(counts, name, row["n"])
    elif quantity == "chance":
        index = HABITS.index(name)
        counts.habit_sentences[index], counts.chance_sums[index] = row["n"], row["total"]
    elif quantity == "habit":
        index = HABITS.index(name)
        counts.habit_sums[(*at, index)], counts.habit_squares[(*at, index)] = row["total"], row["squares"]
    elif quantity == TOGETHER:
        counts.together[(slice(None), *at)] = row["total"], row["squares"]
    elif quantity == "look":
        counts.looks_at[(*at, OFFSETS.index(row["offset"]))] = row["n"]
    elif quantity == "offset":
        counts.relation(name).offsets[row["offset"]] = row["n"]
    elif quantity == "relation":
        counts.relation(name).n = row["n"]
        counts.relation(name).right[(DIRECTIONS.index(row["direction"]), *at)] = row["right"]
    else:
        raise ValueError(quantity)
