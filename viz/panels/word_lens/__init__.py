"""The word lens: one word in two sentences, what the model reads it as, and what makes its two uses differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final

import streamlit as st

from encoder import Trace
from encoder.errors import ArgumentError, SelectionError
from encoder.measures.similarity import ReferenceBand
from encoder.shipped.probes import has_probes
from viz.answers.answer import Answer, Sentence
from viz.answers.word_lens import divergence as divergence_answer
from viz.answers.word_lens import parts_of_speech as parts_of_speech_answer
from viz.answers.word_lens import profiles as profiles_answer
from viz.answers.word_lens.patching import carried_number, patching, patching_heading, tokens_heading, words_of_patching
from viz.answers.word_lens.senses import SENSES_HEADING
from viz.answers.word_lens.silencing import silenced_together
from viz.answers.word_lens.summary import TO_TRY, leading_picture, short_answer, stays_close
from viz.answers.word_lens.word import Occurrence, WordPlaces, find_word_places
from viz.caches import estimate_cache, experiment_cache
from viz.caches.run_cache import cached_job, cached_with_model, trace_without_heads
from viz.panels.answer import show_answer
from viz.panels.folds import Fold, show_below_title, show_folds
from viz.panels.heads import choose_silenced_heads
from viz.panels.patched_tokens import show_patched_tokens
from viz.panels.room import is_at_stop
from viz.panels.word_lens.choice import choose_occurrences
from viz.panels.word_lens.heads import show_head_effects
from viz.panels.word_lens.senses import show_sense_map
from viz.state import session
from viz.state.selection import DEFAULT, Carried, Selection
from viz.tours.pictures import LensPicture, lens_pictures
from viz.tours.tour import Stop
from viz.widgets import choice
from viz.wording.labels import escape_markdown

NUMBERS: Final[Mapping[Carried, str]] = MappingProxyType(
    {"part of speech": "Part of speech", "shift": "Shift from A to B"}
)
PARTS_OF_MODEL: Final[tuple[LensPicture, ...]] = ("heads", "patching", "patched tokens")  # in one fold
OF_TWO: Final[frozenset[LensPicture]] = frozenset({"divergence", "patching", "patched tokens"})


@dataclass(frozen=True, slots=True)
class _Lens:
    """The data of the pictures.

    Attributes:
        silenced: the same runs with heads silenced, by sentence; empty where none is.
    """

    occurrences: Sequence[Occurrence]
    silenced: Mapping[str, Trace]
    selection: Selection

    @property
    def band(self) -> ReferenceBand | None:
        """Cosines of pairs with one sense and with two, computed on demand; None for one occurrence."""
        pair = len(self.occurrences) == 2
        return experiment_cache.band(self.occurrences[0].trace.model_name) if pair else None


def word_lens(traces: Mapping[str, Trace], selection: Selection, places: WordPlaces | None, stop: Stop | None) -> None:
    """The answer about the chosen word, and folds; before an audience the picture that the stop of a tour is about.

    Args:
        traces: of one sentence, or of "A" and "B", each encoded alone.
        places: from `find_word_places`, if the page has called it already.
        stop: the current stop of a tour, if it is about this view.
    """
    occurrences = choose_occurrences(traces, places or find_word_places(traces, selection))
    if not occurrences:
        st.info("This sentence has no word to look at: type one.")
        return
    lens = _Lens(occurrences, _silenced(occurrences, selection), selection)
    leading, pointed_at = leading_picture(occurrences), lens_pictures(stop, selection) if stop else ()
    if stop and selection.stage:
        _show_stop(lens, next(iter(pointed_at), leading))
        return
    band = lens.band if leading == "divergence" else None
    show_answer(short_answer(occurrences, band, lens.silenced, layer=selection.layer, head=selection.head), view="lens")
    if stays_close(occurrences, band):
        texts = {"a": TO_TRY.a, "b": TO_TRY.b, "mode": TO_TRY.mode}
        st.button(f"Try “{TO_TRY.title}”", key="lens_try", on_click=session.change, kwargs=texts)
    _draw((leading,), lens)
    show_folds([*_folds(lens, leading, pointed_at)], view="lens")


def _folds(lens: _Lens, leading: LensPicture, pointed_at: Sequence[LensPicture]) -> Iterator[Fold]:
    """The pictures that are not the leading one.

    Args:
        pointed_at: by the stop of a tour.
    """
    occurrences, chosen = lens.occurrences, lens.selection.word_lens
    titles: dict[LensPicture, str] = {"profiles": profiles_answer.HEADING}
    if len(occurrences) == 2:
        titles = {"divergence": divergence_answer.HEADING, **titles}
    if has_probes(occurrences[0].trace.model_name):
        titles["parts of speech"] = parts_of_speech_answer.OTHERWISE
    for name, title in titles.items():
        if name != leading:
            yield Fold(
                name=name.replace(" ", "_"),
                title=title,
                show=partial(_show_below_title, lens, name),
                pointed_at=name in pointed_at,
            )
    pictures = PARTS_OF_MODEL if len(occurrences) == 2 else PARTS_OF_MODEL[:1]
    yield Fold(
        name="parts_of_model",
        title="Which part of the model does it?",
        show=lambda: _draw(pictures, lens),
        pointed_at=bool({*PARTS_OF_MODEL} & {*pointed_at} or chosen.silenced)
        or chosen.effect != DEFAULT.word_lens.effect
        or chosen.carried != DEFAULT.word_lens.carried,
    )
    yield Fold(
        name="senses",
        title=f"“{escape_markdown(occurrences[0].name)}” in other sentences",
        show=lambda: show_sense_map(occurrences, lens.selection),
        pointed_at="sense map" in pointed_at or chosen.sentences != DEFAULT.word_lens.sentences,
    )


def _show_stop(lens: _Lens, picture: LensPicture) -> None:
    if len(lens.occurrences) < 2 and picture in OF_TWO:
        name = escape_markdown(lens.occurrences[0].name)
        st.info(f"Use “{name}” in both sentences to see how its two uses differ.")
        return
    _draw((picture,), lens)


def _silenced(occurrences: Sequence[Occurrence], selection: Selection) -> dict[str, Trace]:
    """The same runs with the chosen heads silenced, by sentence; none where none is chosen, or none can be."""
    heads = selection.word_lens.silenced
    if not heads:
        return {}
    name = occurrences[0].trace.model_name
    try:
        return {each.letter: trace_without_heads(name, each.text, None, heads) for each in occurrences}
    except SelectionError as error:
        st.info(escape_markdown(str(error)))
        return {}


def _draw(pictures: Sequence[LensPicture], lens: _Lens) -> None:
    """Some pictures in their order; that of the heads last, so that the others do not wait for the sweep."""
    place_of_heads = None
    for name in pictures:
        if name == "heads":
            place_of_heads = st.container()
        elif name in ANSWERS:
            show_answer(ANSWERS[name](lens), view="lens")
        else:
            DRAWN[name](lens)
    if place_of_heads:
        with place_of_heads:
            DRAWN["heads"](lens)


def _divergence(lens: _Lens) -> Answer:
    if lens.band is None:
        return Answer(())
    a, b = lens.occurrences
    says_verdict = leading_picture(lens.occurrences) != "divergence"
    return divergence_answer.divergence(a, b, lens.band, lens.silenced, says_verdict=says_verdict)


def _profiles(lens: _Lens) -> Answer:
    return profiles_answer.profiles(lens.occurrences, layer=lens.selection.layer, head=lens.selection.head)


def _parts_of_speech(lens: _Lens) -> Answer:
    return parts_of_speech_answer.parts_of_speech(lens.occurrences, shows_accuracy=not is_at_stop(lens.selection))


def _patching(lens: _Lens) -> None:
    if len(lens.occurrences) < 2:
        return
    a, b = lens.occurrences
    words = ((a.text, a.word_index), (b.text, b.word_index))
    try:
        show_answer(patching(a, cached_with_model(experiment_cache.patching, a.trace.model_name, *words)), view="lens")
    except SelectionError as error:
        show_answer(Answer((patching_heading(a), Sentence(escape_markdown(str(error)), "info"))), view="lens")


def _patched_tokens(lens: _Lens) -> None:
    """Which tokens' states carry the number: estimates, which exact values replace; the shift alone without probes."""
    if len(lens.occurrences) < 2:
        return
    a, b = lens.occurrences
    name = a.trace.model_name
    words = ((a.text, a.word_index), (b.text, b.word_index))
    number = carried_number(name, lens.selection.word_lens.carried)
    show_answer(Answer((tokens_heading(number),)), view="lens")
    if has_probes(name) and not is_at_stop(lens.selection):
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


def _heads(lens: _Lens) -> None:
    show_head_effects(lens.occurrences, lens.selection)
    if is_at_stop(lens.selection):
        return
    choose_silenced_heads(
        lens.occurrences[0].trace,
        label="Silence together",
        placeholder="Choose heads; the answer above says what they do together",
        key="lens_silenced",
    )
    show_answer(silenced_together(lens.occurrences, lens.silenced), view="lens")


def _sense_map(lens: _Lens) -> None:
    show_answer(Answer((SENSES_HEADING,)), view="lens")
    show_sense_map(lens.occurrences, lens.selection)


def _show_below_title(lens: _Lens, name: LensPicture) -> None:
    show_below_title(ANSWERS[name](lens), view="lens")


ANSWERS: Final[Mapping[LensPicture, Callable[[_Lens], Answer]]] = MappingProxyType(
    {"divergence": _divergence, "profiles": _profiles, "parts of speech": _parts_of_speech}
)
DRAWN: Final[Mapping[LensPicture, Callable[[_Lens], None]]] = MappingProxyType(
    {"heads": _heads, "patching": _patching, "patched tokens": _patched_tokens, "sense map": _sense_map}
)
