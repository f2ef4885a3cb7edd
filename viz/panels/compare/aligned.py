"""The words of both texts, side by side, and what is to be said of them."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from encoder.comparison.compare import Comparison
from viz.figures.aligned_words import aligned_words
from viz.figures.config import plot_config
from viz.panels.common import theme
from viz.panels.compare.choice import Sides
from viz.state.selection import Selection
from viz.wording.unknown_words import knows_no_word

WIDTH, STAGE_WIDTH = 600, 700  # pixels of a line of words
TALLEST = 440  # pixels, beyond which the words scroll


def show_alignment(found: Comparison, sides: Sides, selection: Selection) -> Callable[[], None]:
    """How many words are shared, and room for two rows of them with gaps, which the function that is returned draws.

    The heads are what people wait for: a browser draws one picture after another.
    """
    alignment = found.runs.alignment
    first = [None if in_a is None else alignment.a.labels[in_a] for in_a, _ in alignment.columns]
    second = [None if in_b is None else alignment.b.labels[in_b] for _, in_b in alignment.columns]
    if not first:
        return lambda: None
    width = STAGE_WIDTH if selection.stage else WIDTH
    figure = aligned_words(first, second, names=sides.names, theme=theme(), width=width)
    room = st.container(height=min(round(figure.layout.height), TALLEST), border=False)
    st.caption(" ".join([sides.note, _counted(found, sides.names), *_warnings(sides)]))

    def draw() -> None:
        with room:
            st.plotly_chart(figure, theme=None, config=plot_config("aligned-words"), key="compare_aligned")

    return draw


def _counted(found: Comparison, names: tuple[str, str]) -> str:
    alignment = found.runs.alignment
    only_a = sum(in_b is None for _, in_b in alignment.columns)
    only_b = sum(in_a is None for in_a, _ in alignment.columns)
    shared = len(alignment.shared_words)
    alone = f"; {only_a} in “{names[0]}” alone and {only_b} in “{names[1]}” alone" if only_a or only_b else ""
    return (
        f"{shared} {'word is' if shared == 1 else 'words are'} shared{alone}. Words are aligned without case, pieces "
        "of a word together."
    )


def _warnings(sides: Sides) -> list[str]:
    """What of the texts was not read, or not known."""
    said = []
    for run, name in zip((sides.a, sides.b), sides.names, strict=True):
        if cut := sum(run.tokens.truncated):
            said.append(f"**“{name}” does not have the last {cut:,} tokens, which were cut off.**")
    if knows_no_word([sides.a.tokens, sides.b.tokens]):
        said.append("**The model knows none of these words: it reads the same piece, “unknown”, for each.**")
    return said
