"""The word lens on a slide: the picture that the stop is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from encoder.attribution.word_estimates import patched_shift, patched_tag
from encoder.errors import ArgumentError, SelectionError
from encoder.experiments.patching import patch_word
from encoder.experiments.senses.sentence_search import shipped_sentences, typed_sentences
from encoder.measures.similarity import ReferenceBand
from encoder.runs.trace import Trace
from viz.answers.answer import Answer, Sentence
from viz.answers.patched_tokens import patched_tokens
from viz.answers.word_lens.divergence import divergence
from viz.answers.word_lens.heads import HEADS_HEADING, effects_of_heads, measure_for
from viz.answers.word_lens.parts_of_speech import parts_of_speech
from viz.answers.word_lens.patching import carried_number, patching, tokens_heading, words_of_patching
from viz.answers.word_lens.profiles import profiles
from viz.answers.word_lens.senses import SENSES_HEADING, chosen_sentences, senses
from viz.answers.word_lens.silencing import silenced_together
from viz.answers.word_lens.summary import leading_picture, summary
from viz.answers.word_lens.word import Occurrence, find_word_places, occurrences_of
from viz.claims.subject import MOST_TOKENS, Subject
from viz.slides.models import Models
from viz.slides.static_slide import StaticSlide
from viz.state.selection import NO_SENTENCES, OWN, Selection
from viz.tours.pictures import LensPicture, lens_pictures
from viz.tours.places import Place
from viz.tours.pointing import Texts, placed_points
from viz.tours.tour import Point, Stop
from viz.wording.labels import escape_markdown


@dataclass(frozen=True, slots=True)
class _Lens:
    """The lens at a stop."""

    occurrences: Sequence[Occurrence]
    subject: Subject
    selection: Selection
    band: ReferenceBand | None
    silenced: Mapping[str, Trace]
    points: Sequence[Point]


def word_lens(stop: Stop, selection: Selection, subject: Subject, models: Models) -> StaticSlide:
    """The lens's picture that the stop is about, and what it says in short.

    Raises:
        SelectionError: there is no word, or a chart cannot be computed.
    """
    traces, backend = subject.traces, subject.backend
    occurrences = occurrences_of(traces, find_word_places(traces, selection))
    if not occurrences:
        raise SelectionError("This sentence has no word to look at.")
    band = models.band(backend.name) if len(occurrences) == 2 else None
    heads = selection.word_lens.silenced
    silenced: dict[str, Trace] = {
        each.letter: backend.trace(each.text, silenced_heads=heads) for each in occurrences if heads
    }
    lens = _Lens(occurrences, subject, selection, band, silenced, stop.points)
    in_short = summary(occurrences, band, silenced)
    picture = next(iter(lens_pictures(stop, selection)), leading_picture(occurrences))
    said = [Sentence(in_short)] if in_short else []
    return StaticSlide(answers=(("", Answer((*said, *ANSWERS[picture](lens).parts))),))


def _divergence(lens: _Lens) -> Answer:
    if lens.band is None:
        return Answer(())
    a, b = lens.occurrences
    says_verdict = leading_picture(lens.occurrences) != "divergence"
    return divergence(a, b, lens.band, lens.silenced, says_verdict=says_verdict)


def _profiles(lens: _Lens) -> Answer:
    tokens = {place: trace.tokens for place, trace in lens.subject.traces.items()}
    points = placed_points(lens.points, Texts(queries=tokens, keys=tokens))
    return profiles(lens.occurrences, layer=lens.selection.layer, head=lens.selection.head, points=points)


def _senses(lens: _Lens) -> Answer:
    """The word in further sentences."""
    backend, selection, word = lens.subject.backend, lens.selection, lens.occurrences[0].word
    name = chosen_sentences(word, selection.word_lens)
    if name == NO_SENTENCES:
        return Answer(())
    typed = selection.word_lens.typed
    sentences = typed_sentences(backend, typed, word) if name == OWN else shipped_sentences(backend, name)
    states = backend.states_of_words([(each.tokens, each.positions) for each in sentences.occurrences])
    answer = senses(lens.occurrences, sentences, states, name=name, layer=selection.layer)
    return Answer((SENSES_HEADING, *answer.parts))


def _heads(lens: _Lens) -> Answer:
    """The effect of silencing each head on the word, and of the stop's heads together."""
    selection, occurrences = lens.selection, lens.occurrences
    sweeps = [lens.subject.sweep(_place(each, lens)) for each in occurrences]
    measure, missing = measure_for(occurrences, selection.word_lens.effect)
    heads = [(point.layer, point.head) for point in lens.points]
    ringed = [(layer, head) for layer, head in heads if layer is not None and head is not None]
    chosen = (selection.layer, selection.head)
    exact = effects_of_heads(occurrences, sweeps, measure, {}, chosen=chosen, ringed=ringed)
    note = [Sentence(missing, "caption")] if missing else []
    return Answer((HEADS_HEADING, *note, *exact.parts, *silenced_together(occurrences, lens.silenced).parts))


def _place(each: Occurrence, lens: _Lens) -> Place:
    """The word's place in the grammar of claims."""
    place = next(place for place, trace in lens.subject.traces.items() if trace is each.trace)
    return Place(place, each.letter, each.positions)


def _patching(lens: _Lens) -> Answer:
    if len(lens.occurrences) < 2:
        return Answer(())
    a, b = lens.occurrences
    words = (a.trace.tokens, a.positions), (b.trace.tokens, b.positions)
    return patching(a, patch_word(lens.subject.backend, *words, probes=lens.subject.probes))


def _patched_tokens(lens: _Lens) -> Answer:
    """The map of all tokens, estimated for a long text."""
    if len(lens.occurrences) < 2:
        return Answer(())
    a, b = lens.occurrences
    backend, probes = lens.subject.backend, lens.subject.probes
    number = carried_number(backend.name, lens.selection.word_lens.carried)
    heading = tokens_heading(number)
    words = (a.trace, a.positions), (b.trace, b.positions)
    try:
        patched = patched_shift(*words) if probes is None or number == "shift" else patched_tag(backend, *words, probes)
        estimates = patched.estimates(backend)
        is_short = estimates.size * len(b.trace.tokens) <= MOST_TOKENS
        exact = patched.effects(backend) if is_short else None
    except (ArgumentError, SelectionError) as error:
        return Answer((heading, Sentence(escape_markdown(str(error)), "caption")))
    answer = patched_tokens(a.trace, b.trace, estimates, exact, **words_of_patching(b, patched))
    return Answer((heading, *answer.parts))


ANSWERS: Final[Mapping[LensPicture, Callable[[_Lens], Answer]]] = MappingProxyType(
    {
        "divergence": _divergence,
        "profiles": _profiles,
        "parts of speech": lambda lens: parts_of_speech(lens.occurrences),
        "heads": _heads,
        "patching": _patching,
        "patched tokens": _patched_tokens,
        "sense map": _senses,
    }
)
