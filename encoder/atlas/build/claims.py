"""Claims: what each head does, chosen on one half of the data and measured on the other, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from encoder.atlas.build.counts import Counts, Floats, RelationCounts, Row
from encoder.atlas.names import DIRECTIONS, ENTROPY, HABITS, OFFSETS, SHARES, SPAN, TOGETHER
from encoder.measures.inference import CONFIDENCE, mean_from_sums, wilson_interval

FEWEST = 150  # examples in the measuring half needed to claim a relation
SYNTACTIC = 0.1  # Voita et al. (2019), section 4.2: the lead over the best fixed offset
STANDS_OUT = 0.1  # the lead of a habit over its baseline: as much as that of a relation
CANDIDATES = (*SHARES, TOGETHER)  # habits that may stand out
POSITIONAL = 0.9  # Voita et al. (2019), section 4.1: the share of words whose maximum lies at one offset


def relation_rows(choosing: Counts, measuring: Counts) -> list[Row]:
    """Each relation with enough examples, in both directions, with the chosen head and offset."""
    choose, measure = choosing.with_groups(), measuring.with_groups()
    claimed = [name for name in sorted(measure) if name in choose and measure[name].n >= FEWEST]
    layers, heads = measuring.shape
    # Bonferroni: any head could have been chosen, for any relation.
    corrected = 1 - (1 - CONFIDENCE) / max(len(claimed) * len(DIRECTIONS) * layers * heads, 1)
    return [
        _relation_row(name, direction, choose[name], measure[name], corrected)
        for name in claimed
        for direction in range(len(DIRECTIONS))
    ]


def all_relations(choosing: Counts, measuring: Counts) -> Row | None:
    """How often a word's head is found when each relation uses the attention head chosen for it; None without trees.

    Rare relations count too; those missing from the choosing half count as not found.
    """
    n = sum(counts.n for counts in measuring.relations.values())
    if not n:
        return None
    right = by_offset = 0
    for name, counts in measuring.relations.items():
        if name in choosing.relations:
            chosen = choosing.relations[name]
            right += int(counts.right[0][_best_head(chosen, 0)])
            by_offset += counts.offsets[best_offset(chosen, 0)]
    return {"n": n, "accuracy": right / n, "offset_accuracy": by_offset / n}


def _best_head(counts: RelationCounts, direction: int) -> tuple[int, int]:
    """The layer and head that are right most often; the first of several."""
    layer, head = np.unravel_index(int(counts.right[direction].argmax()), counts.right[direction].shape)
    return int(layer), int(head)


def best_offset(counts: RelationCounts, direction: int) -> int:
    """The offset from the query word that is right most often; ties go to the nearest, then to the positive one."""
    offset = min(counts.offsets, key=lambda steps: (-counts.offsets[steps], abs(steps), -steps))
    return offset if direction == 0 else -offset


def _relation_row(name: str, direction: int, choose: RelationCounts, measure: RelationCounts, corrected: float) -> Row:
    layer, head = _best_head(choose, direction)
    right = int(measure.right[direction, layer, head])
    corrected_low, corrected_high = wilson_interval(right, measure.n, corrected)
    return {
        "relation": name,
        "direction": DIRECTIONS[direction],
        **_measured_row(choose, measure, direction, layer, head),
        "corrected_low": corrected_low,
        "corrected_high": corrected_high,
    }


def _measured_row(choose: RelationCounts, measure: RelationCounts, direction: int, layer: int, head: int) -> Row:
    """How often a head is right, compared with the best offset of the choosing half."""
    offset = best_offset(choose, direction)
    by_offset = [counts.offsets[offset if direction == 0 else -offset] / counts.n for counts in (choose, measure)]
    right = int(measure.right[direction, layer, head])
    accuracy = right / measure.n
    low, high = wilson_interval(right, measure.n)
    return {
        "layer": layer,
        "head": head,
        "accuracy": accuracy,
        "low": low,
        "high": high,
        "offset": offset,
        "offset_accuracy": by_offset[1],
        "n": measure.n,
        "chosen_accuracy": int(choose.right[direction, layer, head]) / choose.n,
        "chosen_offset_accuracy": by_offset[0],
        "chosen_n": choose.n,
        "syntactic": accuracy - by_offset[1] >= SYNTACTIC,
    }


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the choosing half decides before the other half is measured: what examples show."""

    habits: list[list[int]]  # (L, H) index in SHARES
    # By layer and head, a relation and an index in DIRECTIONS; heads that are syntactic in no relation are missing.
    relations: dict[tuple[int, int], tuple[str, int]]


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
            rows.append({**at, **_measured_row(choose, measure, direction, layer, head)})
    return rows


