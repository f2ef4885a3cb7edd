"""Maps of all heads: one for each of one or two texts, on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from encoder.runs.arrays import FloatArray
from viz.figures.config import plot_config
from viz.figures.effects import effect_map
from viz.panels.common import fit_stage, head_chart, theme
from viz.state.selection import Selection


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


def show_head_maps(
    maps: Sequence[HeadMap],
    selection: Selection,
    *,
    number_format: str,
    signed: bool,
    figures: str,
    view: str,
    limit: float | None = None,
) -> list[DeltaGenerator]:
    """A map for each text, in which a click chooses a head; the column of each, for what stands below.

    Args:
        number_format, signed, limit: as `effect_map` has them.
        figures: what the names of the figures begin with.
        view: begins the keys of what is drawn.
    """
    high = max(float(np.abs(each.effects).max()) for each in maps)
    columns = st.columns(len(maps), gap="medium")
    for column, each in zip(columns, maps, strict=True):
        with column:
            st.markdown(f"#### {each.title}")
            figure = effect_map(
                each.effects,
                each.marks,
                name=each.name,
                number_format=number_format,
                signed=signed,
                high=high,
                limit=limit,
                chosen=(selection.layer, selection.head),
                theme=theme(),
            )
            fit_stage(figure, headings=2)
            name = f"{figures}-{each.letter}"
            head_chart(figure, config=plot_config(name), key=f"{view}_{name}")
    return columns
