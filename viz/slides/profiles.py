"""What the lens's word looks at, and what looks at it, as a chart: bars on both sides of the words of its sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from encoder.measures.unit_attention import WordProfile, word_profile
from viz.exports.charts import Box, Chart, Series
from viz.exports.contents import NumberGrid
from viz.panels.common import head_name
from viz.panels.word_lens.choice import Occurrence
from viz.panels.word_lens.profiles import MOST_BARS, largest_units
from viz.state.selection import Selection
from viz.wording.labels import make_visible

LOOKED_AT_BY, LOOKS_AT = 0, 1  # rows of the chart


def profile_charts(
    occurrences: Sequence[Occurrence], selection: Selection, points: Sequence[Mapping[str, Any]]
) -> list[Chart]:
    """A chart for each occurrence, all on one scale.

    Args:
        points: of the stop, as `viz.tours.pointing.placed_points` gives them.
    """
    profiles = [
        word_profile(each.trace.weights(selection.layer), each.trace.tokens, each.positions, head=selection.head)
        for each in occurrences
    ]
    high = max(float(max(profile.looks_at.max(), profile.looked_at_by.max())) for profile in profiles)
    return [
        _chart(each, profile, head_name(selection), high, points)
        for each, profile in zip(occurrences, profiles, strict=True)
    ]


def _chart(
    each: Occurrence, profile: WordProfile, head: str, high: float, points: Sequence[Mapping[str, Any]]
) -> Chart:
    shown = largest_units(profile, MOST_BARS)
    count = len(profile.units)
    part = "" if count == len(shown) else f", the {len(shown)} largest of {count}"
    return Chart(
        grid=NumberGrid(
            f"What “{each.name}” in {each.letter} looks at, and what looks at it, {head}{part}",
            ["looks at it", "it looks at"],
            [make_visible(profile.units.labels[unit]) for unit in shown],
            np.stack([profile.looked_at_by[shown], profile.looks_at[shown]]),
            low=0,
            high=max(high, 1e-6),
            digits=4,
        ),
        look="profile",
        series=(Series(colour="A" if each.letter == "A" else "B"),),
        frames=[(LOOKED_AT_BY, shown.index(profile.word), 2, 1)],
        frames_name="the word",
        rings=[box for point in points for box in _rings(point, each.letter, profile, shown)],
    )


def _rings(point: Mapping[str, Any], letter: str, profile: WordProfile, shown: Sequence[int]) -> list[Box]:
    """Around a word's row, or around the bar of a cell that is in the word's row or column."""
    if point["kind"] == "head" or point["run"] not in ("pair", letter):
        return []

    def rows_of(positions: Sequence[int]) -> list[int]:
        return [row for row, unit in enumerate(shown) if set(profile.units.members[unit]) & set(positions)]

    if point["kind"] == "token":
        return [(LOOKED_AT_BY, row, 2, 1) for row in rows_of(point["token"])]
    word = shown.index(profile.word)
    queries, keys = rows_of(point["query"]), rows_of(point["key"])
    if word in queries:
        return [(LOOKS_AT, row, 1, 1) for row in keys]
    return [(LOOKED_AT_BY, row, 1, 1) for row in queries] if word in keys else []
