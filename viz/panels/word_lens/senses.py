"""The choice of sentences for the map of senses."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from encoder.experiments.senses.sentence_search import MOST_LINES
from viz.answers.word_lens.senses import NO_COMPANY, chosen_sentences, senses, shipped_match
from viz.answers.word_lens.word import Occurrence
from viz.caches import experiment_cache
from viz.caches.run_cache import cached_with_model
from viz.panels.answer import show_answer
from viz.panels.room import is_at_stop
from viz.state import session
from viz.state.selection import AUTOMATIC, NO_SENTENCES, OWN, Selection, shipped_words


def show_sense_map(occurrences: Sequence[Occurrence], selection: Selection) -> None:
    """All occurrences after the chosen layer, with the sentences that are chosen."""
    word = occurrences[0].word
    if not is_at_stop(selection):  # which names its sentences
        _choose_sentences(word, selection)
    name = chosen_sentences(word, selection.word_lens)
    if name == NO_SENTENCES:
        show_answer(NO_COMPANY, view="lens")
        return
    typed = (selection.word_lens.typed, word) if name == OWN else ("", "")
    sentences, states = cached_with_model(experiment_cache.further, occurrences[0].trace.model_name, name, *typed)
    show_answer(senses(occurrences, sentences, states, name=name, layer=selection.layer), view="lens")


def _choose_sentences(word: str, selection: Selection) -> None:
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
