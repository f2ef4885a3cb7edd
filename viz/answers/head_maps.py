"""Maps of all heads: a chart for each of one or two texts, on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from encoder.runs.arrays import FloatArray
from viz.answers.answer import Chart
from viz.figures.effects import effect_map


def chart_of_heads(
    file: str,
    effects: FloatArray,
    marks: NDArray[np.bool_],
    *,
    alt: str,
    title: str = "",
    least_height: int = 0,
    **options: Any,
) -> Chart:
    """A map of all heads, in which a click chooses one.

    Args:
        file: the name of the chart.
        effects, marks, options: as `effect_map` has them.
        alt, title, least_height: as `Chart` has them.
    """
    return Chart(
        name=file,
        title=title,
        alt=alt,
        figure=lambda theme: effect_map(effects, marks, theme=theme, **options),
        heads=list(np.ndindex(effects.shape)),
        width="figure",
        least_height=least_height,
    )


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
    name: str,
    **options: Any,
) -> list[Chart]:
    """A map for each text, in which a click chooses a head.

    Args:
        chosen: the layer and the head that are marked.
        name: what the names of the charts begin with.
        options: number_format, signed, limit and ringed, as `effect_map` has them.
    """
    high = max(float(np.abs(each.effects).max()) for each in maps)
    return [
        chart_of_heads(
            f"{name}-{each.letter}",
            each.effects,
            each.marks,
            title=each.title,
            alt=f"A tile for each head, layers downward: {each.name}.",
            name=each.name,
            high=high,
            chosen=chosen,
            **options,
        )
        for each in maps
    ]


def head_columns(letters: Sequence[str], shape: tuple[int, ...]) -> dict[str, Sequence[object]]:
    """The first columns of a table with a row for each of (L, H) heads of each text."""
    layer, head = (axis.ravel().tolist() * len(letters) for axis in np.indices(shape))
    return {"sentence": np.repeat(letters, int(np.prod(shape))).tolist(), "layer": layer, "head": head}
