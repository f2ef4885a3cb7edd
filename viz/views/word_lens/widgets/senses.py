"""The choice of sentences for the map of senses."""

from __future__ import annotations

import streamlit as st

from encoder.experiments.senses.sentence_search import MOST_LINES
from viz.state import session
from viz.state.selection import AUTOMATIC, NO_SENTENCES, OWN, Selection, shipped_words
from viz.views.word_lens.answer.senses import shipped_match


def choose_sentences(word: str, selection: Selection) -> None:
    """Draw the choice of sentences, and the field for one's own."""
    match = shipped_match(word)
    # Titles differ from each other: the browser sends them back, and not the values that they stand for.
    automatic = "Ours, if there are some for this word" if match == NO_SENTENCES else f"Ours for this word, “{match}”"
    titles = {AUTOMATIC: automatic}
    titles |= {name: f"Ours for “{name}”" for name in shipped_words()} | {OWN: "Your own", NO_SENTENCES: "None"}
    st.selectbox(
        "Further sentences",
        list(titles),
        format_func=titles.__getitem__,
        help=f"Twelve sentences for each of {len(shipped_words())} words come with Headlight, labelled with the sense "
        "that the word has there.",
        **session.bound(
            "further",
            from_widget=lambda name: name if name in titles else selection.word_lens.sentences,  # a title that has gone
            options=list(titles),
        ),
    )
    if selection.word_lens.sentences == OWN:
        st.text_area(
            f"Your sentences, one in each line, at most {MOST_LINES}",
            height=140,
            placeholder="the pilot flies at night\ninsect | flies buzz around the lamp",
            help="Write “sense | sentence” to label a line. Every line is encoded by itself.",
            **session.bound("typed", initial="value"),
        )
