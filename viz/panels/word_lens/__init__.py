"""The word lens: one word in two sentences, and after which layers its two occurrences differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from encoder import Trace
from encoder.errors import SelectionError
from viz.labels import escape_markdown
from viz.panels.word_lens.choice import Occurrence, WordPlaces, choose_occurrences, find_word_places
from viz.panels.word_lens.heads import show_head_effects
from viz.panels.word_lens.parting import show_parting
from viz.panels.word_lens.parts_of_speech import show_parts_of_speech
from viz.panels.word_lens.patching import show_patching
from viz.panels.word_lens.profiles import show_profiles
from viz.panels.word_lens.senses import show_sense_map
from viz.panels.word_lens.silencing import (
    choose_silenced_heads,
    show_silencing_table,
    silenced_cosines,
    silenced_traces,
)
from viz.panels.word_lens.summary import summarise
from viz.state.selection import Selection


def word_lens(traces: Mapping[str, Trace], selection: Selection, places: WordPlaces | None) -> None:
    """The six pictures of the chosen word.

    Args:
        traces: of one sentence, or of "A" and "B", each encoded alone.
        places: from `choice.find_word_places`, where the page has asked it already.
    """
    occurrences = choose_occurrences(traces, places or find_word_places(traces, selection))
    if len(traces) > 1:
        st.caption(
            "In this view the two sentences are encoded separately. As a pair, each occurrence would also see the "
            "other sentence, and the two would stay more similar."
        )
    if not occurrences:
        st.info("This sentence has no word to look at: type one.")
        return
    silenced: dict[str, Trace] = {}
    try:
        silenced = silenced_traces(occurrences, selection)
    except SelectionError as error:
        st.info(escape_markdown(str(error)))
    if short := summarise(occurrences, silenced):
        st.markdown(f"**In short:** {short}.")
    if len(occurrences) == 2:
        a, b = occurrences
        show_parting(a, b, silenced_cosines(occurrences, silenced))
    else:
        way = "choose the word in both sentences" if len(traces) > 1 else "type the word in a second sentence"
        st.info(f"Pictures 1 and 5 compare two occurrences: {way} to see them.")
    show_profiles(occurrences, selection)
    show_parts_of_speech(occurrences)
    fourth = st.container()
    if len(occurrences) == 2:
        show_patching(*occurrences)
    show_sense_map(occurrences, selection)
    with fourth:  # drawn last, so that the pictures below it do not wait for the sweep
        _heads(occurrences, silenced, selection)


def _heads(occurrences: Sequence[Occurrence], silenced: Mapping[str, Trace], selection: Selection) -> None:
    show_head_effects(occurrences, selection)
    choose_silenced_heads(occurrences[0].trace)
    show_silencing_table(occurrences, silenced)
