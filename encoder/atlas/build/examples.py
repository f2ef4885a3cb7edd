"""Sentences that show what a head does: where its weight is largest, some at random, and where it fails."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from encoder.atlas.build.claims import Chosen
from encoder.atlas.build.counts import Arcs, Row
from encoder.atlas.build.habits import Features
from encoder.atlas.build.layout import Encoded
from encoder.atlas.build.reduction import Reduced
from encoder.atlas.names import DIRECTIONS, SHARES

SENTENCES = 2048  # the first ones of the measuring half, from which examples are taken
PER_KIND = {"hardest": 20, "random": 20, "failing": 10}


class HabitPlaces:
    """Where in each sentence each head shows its habit most; a `LayerReader`."""

    def __init__(self, chosen: Chosen, features: Features) -> None:
        self.chosen = chosen
        self.targets = features.targets
        self.places: list[Tensor] = []  # by layer, (B, H) query * T + key

    def __call__(self, layer: int, attention: Tensor) -> None:
        of_heads = self.targets[..., self.chosen.habits[layer]].permute(0, 3, 1, 2)  # (B, H, T, T)
        self.places.append(attention.masked_fill(~of_heads, -1).flatten(2).argmax(-1).cpu())


class ArcWeights:
    """The weight of each head along the arcs of a batch; a `LayerReader`."""

    def __init__(self, arcs: Arcs) -> None:
        self.arcs = arcs
        self.layers: list[Tensor] = []  # (N, 2, H) each, by direction

    def __call__(self, layer: int, attention: Tensor) -> None:
        sentence, dependent, head = self.arcs.sentence, self.arcs.dependent, self.arcs.head
        both = attention[sentence, :, dependent, head], attention[sentence, :, head, dependent]
        self.layers.append(torch.stack(both, dim=1).cpu())


def habit_examples(texts: Sequence[Encoded], reduced: Reduced, found: HabitPlaces) -> Iterator[Row]:
    """Candidates for the examples of habits: each sentence, for each head whose habit is defined there."""
    word = reduced.layout.word.cpu().numpy()
    length = word.shape[1]
    values = reduced.habits.cpu().numpy()
    defined = reduced.features.defined.cpu().numpy()
    for layer, of_layer in enumerate(found.chosen.habits):
        for head, habit in enumerate(of_layer):
            for row in np.flatnonzero(defined[:, habit]).tolist():
                query, key = divmod(int(found.places[layer][row, head]), length)
                value = float(values[row, layer, head, habit])
                at = {"layer": layer, "head": head, "about": SHARES[habit], "direction": None}
                at |= {"query": int(word[row, query]), "key": int(word[row, key])}
                yield from candidates(at, texts[row].sentence.where, value, hardest=value, fails=-value)


def relation_examples(texts: Sequence[Encoded], reduced: Reduced, weights: ArcWeights, chosen: Chosen) -> Iterator[Row]:
    """Candidates for the examples of relations: each arc of a head's relation."""
    arcs, word = weights.arcs, reduced.layout.word.cpu().numpy()
    sentence, dependent, governor = (part.cpu().numpy() for part in arcs[:3])
    strongest, strength = reduced.strongest.cpu().numpy(), reduced.strength.cpu().numpy()
    for (layer, head), (relation, direction) in sorted(chosen.relations.items()):
        given = weights.layers[layer][:, direction, head].numpy()
        for arc in [index for index, name in enumerate(arcs.relation) if name == relation]:
            row = int(sentence[arc])
            query, key = (dependent, governor) if direction == 0 else (governor, dependent)
            looked_at = int(strongest[row, layer, head, query[arc]])
            at = {"layer": layer, "head": head, "about": relation, "direction": DIRECTIONS[direction]}
            at |= {"query": int(word[row, query[arc]]), "key": int(word[row, looked_at])}
            is_right = looked_at == key[arc]
            fails = None if is_right else float(strength[row, layer, head, query[arc]])
            value = float(given[arc])
            where = texts[row].sentence.where
            yield from candidates(at, where, value, hardest=value if is_right else None, fails=fails)


def candidates(at: Row, where: str, value: float, *, hardest: float | None, fails: float | None) -> Iterator[Row]:
    """One row per kind; `order` ranks within a kind, the highest first. None: no example of the kind."""
    drawn = int.from_bytes(hashlib.sha256(where.encode()).digest()[:6]) / 2**48
    orders = {"hardest": hardest, "random": drawn, "failing": fails}
    for kind, order in orders.items():
        if order is not None:
            yield {**at, "kind": kind, "where": where, "value": value, "order": order}


def keep_best(rows: Iterable[Row]) -> list[Row]:
    """The best sentences of each head, subject and kind, each sentence once."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        about = row["about"], row["direction"] or ""
        groups.setdefault((row["layer"], row["head"], about, row["kind"]), []).append(row)
    kept: list[Row] = []
    for key in sorted(groups):
        seen: dict[str, Row] = {}
        ordered = sorted(groups[key], key=lambda row: (-row["order"], row["where"], row["query"], row["key"]))
        for row in ordered:
            seen.setdefault(row["where"], row)
        kept += list(seen.values())[: PER_KIND[key[-1]]]
    return kept
