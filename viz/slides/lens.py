"""The word lens on a slide: those of its pictures that the stop's claims are about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from encoder.errors import SelectionError
from encoder.experiments.patching import patch_word
from encoder.measures.similarity import ReferenceBand, cosines_by_layer
from encoder.runs.arrays import FloatArray
from encoder.shipped.probes import has_probes, word_classes
from encoder.text.occurrences import positions_of_word
from viz.claims.subject import Subject
from viz.exports.charts import Chart
from viz.figures.class_probabilities import likeliest_classes
from viz.panels.word_lens.choice import Occurrence, find_word_places
from viz.slides.effects import effect_charts
from viz.slides.lens_charts import curves_over_states, parting_chart, parts_of_speech_chart
from viz.slides.models import Models
from viz.slides.profiles import profile_charts
from viz.slides.sense_map import sense_charts
from viz.slides.still import Still
from viz.state.selection import Selection
from viz.tours.pictures import LensPicture, lens_pictures
from viz.tours.places import LETTERS, Place
from viz.tours.pointing import Texts, placed_points
from viz.tours.tour import Point, Stop

REMARK = "The word lens has more pictures in the app; here are those that this stop is about."
MOST_TAGS = 5


@dataclass(frozen=True, slots=True)
class _Lens:
    """The lens at a stop."""

    occurrences: Sequence[Occurrence]
    subject: Subject
    selection: Selection
    models: Models
    points: Sequence[Point]


def word_lens(stop: Stop, selection: Selection, subject: Subject, models: Models) -> Still:
    """The lens's pictures that the stop is about.

    Raises:
        SelectionError: there is no word to look at, or a picture cannot be worked out.
    """
    lens = _Lens(_occurrences(selection, subject), subject, selection, models, stop.points)
    charts = [chart for name in lens_pictures(stop, selection) for chart in DRAWN[name](lens)]
    return Still(charts=tuple(charts), remark=REMARK)


def _occurrences(selection: Selection, subject: Subject) -> list[Occurrence]:
    traces = subject.traces
    places = find_word_places(traces, selection)
    found = [
        Occurrence(letter=letter, trace=trace, word_index=index, positions=positions_of_word(trace.tokens, index))
        for letter, trace, index in zip(LETTERS, traces.values(), (places.a, places.b), strict=False)
        if index is not None
    ]
    if not found:
        raise SelectionError("This sentence has no word to look at.")
    return found


def _parting(lens: _Lens) -> list[Chart]:
    """The cosine of the two occurrences after every layer, and with heads silenced where the stop silences some."""
    if len(lens.occurrences) < 2:
        return []
    a, b = lens.occurrences
    silenced = lens.selection.word_lens.silenced
    other = cosines_by_layer(*(_silenced_states(each, lens) for each in (a, b))) if silenced else None
    band: ReferenceBand = lens.models.band(lens.subject.backend.name)
    return [parting_chart(a.name, cosines_by_layer(a.states, b.states), band=band, silenced=(silenced, other))]


def _silenced_states(each: Occurrence, lens: _Lens) -> FloatArray:
    trace = lens.subject.backend.trace(each.text, silenced_heads=lens.selection.word_lens.silenced)
    return Occurrence(letter=each.letter, trace=trace, word_index=each.word_index, positions=each.positions).states


def _profiles(lens: _Lens) -> list[Chart]:
    """What each occurrence looks at, and what looks at it."""
    tokens = {place: trace.tokens for place, trace in lens.subject.traces.items()}
    points = placed_points(lens.points, Texts(queries=tokens, keys=tokens))
    return profile_charts(lens.occurrences, lens.selection, points)


def _sense_map(lens: _Lens) -> list[Chart]:
    """The word in further sentences."""
    return sense_charts(lens.occurrences, lens.selection, lens.subject.backend)


def _parts_of_speech(lens: _Lens) -> list[Chart]:
    """What a probe reads off each occurrence after every layer."""
    if not has_probes(lens.subject.backend.name):
        return []
    classes = {each.letter: word_classes(each.trace) for each in lens.occurrences}
    read = {each.letter: classes[each.letter].probabilities[:, each.word_index] for each in lens.occurrences}
    shown = likeliest_classes(list(read.values()), MOST_TAGS)
    return [
        parts_of_speech_chart(
            f"What a probe takes “{each.name}” in {each.letter} for", read[each.letter], classes[each.letter], shown
        )
        for each in lens.occurrences
    ]


def _heads(lens: _Lens) -> list[Chart]:
    """What silencing each head does to the word."""
    effect = lens.selection.word_lens.effect
    places = [_place(each, lens) for each in lens.occurrences]
    others = places[::-1] if effect == "shift" and len(places) == 2 else [None] * len(places)
    return effect_charts(
        [
            (f"“{each.name}” in {each.letter}", lens.subject.sweep(place, other))
            for each, place, other in zip(lens.occurrences, places, others, strict=True)
        ],
        effect=effect,
        points=lens.points,
    )


def _place(each: Occurrence, lens: _Lens) -> Place:
    """Where the word is, as claims find it."""
    place, letter = next(
        (place, letter)
        for (place, trace), letter in zip(lens.subject.traces.items(), LETTERS, strict=False)
        if trace is each.trace
    )
    return Place(place, letter, each.positions)


def _patching(lens: _Lens) -> list[Chart]:
    """Where the word ends when its state in A is put in place of the one in B."""
    if len(lens.occurrences) < 2:
        return []
    a, b = lens.occurrences
    subject = lens.subject
    words = (a.trace.tokens, a.positions), (b.trace.tokens, b.positions)
    found = patch_word(subject.backend, *words, probes=subject.probes)
    what = f"“{a.name}” in B, with its state from A put in place"
    state = found.first_state_nearer_to_a
    charts = [
        curves_over_states(
            what,
            {"final vector, cosine to that of A": found.to_a, "cosine to that of B": found.to_b},
            colours=("A", "B"),
            value="cosine similarity",
            lines=[] if state is None else [(state, "nearer to A")],
        )
    ]
    if found.probabilities is None or found.unpatched_a is None or found.unpatched_b is None:
        return charts
    tags = word_classes(a.trace).tags
    shown = dict.fromkeys((int(found.unpatched_a.argmax()), int(found.unpatched_b.argmax())))
    likeliest = {tags[tag]: found.probabilities[:, tag] for tag in shown}
    return [*charts, curves_over_states(what, likeliest, colours=tuple(shown), value="probability", percent=True)]


DRAWN: Final[Mapping[LensPicture, Callable[[_Lens], list[Chart]]]] = MappingProxyType(
    {
        "parting": _parting,
        "profiles": _profiles,
        "parts of speech": _parts_of_speech,
        "heads": _heads,
        "patching": _patching,
        "sense map": _sense_map,
    }
)
