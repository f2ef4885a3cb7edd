"""Count what the heads of a batch do, from its reduced attention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from encoder.atlas.counts import Counts
from encoder.atlas.layout import NO_WORD, Encoded, Layout
from encoder.atlas.names import FARTHEST
from encoder.atlas.reduction import Reduced
from encoder.atlas.sentences import ROOT

LEFT_OUT = frozenset({"punct", "root"})


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


def right_heads(reduced: Reduced, arcs: Arcs) -> Tensor:
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
    right = right_heads(reduced, arcs).cpu().numpy()  # (N, 2, L, H)
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
        habits: (S, L, H, HABITS).
        defined: (S, HABITS).
        chance: (S, HABITS).
    """
    counts.habit_sentences += defined.sum(0)
    counts.chance_sums += np.where(defined, chance, 0.0).sum(0)
    for layer, of_layer in enumerate(np.moveaxis(habits, 1, 0)):  # one at a time: float64 takes twice the memory
        kept = np.where(defined[:, None], of_layer, 0).astype(np.float64)  # (S, H, HABITS)
        counts.habit_sums[layer] += kept.sum(0)
        counts.habit_squares[layer] += np.square(kept, out=kept).sum(0)