def habit_rows(counts: Counts, confidence: float = CONFIDENCE) -> Iterator[Row]:
    """Each habit of each head, as a mean over sentences, with its interval."""
    for layer, head in np.ndindex(*counts.shape):
        for index, habit in enumerate((*HABITS, TOGETHER)):
            if habit == TOGETHER:
                n, sums, chance = counts.together_sentences, counts.together[:, layer, head], 0.0
            else:
                n, chance = int(counts.habit_sentences[index]), float(counts.chance_sums[index])
                sums = np.array((counts.habit_sums[layer, head, index], counts.habit_squares[layer, head, index]))
            found = mean_from_sums(n, float(sums[0]), float(sums[1]), confidence=confidence)
            if np.isnan(found.low):
                continue
            yield {
                "layer": layer,
                "head": head,
                "habit": habit,
                "unit": {ENTROPY: "bits", SPAN: "words", TOGETHER: "lift"}.get(habit, "share"),
                "mean": found.value,
                "low": found.low,
                "high": found.high,
                "chance": chance / n,
                "n": n,
            }


def _habit_baselines(counts: Counts) -> Floats:
    """(CANDIDATES,) what a habit has to exceed: even attention and the median head; matched words for `TOGETHER`."""
    n = np.maximum(counts.habit_sentences, 1)[: len(SHARES)]
    median = np.median((counts.habit_sums[..., : len(SHARES)] / n).reshape(-1, len(SHARES)), axis=0)
    return np.append(np.maximum(median, counts.chance_sums[: len(SHARES)] / n), 0.0)


def _habit_leads(counts: Counts) -> Floats:
    """(L, H, CANDIDATES) how far each habit exceeds its baseline."""
    shares = counts.habit_sums[..., : len(SHARES)] / np.maximum(counts.habit_sentences, 1)[: len(SHARES)]
    lift = counts.together[0] / max(counts.together_sentences, 1)  # (L, H)
    leads: Floats = np.concatenate((shares, lift[..., None]), axis=-1) - _habit_baselines(counts)
    return leads


def head_rows(choosing: Counts, measuring: Counts) -> Iterator[Row]:
    """The table of heads: what stands out, and whether it is positional."""
    leads, baselines = _habit_leads(choosing), _habit_baselines(measuring)
    confidence = 1 - (1 - CONFIDENCE) / math.prod(measuring.shape)  # Bonferroni: for all heads
    measured = {(row["layer"], row["head"], row["habit"]): row for row in habit_rows(measuring, confidence)}
    relations = _leading_relations(choosing, measuring)
    for layer, head in np.ndindex(*measuring.shape):
        best = int(leads[layer, head].argmax())
        habit, lead, baseline = CANDIDATES[best], float(leads[layer, head, best]), float(baselines[best])
        row = measured.get((layer, head, habit))
        has_habit = row is not None and lead >= STANDS_OUT <= row["mean"] - baseline and row["low"] > baseline
        looks_at = choosing.looks_at[layer, head]
        peak = int(looks_at.argmax())
        share = int(measuring.looks_at[layer, head, peak]) / max(measuring.looks, 1)
        relation = relations.get((layer, head), {})
        leads_by = relation.get("chosen_accuracy", 0.0) - relation.get("chosen_offset_accuracy", 0.0)
        yield {
            "layer": layer,
            "head": head,
            "habit": habit if has_habit else None,
            "baseline": baseline if has_habit else None,
            "relation": relation.get("relation"),
            "direction": relation.get("direction"),
            "special": "habit" if has_habit and lead > leads_by else "relation" if relation else None,
            "peak_offset": OFFSETS[peak],
            "peak_share": share,
            "positional": share >= POSITIONAL,
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


def choose(counts: Counts, *, fewest: int) -> Chosen:
    """Choose from the counts of the choosing half, among relations with at least `fewest` examples."""
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
    habits: list[list[int]] = _habit_leads(counts)[..., : len(SHARES)].argmax(-1).tolist()
    return Chosen(habits, found)
