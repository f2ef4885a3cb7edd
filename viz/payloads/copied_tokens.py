"""Cells of an encoder-decoder's attention where a decoding step looks at the token that it copies."""

from __future__ import annotations

from typing import Final

from encoder.measures.units import Units
from encoder.runs.generation import Generation

MARKS_NAME: Final = "where the written token comes from"

Marks = tuple[list[list[int]], str]  # row and column of each cell, and the name of the marks


def marks_of_copies(generation: Generation, kind: str, source: Units, target: Units, *, until: int) -> Marks:
    """The cells in the first rows of the target; none if sources are unknown, or another attention is shown.

    Args:
        kind: "encoder", "decoder", "cross" or "all".
        source, target: units of the source, and of the decoder's input.
    """
    if kind not in ("cross", "all") or not generation.origins:
        return [], ""
    unit_at = {position: unit for unit, members in enumerate(source.members) for position in members}
    cells = []
    for unit, members in enumerate(target.members[:until]):
        places = [place for step in members for place in generation.origins[step]]
        columns = sorted({unit_at[place] for place in places if place in unit_at})
        cells += [[len(source) + unit, column] for column in columns]
    return cells, MARKS_NAME
