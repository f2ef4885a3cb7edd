"""The maps of all heads for a word: one for each sentence, on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from encoder.runs.arrays import FloatArray
from viz.figures.config import plot_config
from viz.figures.effects import ROOM, effect_map
from viz.panels.common import head_chart, is_at_stop, theme
from viz.panels.word_lens.choice import Occurrence
from viz.panels.word_lens.effect_measures import EffectMeasure
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown

STOP_ROOM = 216  # pixels for the tiles of a row at a stop of a tour


@dataclass(frozen=True, slots=True, eq=False)
class HeadMap:
    """(L, H) effects on one occurrence, what they are, and which of them lie beyond the control."""

    effects: FloatArray
    name: str
    marks: NDArray[np.bool_]


def show_head_maps(
    occurrences: Sequence[Occurrence],
    maps: Sequence[HeadMap],
    measure: EffectMeasure,
    selection: Selection,
    *,
    figures: str,
    limit: float | None = None,
) -> list[DeltaGenerator]:
    """A map for each occurrence, in which a click chooses a head; the column of each, for what stands below.

    Args:
        figures: what the names of the figures begin with.
        limit: the control's 95th percentile.
    """
    high = max(float(np.abs(each.effects).max()) for each in maps)
    room = STOP_ROOM if is_at_stop(selection) else ROOM
    columns = st.columns(len(occurrences), gap="medium")
    for column, occurrence, each in zip(columns, occurrences, maps, strict=True):
        with column:
            st.markdown(f"#### “{escape_markdown(occurrence.name)}” in {occurrence.letter}")
            figure = effect_map(
                each.effects,
                each.marks,
                name=each.name,
                number_format=measure.number_format,
                signed=measure.signed,
                high=high,
                limit=limit,
                chosen=(selection.layer, selection.head),
                room=room,
                theme=theme(),
            )
            name = f"{figures}-{occurrence.letter}"
            head_chart(figure, config=plot_config(name), key=f"lens_{name}")
    return columns
