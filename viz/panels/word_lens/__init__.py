"""The word lens: one word in two sentences, and how its two occurrences part on the way through the layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from encoder import Trace
from encoder.errors import SelectionError
from viz.labels import verbatim
from viz.panels.word_lens.belief import belief
from viz.panels.word_lens.carried import carried
from viz.panels.word_lens.choice import Occurrence, Places, choose, find
from viz.panels.word_lens.heads import heads
from viz.panels.word_lens.parting import parting
from viz.panels.word_lens.profiles import profiles
from viz.panels.word_lens.senses import senses
from viz.panels.word_lens.silencing import chosen_heads, curve_of, silenced_traces, together
from viz.panels.word_lens.summary import in_short
from viz.state.selection import Selection


def word_lens(traces: Mapping[str, Trace], selection: Selection, found: Places | None) -> None:
    """The six pictures of the chosen word.

    Args:
        traces: of one sentence, or of "A" and "B", each encoded alone.
        found: from `choice.find`, where the page has asked it already.
    """
    occurrences = choose(traces, found or find(traces, selection))
    if len(traces) > 1:
        st.caption(
            "In this view the two sentences are encoded separately: as a pair each occurrence would see the other "
            "sentence, too, and the two would stay more alike than they are."
        )
    if not occurrences:
        st.info("This sentence has no word to look at: type one.")
        return
    silenced: dict[str, Trace] = {}
    try:
        silenced = silenced_traces(occurrences, selection)
    except SelectionError as error:
        st.info(verbatim(str(error)))
    if short := in_short(occurrences, silenced):
        st.markdown(f"**In short:** {short}.")
    if len(occurrences) == 2:
        a, b = occurrences
        parting(a, b, curve_of(occurrences, silenced))
    else:
        way = "choose the word in both sentences" if len(traces) > 1 else "type the word in a second sentence"
        st.info(f"Pictures 1 and 5 compare two occurrences: {way} to see them.")
    profiles(occurrences, selection)
    belief(occurrences)
    fourth = st.container()
    if len(occurrences) == 2:
        carried(*occurrences)
    senses(occurrences, selection)
    with fourth:  # drawn last: what follows it on the page need not wait for its sweep
        _heads(occurrences, silenced, selection)


def _heads(occurrences: Sequence[Occurrence], silenced: Mapping[str, Trace], selection: Selection) -> None:
    heads(occurrences, selection)
    chosen_heads(occurrences[0].trace)
    together(occurrences, silenced)
