"""What each head does: its habits, its accuracy on each relation, and which of them come first on its card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from encoder.atlas.claims import (
    CONFIDENCE,
    FEWEST,
    SYNTACTIC,
    Row,
    best_offset,
    mean_interval,
    measured_row,
    wilson_interval,
)
from encoder.atlas.counts import Counts, Floats
from encoder.atlas.names import DIRECTIONS, ENTROPY, HABITS, OFFSETS, SHARES, SPAN

POSITIONAL = 0.9  # Voita et al. (2019), section 4.1: the share of words whose maximum lies at one offset


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the choosing half decides before the other half is measured: each head's subject, and the mixture.

    Attributes:
        habits: (L, H) index in SHARES.
        relations: by layer and head, a relation and an index in DIRECTIONS; heads that beat the offset by 10 points in
            no relation are missing.
        mixture: (2, L, H), or None without trees.
    """

    habits: list[list[int]]
    relations: dict[tuple[int, int], tuple[str, int]]
    mixture: Floats | None


def head_relation_rows(choosing: Counts, measuring: Counts) -> list[Row]:
    """The accuracy of each head on each relation with enough examples, whether it was chosen or not."""
    rows = []
    layers, heads = measuring.shape
    for name in sorted(measuring.relations):
        choose, measure = choosing.relations.get(name), measuring.relations[name]
        if choose is None or measure.n < FEWEST:
            continue
        for direction, layer, head in np.ndindex(len(DIRECTIONS), layers, heads):
            at = {"relation": name, "direction": DIRECTIONS[direction]}
            rows.append({**at, **measured_row(choose, measure, direction, layer, head)})
    return rows


def habit_rows(counts: Counts) -> Iterator[Row]:
    """Each habit of each head, as a mean over sentences."""
    for layer, head in np.ndindex(*counts.shape):
        for index, habit in enumerate(HABITS):
            n = int(counts.habit_sentences[index])
            sums = counts.habit_sums[layer, head, index], counts.habit_squares[layer, head, index]
            interval = mean_interval(n, *map(float, sums))
            if interval is None:
                continue
            mean, low, high = interval
            chance = float(counts.chance_sums[index]) / n
            yield {
                "layer": layer,
                "head": head,
                "habit": habit,
                "unit": {ENTROPY: "bits", SPAN: "words"}.get(habit, "share"),
                "mean": mean,
                "low": low,
                "high": high,
                "chance": chance,
                "n": n,
            }


def strongest_habits(counts: Counts) -> list[list[int]]:
    """(L, H) indices in SHARES: the share that exceeds that of uniform attention by most."""
    n = np.maximum(counts.habit_sentences, 1)
    excess: Floats = counts.habit_sums / n - counts.chance_sums / n  # (L, H, HABITS)
    best: list[list[int]] = excess[..., : len(SHARES)].argmax(-1).tolist()
    return best


def head_rows(choosing: Counts, measuring: Counts, places: Floats) -> Iterator[Row]:
    """The rows of head cards: strongest habit and relation, chosen and measured, and whether the head is positional.

    Args:
        places: (L, H, 2) positions on the map of heads.
    """
    habits = strongest_habits(choosing)
    measured = {(row["layer"], row["head"], row["habit"]): row for row in habit_rows(measuring)}
    relations = _leading_relations(choosing, measuring)
    for layer, head in np.ndindex(*measuring.shape):
        row = measured.get((layer, head, SHARES[habits[layer][head]]))
        looks_at = choosing.looks_at[layer, head]
        peak = int(looks_at.argmax())
        share = int(measuring.looks_at[layer, head, peak]) / max(measuring.looks, 1)
        relation = relations.get((layer, head), {})
        yield {
            "layer": layer,
            "head": head,
            "habit": None if row is None or row["low"] <= row["chance"] else row["habit"],
            "mean": None if row is None else row["mean"],
            "chance": None if row is None else row["chance"],
            "relation": relation.get("relation"),
            "direction": relation.get("direction"),
            "peak_offset": OFFSETS[peak],
            "peak_share": share,
            "positional": share >= POSITIONAL,
            "x": float(places[layer, head, 0]),
            "y": float(places[layer, head, 1]),
        }


def _leading_relations(choosing: Counts, measuring: Counts) -> dict[tuple[int, int], Row]:
    """By head, the relation with the largest lead over the best fixed offset on the choosing half.

    A head is left out if it is not syntactic in that relation on the measuring half, or if the interval of its accuracy
    there, corrected for all heads, includes the offset's.
    """
    found: dict[tuple[int, int], Row] = {}
    leads = np.zeros(measuring.shape)
    for row in head_relation_rows(choosing, measuring):
        at, lead = (row["layer"], row["head"]), row["chosen_accuracy"] - row["chosen_offset_accuracy"]
        if lead > leads[at]:
            leads[at], found[at] = lead, row
    confidence = 1 - (1 - CONFIDENCE) / leads.size
    return {at: row for at, row in found.items() if row["syntactic"] and _low(row, confidence) > row["offset_accuracy"]}


def _low(row: Row, confidence: float) -> float:
    return wilson_interval(round(row["accuracy"] * row["n"]), row["n"], confidence)[0]


def choose(counts: Counts, mixture: Floats | None, *, fewest: int) -> Chosen:
    """Choose from the counts of the choosing half.

    Args:
        fewest: the least number of examples of a relation.
    """
    found: dict[tuple[int, int], tuple[str, int]] = {}
    leads = np.full(counts.shape, SYNTACTIC)
    for name, relation in sorted(counts.relations.items()):
        if relation.n < fewest:
            continue
        for direction in range(len(DIRECTIONS)):
            offset = best_offset(relation, direction)
            by_offset = relation.offsets[offset if direction == 0 else -offset]
            lead = (relation.right[direction] - by_offset) / relation.n  # (L, H)
            for layer, head in np.argwhere(lead > leads).tolist():
                leads[layer, head] = lead[layer, head]
                found[layer, head] = (name, direction)
    return Chosen(strongest_habits(counts), found, mixture)
