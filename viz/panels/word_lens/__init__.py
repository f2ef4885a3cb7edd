"""The word lens: one word in two sentences, and after which layers its two occurrences differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import streamlit as st

from encoder import Trace
from encoder.errors import SelectionError
from viz.panels.common import choose_silenced_heads
from viz.panels.word_lens.choice import Occurrence, WordPlaces, choose_occurrences, find_word_places
from viz.panels.word_lens.heads import show_head_effects
from viz.panels.word_lens.parting import show_parting
from viz.panels.word_lens.parts_of_speech import show_parts_of_speech
from viz.panels.word_lens.patched_tokens import show_patched_tokens
from viz.panels.word_lens.patching import show_patching
from viz.panels.word_lens.profiles import show_profiles
from viz.panels.word_lens.senses import show_sense_map
from viz.panels.word_lens.silencing import (
    show_silencing_table,
    silenced_cosines,
    silenced_traces,
)
from viz.panels.word_lens.summary import summarise
from viz.state.selection import Selection
from viz.tours.pictures import ALL_OF_LENS, LensPicture, lens_pictures
from viz.tours.tour import Stop
from viz.wording.labels import escape_markdown


@dataclass(frozen=True, slots=True)
class _Lens:
    """What the pictures are drawn of."""

    occurrences: Sequence[Occurrence]
    silenced: Mapping[str, Trace]
    selection: Selection


def word_lens(traces: Mapping[str, Trace], selection: Selection, places: WordPlaces | None, stop: Stop | None) -> None:
    """The six pictures of the chosen word; before an audience those that the stop of a tour is about.

    Args:
        traces: of one sentence, or of "A" and "B", each encoded alone.
        places: from `choice.find_word_places`, where the page has asked it already.
        stop: before an audience; else None.
    """
    occurrences = choose_occurrences(traces, places or find_word_places(traces, selection))
    if len(traces) > 1 and not selection.stage:  # before an audience, somebody says so
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
    pictures = lens_pictures(stop, selection) if stop else ALL_OF_LENS
    short = summarise(occurrences, silenced)
    in_short = f"**In short:** {short}." if short else ""
    if in_short and not stop:
        st.markdown(in_short)
    if len(occurrences) < 2 and {"parting", "patching"} & set(pictures):
        way = "choose the word in both sentences" if len(traces) > 1 else "type the word in a second sentence"
        st.info(f"Pictures 1 and 5 compare two occurrences: {way} to see them.")
    _draw(pictures, _Lens(occurrences, silenced, selection))
    if stop:  # its pictures come first
        more = len(ALL_OF_LENS) - len(pictures)
        remark = f"The lens has {more} more of its {len(ALL_OF_LENS)} pictures on the full page." if more else ""
        st.markdown(" ".join(filter(None, (in_short, remark))))


def _draw(pictures: Sequence[LensPicture], lens: _Lens) -> None:
    """Some pictures in their order; that of the heads last, so that the others do not wait for the sweep."""
    place_of_heads = None
    for name in pictures:
        if name == "heads":
            place_of_heads = st.container()
        else:
            DRAWN[name](lens)
    if place_of_heads:
        with place_of_heads:
            DRAWN["heads"](lens)


def _parting(lens: _Lens) -> None:
    if len(lens.occurrences) == 2:
        a, b = lens.occurrences
        show_parting(a, b, silenced_cosines(lens.occurrences, lens.silenced))


def _patching(lens: _Lens) -> None:
    if len(lens.occurrences) == 2:
        a, b = lens.occurrences
        show_patching(a, b)
        show_patched_tokens(a, b, lens.selection)


def _heads(lens: _Lens) -> None:
    show_head_effects(lens.occurrences, lens.selection)
    choose_silenced_heads(
        lens.occurrences[0].trace,
        label="Silence together",
        placeholder="Choose heads; what they do together shows here and in picture 1",
        key="lens_silenced",
    )
    show_silencing_table(lens.occurrences, lens.silenced)


DRAWN: Final[Mapping[LensPicture, Callable[[_Lens], None]]] = MappingProxyType(
    {
        "parting": _parting,
        "profiles": lambda lens: show_profiles(lens.occurrences, lens.selection),
        "parts of speech": lambda lens: show_parts_of_speech(lens.occurrences, lens.selection),
        "heads": _heads,
        "patching": _patching,
        "sense map": lambda lens: show_sense_map(lens.occurrences, lens.selection),
    }
)
