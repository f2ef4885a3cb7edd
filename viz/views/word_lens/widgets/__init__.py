"""The word lens: one word in two sentences, what the model reads it as, and what makes its two uses differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import streamlit as st

from encoder import Trace
from encoder.shipped.probes import has_probes
from viz.answers.room import PAGE
from viz.answers.word_places import find_word_places
from viz.state.selection import DEFAULT, Carried, Selection
from viz.tours.pictures import LensPicture, lens_pictures
from viz.tours.tour import Stop
from viz.views.word_lens.answer import divergence as divergence_answer
from viz.views.word_lens.answer import parts_of_speech as parts_of_speech_answer
from viz.views.word_lens.answer import profiles as profiles_answer
from viz.views.word_lens.answer.heads import MEASURES
from viz.views.word_lens.answer.summary import TO_TRY, leading_picture, short_answer, stays_close
from viz.views.word_lens.steps import PICTURES, Lens, band_of, lens_at_stop, lens_of
from viz.views.word_lens.widgets.choice import choose_occurrences
from viz.views.word_lens.widgets.senses import choose_sentences
from viz.widgets import change_button, choice
from viz.widgets.answer import show_answer
from viz.widgets.folds import Fold, show_folds
from viz.widgets.heads import choose_silenced_heads
from viz.widgets.recipe import show_recipe
from viz.widgets.room import room_of
from viz.wording.labels import escape_markdown, head_in_words

NUMBERS: Final[Mapping[Carried, str]] = {"part of speech": "Part of speech", "shift": "Shift from A to B"}
PARTS_OF_MODEL: Final[tuple[LensPicture, ...]] = ("heads", "patching", "patched tokens")  # in one fold


def word_lens(traces: Mapping[str, Trace], selection: Selection, stop: Stop | None) -> None:
    """The answer about the chosen word, and folds; before an audience the picture that the stop of a tour is about.

    Args:
        traces: of one sentence, or of "A" and "B", each encoded alone.
        stop: the current stop of a tour, if it is about this view.
    """
    occurrences = choose_occurrences(traces, find_word_places(traces, selection))
    if not occurrences:
        st.info("This sentence has no word to look at: type one.")
        return
    name, points = occurrences[0].trace.model_name, stop.points if stop else ()
    lens = show_recipe(lens_of(traces, occurrences, selection, room_of(selection), points), name, view="lens")
    leading, pointed_at = leading_picture(occurrences), lens_pictures(stop, selection) if stop else ()
    show: Callable[..., Any] = partial(show_recipe, model_name=name, view="lens", widgets=_widgets(lens))
    if stop and selection.stage:
        show(lens_at_stop(lens, pointed_at, speaks=False))
        return
    band = show(band_of(lens)) if leading == "divergence" else None
    show_answer(short_answer(occurrences, band, lens.silenced, layer=selection.layer, head=selection.head), view="lens")
    if stays_close(occurrences, band):
        texts = {"a": TO_TRY.a, "b": TO_TRY.b, "mode": TO_TRY.mode}
        change_button(f"Try “{TO_TRY.title}”", texts, key="lens_try")
    show(PICTURES[leading](lens))
    show_folds([*_folds(lens, leading, pointed_at, show)], view="lens")


def _folds(
    lens: Lens, leading: LensPicture, pointed_at: Sequence[LensPicture], show: Callable[..., Any]
) -> Iterator[Fold]:
    """The pictures that are not the leading one.

    Args:
        pointed_at: by the stop of a tour.
        show: renders a recipe.
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
                show=partial(_show_below_title, lens, name, show),
                pointed_at=name in pointed_at,
            )
    yield Fold(
        name="parts_of_model",
        title="Which part of the model does it?",
        show=lambda: _show_parts_of_model(lens, show),
        pointed_at=bool({*PARTS_OF_MODEL} & {*pointed_at} or chosen.silenced)
        or chosen.effect != DEFAULT.word_lens.effect
        or chosen.carried != DEFAULT.word_lens.carried,
    )
    yield Fold(
        name="senses",
        title=f"“{escape_markdown(occurrences[0].name)}” in other sentences",
        show=partial(_show_below_title, lens, "sense map", show),
        pointed_at="sense map" in pointed_at or chosen.sentences != DEFAULT.word_lens.sentences,
    )


def _show_below_title(lens: Lens, name: LensPicture, show: Callable[..., Any]) -> None:
    show(PICTURES[name](lens), below_title=True)


def _show_parts_of_model(lens: Lens, show: Callable[..., Any]) -> None:
    """The pictures in their order; the others do not wait for the sweep of the first."""
    first, *others = [(name, st.container()) for name in PARTS_OF_MODEL]
    for name, place in (*others, first):
        with place:
            show(PICTURES[name](lens))


def _widgets(lens: Lens) -> Mapping[str, Callable[[], object]]:
    """The widgets of the pictures; none at a stop of a tour."""
    selection, trace = lens.selection, lens.occurrences[0].trace
    if lens.room is not PAGE:
        return {}
    widgets: dict[str, Callable[[], object]] = {
        "effect": _choose_measure,
        "open head": lambda: _open_in(selection),
        "silenced": lambda: choose_silenced_heads(
            trace,
            label="Silence together",
            placeholder="Choose heads; the answer above says what they do together",
            key="lens_silenced",
        ),
        "sentences": lambda: choose_sentences(lens.occurrences[0].word, selection),
    }
    if has_probes(trace.model_name):
        widgets["carried"] = lambda: choice("Number that the tokens carry", NUMBERS, field="carried", labelled=False)
    return widgets


def _choose_measure() -> None:
    choice(
        "Effect on",
        {measure: measure for measure in MEASURES},
        field="effect",
        help="The word's final vector: its cosine distance to the one with all heads. The part of speech: the log-odds "
        "between the two likeliest, as the last layer's probe reads them, in nats. The shift: the cosine distance "
        "between the word's final vectors in A and in B.",
    )


def _open_in(selection: Selection) -> None:
    """Buttons that open the chosen head in another view."""
    name = head_in_words(selection.layer, selection.head)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"Open {name} in the", width="content")
        for view in ("head view", "heat map", "neuron view"):
            change_button(view, {"view": view}, key=f"lens_open_{view}")
