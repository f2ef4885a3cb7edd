"""The selected head's attention in the second run minus that in the first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from encoder.comparison.alignment import Alignment, Column
from encoder.comparison.compare import Comparison
from encoder.comparison.run_differences import with_gaps
from encoder.measures.unit_attention import head_or_mean
from encoder.runs.arrays import FloatArray
from viz.caches import experiment_cache
from viz.caches.memo import cached
from viz.components.plot_clicks import PinnedIn, plot_clicks
from viz.figures.config import plot_config
from viz.figures.differences import LEAST, difference_map
from viz.panels.common import head_name, texts_in, theme
from viz.panels.compare.choice import Sides
from viz.panels.compare.lines import show_lines
from viz.panels.download import csv_button
from viz.state.selection import Pins, Selection
from viz.wording.labels import escape_markdown, numbered

CHART = "compare_head"
MOST_COLUMNS = 128  # with those of words that one text alone has


def show_one_head(found: Comparison, sides: Sides, selection: Selection) -> None:
    """A heat map on a scale centred on zero, where words of one text alone have no numbers; and the same as lines."""
    layer, head = selection.layer, selection.head
    of_layer = cached(
        experiment_cache.attention_differences,
        sides.a,
        sides.b,
        special=selection.special,
        measure=sides.measure,
        layer=layer,
    )
    alignment = found.runs.alignment
    differences, labels = head_or_mean(of_layer, head), alignment.shared_labels  # (P, P)
    columns: Sequence[Column] = alignment.shared
    if _draws_gaps(alignment):
        differences, labels, columns = with_gaps(alignment, differences), alignment.labels, alignment.columns  # (C, C)
    texts = texts_of_columns(alignment, columns, sides)
    first, second = (f"“{escape_markdown(name)}”" for name in sides.names)
    st.markdown(f"### {head_name(selection)}: {second} minus {first}")
    figure = difference_map(differences, labels, pinned=pinned_among(texts, selection.shown_place.pins), theme=theme())
    st.plotly_chart(figure, theme=None, width="content", config=plot_config("attention-difference"), key=CHART)
    plot_clicks({CHART: {"axes": {"x": "key", "y": "query"}, "texts": texts}}, key="compare_clicks")
    largest = float(np.nanmax(np.abs(differences), initial=0))
    st.caption(_in_words(alignment, (first, second), largest, selection))
    csv_button(
        lambda: _table(differences, labels),
        name=f"difference-L{layer}-H{head}" if head >= 0 else f"difference-L{layer}-mean",
        key="compare_head_csv",
    )
    show_lines(found, sides, of_layer, selection)


def _in_words(alignment: Alignment, names: tuple[str, str], largest: float, selection: Selection) -> str:
    """How to read the map, and what it leaves out, as Markdown.

    Args:
        names: of both runs.
        largest: the largest difference, without its sign.
    """
    first, second = names
    scale = max(largest, LEAST)
    said = [
        f"Blue: the query looks at the key more in {second}; orange: more in {first}. Colours run from −{scale:.2g} to "
        f"+{scale:.2g} for this head: compare heads by the map above, not by the colours of two such pictures. A click "
        "pins a query and a key, here and in the lines below."
    ]
    if not largest:
        said.insert(0, "**No difference in this head.**")
    if _draws_gaps(alignment):
        said.append(
            f"Words with − are in {first} alone and words with + in {second} alone: their rows and columns are empty."
        )
    elif len(alignment.shared) < len(alignment.columns):
        said.append(f"Words of one text alone are left out: with them there would be {len(alignment.columns)} columns.")
    if selection.special == "renormalise":
        said.append("Each run's rows are scaled to sum to 1 over the words of its own text.")
    elif selection.special == "hide":
        said.append("Special tokens are hidden, and the rows left as they are.")
    return " ".join(said)


def _draws_gaps(alignment: Alignment) -> bool:
    """Whether words of one text alone have an empty row and column of their own."""
    return len(alignment.shared) < len(alignment.columns) <= MOST_COLUMNS


def texts_of_columns(alignment: Alignment, columns: Sequence[Column], sides: Sides) -> list[PinnedIn]:
    """For each compared text of the page, the first token of every column's word there; -1 where it has none."""
    found: list[PinnedIn] = []
    for side, (units, place) in enumerate(zip((alignment.a, alignment.b), sides.places, strict=True)):
        words = [column[side] for column in columns]
        tokens = [-1 if word is None else units.members[word][0] for word in words]
        if side == 0 or place != sides.places[0]:
            found.append({"text": texts_in(place)[0], "tokens": tokens})
    return found


def pinned_among(texts: Sequence[PinnedIn], pins: Pins) -> tuple[int | None, int | None]:
    """The columns of the pinned query and key; None where a token is pinned elsewhere, or is not a word's first."""
    tokens = next((one["tokens"] for one in texts if one["text"] == pins.run), ())
    query, key = (tokens.index(pin) if pin in tokens else None for pin in (pins.query, pins.key))
    return query, key


def _table(differences: FloatArray, labels: tuple[str, ...]) -> pd.DataFrame:
    """A row for each query; empty where a word is in one text alone."""
    names = numbered(labels)
    table = pd.DataFrame(differences, columns=names)
    table.insert(0, "query (from)", names)
    return table
