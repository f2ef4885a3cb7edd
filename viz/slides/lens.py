"""The word lens on a slide: the numbers of those of its pictures that the stop's claims are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from encoder.errors import SelectionError
from encoder.experiments.patching import patch_word
from encoder.measures.similarity import cosines_by_layer
from encoder.runs.trace import FloatArray
from encoder.shipped.probes import has_probes, word_classes
from encoder.text.occurrences import positions_of_word
from viz.claims.subject import Subject
from viz.exports.contents import NumberGrid
from viz.figures.class_probabilities import likeliest_classes
from viz.panels.word_lens.choice import Occurrence, find_word_places
from viz.slides.still import Still
from viz.state.selection import Selection
from viz.tours.places import LETTERS, Place
from viz.tours.tour import Stop

REMARK = "The word lens answers in the app alone; here are the numbers of its pictures that this stop is about."
MOST_TAGS = 5
PICTURES: Mapping[str, str] = {
    "cosine": "parting",
    "probe": "parts of speech",
    "effect": "heads",
    "log_odds": "heads",
    "control": "heads",
    "patched": "patching",
}


@dataclass(frozen=True, slots=True)
class _Lens:
    """The lens at a stop."""

    occurrences: Sequence[Occurrence]
    subject: Subject
    selection: Selection


def word_lens(stop: Stop, selection: Selection, subject: Subject) -> Still:
    """The lens's pictures as grids, none twice; the first of them where the claims name none.

    Raises:
        SelectionError: there is no word to look at, or a picture cannot be worked out.
    """
    occurrences = _occurrences(selection, subject)
    lens = _Lens(occurrences, subject, selection)
    draw = {"parting": _parting, "parts of speech": _parts_of_speech, "heads": _heads, "patching": _patching}
    names = dict.fromkeys(PICTURES[claim.measure.name] for claim in stop.claims if claim.measure.name in PICTURES)
    grids = [grid for name in names or ["parting"] for grid in draw[name](lens)]
    return Still(grids=tuple(grids), remark=REMARK)


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


def _states(count: int) -> list[str]:
    """Names of the L + 1 hidden states."""
    return ["embeddings", *(f"L{layer}" for layer in range(count - 1))]


def _parting(lens: _Lens) -> list[NumberGrid]:
    """The cosine of the two occurrences after every layer, and with heads silenced where the stop silences some."""
    if len(lens.occurrences) < 2:
        return []
    a, b = lens.occurrences
    curves = {"cosine of A and B": cosines_by_layer(a.states, b.states)}
    silenced = lens.selection.word_lens.silenced
    if silenced:
        states = [_silenced_states(each, lens) for each in (a, b)]
        names = ", ".join(f"L{layer} H{head}" for layer, head in silenced)
        curves[f"with {names} silenced"] = cosines_by_layer(*states)
    return [_by_layer(f"How similar the two “{a.name}” are", curves)]


def _silenced_states(each: Occurrence, lens: _Lens) -> FloatArray:
    trace = lens.subject.backend.trace(each.text, silenced_heads=lens.selection.word_lens.silenced)
    return Occurrence(letter=each.letter, trace=trace, word_index=each.word_index, positions=each.positions).states


def _parts_of_speech(lens: _Lens) -> list[NumberGrid]:
    """What a probe reads off each occurrence after every layer."""
    if not has_probes(lens.subject.backend.name):
        return []
    classes = {each.letter: word_classes(each.trace) for each in lens.occurrences}
    read = {each.letter: classes[each.letter].probabilities[:, each.word_index] for each in lens.occurrences}
    shown = likeliest_classes(list(read.values()), MOST_TAGS)
    tags = next(iter(classes.values())).tags
    return [
        _by_layer(
            f"What a probe takes “{each.name}” in {each.letter} for",
            {tags[at]: read[each.letter][:, at] for at in shown},
        )
        for each in lens.occurrences
    ]


def _heads(lens: _Lens) -> list[NumberGrid]:
    """How far silencing each head moves the word's final vector; the colours of A and B have one scale."""
    sweeps = [lens.subject.sweep(_place(each, lens)) for each in lens.occurrences]
    found = [sweep.effects.distance[0] for sweep in sweeps]  # (L, H) each
    controls = ["" if sweep.control is None else f", control {sweep.control.distance:.3f}" for sweep in sweeps]
    highest = max(float(effects.max()) for effects in found)
    return [
        NumberGrid(
            f"Effect of each head on “{each.name}” in {each.letter} (cosine distance{control})",
            [f"L{layer}" for layer in range(len(effects))],
            [f"H{head}" for head in range(effects.shape[1])],
            effects,
            low=0,
            high=highest,
            digits=3,
        )
        for each, effects, control in zip(lens.occurrences, found, controls, strict=True)
    ]


def _place(each: Occurrence, lens: _Lens) -> Place:
    """Where the word is, as claims find it."""
    place, letter = next(
        (place, letter)
        for (place, trace), letter in zip(lens.subject.traces.items(), LETTERS, strict=False)
        if trace is each.trace
    )
    return Place(place, letter, each.positions)


def _patching(lens: _Lens) -> list[NumberGrid]:
    """Where the word ends when its state in A is put in place of the one in B."""
    if len(lens.occurrences) < 2:
        return []
    a, b = lens.occurrences
    found = patch_word(lens.subject.backend, (a.trace.tokens, a.positions), (b.trace.tokens, b.positions))
    curves = {"cosine to its vector in A": found.to_a, "cosine to its vector in B": found.to_b}
    return [_by_layer(f"“{a.name}” in B, with its state from A put in after a layer", curves)]


def _by_layer(caption: str, curves: Mapping[str, FloatArray]) -> NumberGrid:
    """Curves over the hidden states as rows, from 0 to 1."""
    values = np.stack(list(curves.values()))
    return NumberGrid(caption, list(curves), _states(values.shape[1]), values, low=0, high=1, digits=3)
