"""The word lens: one word in two sentences, and after which layers its two occurrences differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import streamlit as st

from encoder import Backend, Trace
from encoder.errors import ArgumentError, SelectionError
from encoder.measures.similarity import ReferenceBand
from encoder.shipped.probes import has_probes
from viz.answers.answer import Answer, Sentence
from viz.answers.word_lens.divergence import divergence
from viz.answers.word_lens.parts_of_speech import parts_of_speech
from viz.answers.word_lens.patching import carried_number, patching, patching_heading, tokens_heading, words_of_patching
from viz.answers.word_lens.profiles import profiles
from viz.answers.word_lens.silencing import silenced_together
from viz.answers.word_lens.summary import summary
from viz.answers.word_lens.word import Occurrence, WordPlaces, find_word_places
from viz.caches import estimate_cache, experiment_cache
from viz.caches.run_cache import cached_job, cached_with_model
from viz.panels.answer import show_answer
from viz.panels.heads import choose_silenced_heads
from viz.panels.patched_tokens import show_patched_tokens
from viz.panels.room import is_at_stop
from viz.panels.word_lens.choice import choose_occurrences
from viz.panels.word_lens.heads import show_head_effects
from viz.panels.word_lens.senses import show_sense_map
from viz.state.selection import Carried, Selection
from viz.tours.pictures import ALL_OF_LENS, LensPicture, lens_pictures
from viz.tours.tour import Stop
from viz.widgets import choice
from viz.wording.labels import escape_markdown

NUMBERS: Final[Mapping[Carried, str]] = MappingProxyType(
    {"part of speech": "Part of speech", "shift": "Shift from A to B"}
)


@dataclass(frozen=True, slots=True)
class _Lens:
    """The data of the pictures.

    Attributes:
        band: cosines of pairs with one sense and with two; None for one occurrence.
        silenced: the same runs with heads silenced, by sentence; empty where none is.
    """

    occurrences: Sequence[Occurrence]
    band: ReferenceBand | None
    silenced: Mapping[str, Trace]
    selection: Selection


def word_lens(traces: Mapping[str, Trace], selection: Selection, places: WordPlaces | None, stop: Stop | None) -> None:
    """The six pictures of the chosen word; before an audience those that the stop of a tour is about.

    Args:
        traces: of one sentence, or of "A" and "B", each encoded alone.
        places: from `find_word_places`, if the page has called it already.
        stop: before an audience; else None.
    """
    occurrences = choose_occurrences(traces, places or find_word_places(traces, selection))
    if len(traces) > 1 and not selection.stage:  # before an audience, the speaker says so
        st.caption(
            "In this view the two sentences are encoded separately. As a pair, each occurrence would also see the "
            "other sentence, and the two would stay more similar."
        )
    if not occurrences:
        st.info("This sentence has no word to look at: type one.")
        return
    silenced = _silenced(occurrences, selection)
    pictures = lens_pictures(stop, selection) if stop else ALL_OF_LENS
    band = experiment_cache.band(occurrences[0].trace.model_name) if len(occurrences) == 2 else None
    in_short = summary(occurrences, band, silenced)
    if in_short and not stop:
        st.markdown(in_short)
    if len(occurrences) < 2 and {"divergence", "patching"} & set(pictures):
        way = "choose the word in both sentences" if len(traces) > 1 else "type the word in a second sentence"
        st.info(f"Pictures 1 and 5 compare two occurrences: {way} to see them.")
    _draw(pictures, _Lens(occurrences, band, silenced, selection))
    if stop:  # its pictures come first
        more = len(ALL_OF_LENS) - len(pictures)
        remark = f"The lens has {more} more of its {len(ALL_OF_LENS)} pictures on the full page." if more else ""
        st.markdown(" ".join(filter(None, (in_short, remark))))


def _silenced(occurrences: Sequence[Occurrence], selection: Selection) -> dict[str, Trace]:
    """The same runs with the chosen heads silenced, by sentence; none where none is chosen, or none can be."""
    heads = selection.word_lens.silenced
    if not heads:
        return {}
    name = occurrences[0].trace.model_name
    try:
        return {
            each.letter: cached_with_model(Backend.trace, name, each.text, silenced_heads=heads) for each in occurrences
        }
    except SelectionError as error:
        st.info(escape_markdown(str(error)))
        return {}


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


def _divergence(lens: _Lens) -> None:
    if lens.band is not None:
        a, b = lens.occurrences
        show_answer(divergence(a, b, lens.band, lens.silenced), view="lens")


def _profiles(lens: _Lens) -> None:
    show_answer(profiles(lens.occurrences, layer=lens.selection.layer, head=lens.selection.head), view="lens")


def _patching(lens: _Lens) -> None:
    if len(lens.occurrences) < 2:
        return
    a, b = lens.occurrences
    words = ((a.text, a.word_index), (b.text, b.word_index))
    try:
        show_answer(patching(a, cached_with_model(experiment_cache.patching, a.trace.model_name, *words)), view="lens")
    except SelectionError as error:
        show_answer(Answer((patching_heading(a), Sentence(escape_markdown(str(error)), "info"))), view="lens")
    _patched_tokens(a, b, lens.selection)


def _patched_tokens(a: Occurrence, b: Occurrence, selection: Selection) -> None:
    """Which tokens' states carry the number: estimates, which exact values replace; the shift alone without probes."""
    name = a.trace.model_name
    words = ((a.text, a.word_index), (b.text, b.word_index))
    number = carried_number(name, selection.word_lens.carried)
    show_answer(Answer((tokens_heading(number),)), view="lens")
    if has_probes(name):
        choice("Number that the tokens carry", NUMBERS, field="carried", labelled=False)
    try:
        patched = cached_with_model(estimate_cache.patched_word, name, number, *words)
        estimates = cached_with_model(estimate_cache.patching_estimates, name, number, *words)
    except (ArgumentError, SelectionError) as error:
        show_answer(Answer((Sentence(escape_markdown(str(error)), "caption"),)), view="lens")
        return
    show_patched_tokens(
        a.trace,
        b.trace,
        estimates,
        cached_job(estimate_cache.patching_effects, name, number, *words),
        **words_of_patching(b, patched),
        view="lens",
    )


def _parts_of_speech(lens: _Lens) -> None:
    show_answer(parts_of_speech(lens.occurrences, shows_accuracy=not is_at_stop(lens.selection)), view="lens")


def _heads(lens: _Lens) -> None:
    show_head_effects(lens.occurrences, lens.selection)
    choose_silenced_heads(
        lens.occurrences[0].trace,
        label="Silence together",
        placeholder="Choose heads; what they do together shows here and in picture 1",
        key="lens_silenced",
    )
    show_answer(silenced_together(lens.occurrences, lens.silenced), view="lens")


DRAWN: Final[Mapping[LensPicture, Callable[[_Lens], None]]] = MappingProxyType(
    {
        "divergence": _divergence,
        "profiles": _profiles,
        "parts of speech": _parts_of_speech,
        "heads": _heads,
        "patching": _patching,
        "sense map": lambda lens: show_sense_map(lens.occurrences, lens.selection),
    }
)
