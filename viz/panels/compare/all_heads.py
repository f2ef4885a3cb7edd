"""The difference of all heads at once, each as a small picture."""

from __future__ import annotations

import numpy as np
import streamlit as st

from encoder.comparison.compare import Comparison, HeadDifferences
from encoder.comparison.run_differences import furthest_from_zero
from viz.caches import experiment_cache
from viz.caches.memo import cached
from viz.figures.config import plot_config
from viz.figures.differences import LEAST
from viz.figures.effects import effect_map
from viz.panels.common import head_chart, theme
from viz.panels.compare.choice import Sides
from viz.panels.compare.heads import LEVEL
from viz.panels.tables import folded
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown

SIZE = 24  # cells of a picture along each side
ROOM = 660  # pixels for the pictures of a layer, as many as the column has beside the map


def show_all_heads(found: Comparison, heads: HeadDifferences, sides: Sides, selection: Selection) -> None:
    """A picture for each head on a scale that all share; a click chooses the head."""
    first, second = sides.names
    part = folded(f"All heads at once: “{second}” minus “{first}”", key="compare_all_heads")
    if not part.open:
        return
    pictures = cached(
        experiment_cache.differences_of_heads,
        sides.a,
        sides.b,
        special=selection.special,
        measure=sides.measure,
        size=SIZE,
    )  # (L, H, G, G)
    furthest = furthest_from_zero(pictures)  # (L, H)
    figure = effect_map(
        furthest,
        heads.p_values <= LEVEL,
        name="largest difference of attention",
        number_format="+.3f",
        signed=True,
        high=max(float(np.abs(furthest).max()), LEAST),
        chosen=(selection.layer, selection.head),
        theme=theme(),
        room=ROOM,
        pictures=pictures,
    )
    with part:
        head_chart(figure, config=plot_config("compare-all-heads"), key="compare_all_heads")
        st.caption(_in_words(found, (escape_markdown(first), escape_markdown(second))))


def _in_words(found: Comparison, names: tuple[str, str]) -> str:
    first, second = (f"“{name}”" for name in names)
    count = len(found.runs.alignment.shared)
    shared = "the shared word" if count == 1 else f"the {count} shared words"
    said = (
        f"Queries run down and keys across, over {shared}. Blue: more attention in {second}; orange: "
        f"more in {first}. All heads share one scale, so that they can be compared. Frames mark p ≤ {LEVEL}, as above. "
        "A click chooses a head."
    )
    if count <= SIZE:
        return said
    most = -(-count // SIZE)
    return f"{said} A cell stands for up to {most} × {most} words, and shows their largest difference."
