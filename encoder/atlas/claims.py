"""Claims about relations: a head for each, chosen on one half of the data and measured on the other, with intervals."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np

from encoder.atlas.counts import Counts, RelationCounts
from encoder.atlas.names import DIRECTIONS

CONFIDENCE = 0.95
FEWEST = 150  # examples in the measuring half needed to claim a relation
SYNTACTIC = 0.1  # Voita et al. (2019), section 4.2: the lead over the best fixed offset

Row = dict[str, Any]


def normal_quantile(confidence: float) -> float:
    """Half-width of an interval in standard errors: 1.96 for 0.95."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def mean_interval(n: int, total: float, squares: float) -> tuple[float, float, float] | None:
    """The mean of n values and its 95 % interval, from the sums of the values and of their squares; None if n < 2."""
    if n < 2:
        return None
    mean = total / n
    variance = max(squares / n - mean * mean, 0.0) * n / (n - 1)
    reach = normal_quantile(CONFIDENCE) * (variance / n) ** 0.5
    return mean, mean - reach, mean + reach


def wilson_interval(right: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson's interval of the share `right` / n. Source: Wilson (1927)."""
    if n == 0:
        return 0.0, 1.0
    z = normal_quantile(confidence)
    share = right / n
    middle = share + z * z / (2 * n)
    reach = z * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    scale = 1 + z * z / n
    # At 0 and 1 the bound equals the share up to rounding.
    return max(min((middle - reach) / scale, share), 0.0), min(max((middle + reach) / scale, share), 1.0)


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
            right += int(counts.right[0][best_head(chosen, 0)])
            by_offset += counts.offsets[best_offset(chosen, 0)]
    row: Row = {"n": n, "accuracy": right / n, "offset_accuracy": by_offset / n}
    if measuring.mixture_n:
        row["mixture_accuracy"] = sum(measuring.mixture_right.values()) / sum(measuring.mixture_n.values())
    return row


def best_head(counts: RelationCounts, direction: int) -> tuple[int, int]:
    """The layer and head that are right most often; the first of several."""
    layer, head = np.unravel_index(int(counts.right[direction].argmax()), counts.right[direction].shape)
    return int(layer), int(head)


def best_offset(counts: RelationCounts, direction: int) -> int:
    """The offset from the query word that is right most often; ties go to the nearest, then to the positive one."""
    offset = min(counts.offsets, key=lambda steps: (-counts.offsets[steps], abs(steps), -steps))
    return offset if direction == 0 else -offset


def _relation_row(name: str, direction: int, choose: RelationCounts, measure: RelationCounts, corrected: float) -> Row:
    layer, head = best_head(choose, direction)
    right = int(measure.right[direction, layer, head])
    corrected_low, corrected_high = wilson_interval(right, measure.n, corrected)
    return {
        "relation": name,
        "direction": DIRECTIONS[direction],
        **measured_row(choose, measure, direction, layer, head),
        "corrected_low": corrected_low,
        "corrected_high": corrected_high,
    }


def measured_row(choose: RelationCounts, measure: RelationCounts, direction: int, layer: int, head: int) -> Row:
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
