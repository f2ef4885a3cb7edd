"""Which words differ most: the states of shared words, layer by layer, beside what chance gives."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from encoder.comparison.compare import PERMUTATIONS, Comparison, WordDifferences
from viz.figures.config import plot_config
from viz.figures.differences import word_distance_map
from viz.panels.common import theme
from viz.panels.tables import show_table
from viz.state import session
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown, make_visible, numbered, shorten, state_names

LISTED = 8
LONGEST_NAME = 24  # characters of a word in the list
NAMES = {"states": "cosine distance", "structure": "difference of cosines"}
MEANINGS = {
    "states": "The distance is one minus the cosine of a word's two states.",
    "structure": "States of two models have no common axes and no cosine. So each word's cosines to the other shared "
    "words are taken within either model; the distance is the mean of how much these differ.",
}


def show_words(found: Comparison, selection: Selection) -> None:
    """The distances as a heat map, and the words that differ most as a list."""
    st.markdown("### Which words differ most?")
    words = found.words
    if words is None:
        st.info(
            "Two models' words are compared by their cosines to each other, and this text has one word only."
            if found.runs.alignment.shared_words
            else "The two texts share no word: only their special tokens are compared above."
        )
        return
    names = [found.runs.alignment.a.labels[in_a] for in_a, _ in found.runs.alignment.shared_words]
    figure = word_distance_map(words.by_state, names, name=NAMES[words.measure], theme=theme())
    config = plot_config("compare-words")
    st.plotly_chart(figure, theme=None, width="content", config=config, key="compare_words")
    with st.container(horizontal=True, gap="small"):
        for index in found.largest_words(LISTED):
            repeated = f" ({index})" if names.count(names[index]) > 1 else ""  # as hover numbers the columns
            _show_word(found, words, index, names[index], repeated, can_open=selection.compare.kind == "texts")
    last_alone = (
        " The models have not as many layers: their last states are compared." if len(words.by_state) == 1 else ""
    )
    st.caption(
        f"{MEANINGS[words.measure]}{last_alone} The list goes by the mean over the layers. The control: which word of "
        f"the second run belongs to which of the first is permuted, {PERMUTATIONS} times; p is how often another word "
        "then lies as near. With a small p the word is still nearest to itself, with a large one it has gone as far as "
        "other words are."
    )
    show_table(
        lambda: _table(words, names), title="The words as a table", name="compare-words", key="compare_words_table"
    )


def _show_word(
    found: Comparison, words: WordDifferences, index: int, name: str, repeated: str, *, can_open: bool
) -> None:
    """A word with its numbers; of two texts, a button that opens it in the word lens."""
    shown = escape_markdown(shorten(make_visible(name), LONGEST_NAME) + repeated)
    numbers = f"{words.distances[index]:.3f} · p = {words.p_values[index]:.3f}"
    if not can_open:
        st.markdown(f"**{shown}** {numbers}", width="content")
        return
    alignment = found.runs.alignment
    in_a, in_b = alignment.shared_words[index]
    tokens = (found.runs.a.tokens, found.runs.b.tokens)
    places = [
        own.word_ids[units.members[shared][0]]
        for own, units, shared in zip(tokens, (alignment.a, alignment.b), (in_a, in_b), strict=True)
    ]
    st.button(
        f"{shown} {numbers}",
        key=f"compare_word_{index}",
        on_click=session.change,
        kwargs={"view": "word lens", "at_a": places[0], "at_b": places[1]},
        help="Open the word lens at this word",
        type="tertiary",
    )


def _table(words: WordDifferences, names: list[str]) -> pd.DataFrame:
    """A row for each shared word, in the order of the text."""
    states = state_names(len(words.by_state)) if len(words.by_state) > 1 else ["last"]
    columns = {"word": numbered(names), "distance": words.distances, "p": words.p_values}
    return pd.DataFrame(columns | {f"distance_{name}": row for name, row in zip(states, words.by_state, strict=True)})
