"""Maps of all heads: a chart for each of one or two texts, on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from encoder.runs.arrays import FloatArray
from viz.answers.answer import Chart
from viz.figures.effects import effect_map


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class HeadMap:
    """The effects of all heads in one text.

    Attributes:
        title: above the map, as Markdown.
        letter: of the text.
        effects: (L, H).
        name: what they are, with their unit.
        marks: (L, H) which of them lie beyond the control.
    """

    title: str
    letter: str
    effects: FloatArray
    name: str
    marks: NDArray[np.bool_]


def charts_of_heads(
    maps: Sequence[HeadMap],
    chosen: tuple[int, int],
    *,
    number_format: str,
    signed: bool,
    name: str,
    limit: float | None = None,
    ringed: Sequence[tuple[int, int]] = (),
) -> list[Chart]:
    """A map for each text, in which a click chooses a head.

    Args:
        chosen: the layer and the head that are marked.
        number_format, signed, limit, ringed: as `effect_map` has them.
        name: what the names of the charts begin with.
    """
    high = max(float(np.abs(each.effects).max()) for each in maps)

    def chart(each: HeadMap) -> Chart:
        return Chart(
            name=f"{name}-{each.letter}",
            title=each.title,
            alt=f"A tile for each head, layers downward: {each.name}.",
            figure=lambda theme: effect_map(
                each.effects,
                each.marks,
                name=each.name,
                number_format=number_format,
                signed=signed,
                high=high,
                limit=limit,
                chosen=chosen,
                ringed=ringed,
                theme=theme,
            ),
            heads=list(np.ndindex(each.effects.shape)),
            width="figure",
        )

    return [chart(each) for each in maps]


def head_columns(letters: Sequence[str], shape: tuple[int, ...]) -> dict[str, Sequence[object]]:
    """The first columns of a table with a row for each of (L, H) heads of each text."""
    layer, head = (axis.ravel().tolist() * len(letters) for axis in np.indices(shape))
    return {"sentence": np.repeat(letters, int(np.prod(shape))).tolist(), "layer": layer, "head": head}
