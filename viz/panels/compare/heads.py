"""Where do they differ most? All heads as a map, and the first of them as a list, beside what chance gives."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from encoder.comparison.compare import PERMUTATIONS, Comparison, HeadDifferences
from viz.figures.config import plot_config
from viz.figures.differences import LEAST
from viz.figures.effects import effect_map
from viz.panels.common import head_button, head_chart, theme
from viz.panels.compare.choice import Sides
from viz.panels.first_answer import let_paint
from viz.panels.tables import head_columns, show_table
from viz.state.selection import Selection

LISTED = 8
LEVEL = 0.05
HEAD_NAME = 64  # pixels of "L11 H11"


def show_heads(found: Comparison, heads: HeadDifferences, sides: Sides, selection: Selection) -> None:
    """The map, in which a click chooses a head, and the list."""
    st.markdown("### Which heads differ most?")
    if sides.measure == "structure":
        st.caption(
            "Heads are paired by their numbers. A head has a real counterpart only where one model was trained from "
            "the other; between models trained apart, head 3 of one is not head 3 of the other."
        )
    beyond = heads.p_values <= LEVEL
    left, right = st.columns((3, 2), gap="medium")
    with left:
        figure = effect_map(
            heads.distances,
            beyond,
            name="distance of rows, 0 to 1",
            number_format=".3f",
            signed=False,
            high=max(float(heads.distances.max()), LEAST),
            chosen=(selection.layer, selection.head),
            theme=theme(),
        )
        head_chart(figure, config=plot_config("compare-heads"), key="compare_heads")
    let_paint((selection.model, selection.texts, selection.compare, selection.word_lens.silenced), key="compare")
    with right, st.container(gap=None):
        for layer, head in found.largest_heads(LISTED):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                head_button(layer, head, key=f"compare_head_{layer}_{head}", width=HEAD_NAME)
                st.markdown(_in_numbers(heads, layer, head), width="content")
    st.caption(_control_in_words(heads, int(beyond.sum()), len(found.runs.alignment.shared)))
    show_table(lambda: _table(heads), title="The heads as a table", name="compare-heads", key="compare_heads_table")


def _in_numbers(heads: HeadDifferences, layer: int, head: int) -> str:
    return f"{heads.distances[layer, head]:.3f} · p = {heads.p_values[layer, head]:.3f}"


def _control_in_words(heads: HeadDifferences, beyond: int, rows: int) -> str:
    counted = "one row" if rows == 1 else f"{rows} rows"
    marked = f"Frames mark p ≤ {LEVEL}: {beyond} of {heads.p_values.size} heads"
    verdict = marked if beyond else f"**No head has p ≤ {LEVEL}: the order above may be chance**"
    return (
        f"The distance of two rows is half the sum of their absolute differences over the shared words (the total "
        f"variation distance where all words are shared); a head's is the mean over its {counted}. The control: "
        f"within each row, its distances are dealt out to the heads at random, {PERMUTATIONS} times; p is how often "
        f"some head then reaches as large a mean. {verdict}."
    )


def _table(heads: HeadDifferences) -> pd.DataFrame:
    """A row for each head, the largest distance first."""
    columns = head_columns(heads.distances.shape) | {"distance": heads.distances.ravel(), "p": heads.p_values.ravel()}
    return pd.DataFrame(columns).sort_values("distance", ascending=False, kind="stable")
