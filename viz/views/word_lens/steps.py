"""The word lens: its pictures, and what each of them needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from encoder import Backend
from encoder.attribution.patching_estimates import PatchedTexts
from encoder.attribution.word_estimates import (
    TagEstimates,
    estimate_shift_effects,
    estimate_tag_effects,
    patched_shift,
    patched_tag,
)
from encoder.errors import ArgumentError, SelectionError
from encoder.experiments.patching import Patching, patch_word
from encoder.experiments.senses.sentence_search import SentenceSearch, shipped_sentences, typed_sentences
from encoder.experiments.senses.states import band_of_model
from encoder.experiments.silencing import WordSweep, sweep_word
from encoder.measures.similarity import ReferenceBand
from encoder.measures.units import occurrence_states
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from encoder.shipped.probes import load_probes, probes_of
from encoder.text.occurrences import Positions, positions_of_word
from viz.answers.answer import Answer, Sentence, explained
from viz.answers.head_maps import HeadMap
from viz.answers.room import PAGE, Room
from viz.answers.word_places import Occurrence
from viz.recipes.patching import patched_map, run_without_heads
from viz.recipes.step import LongStep, Recipe, Step, Widgets, or_why_not
from viz.state.selection import NO_SENTENCES, OWN, Carried, Selection
from viz.tours.pictures import LensPicture
from viz.tours.pointing import Texts, placed_points
from viz.tours.tour import Point
from viz.views.word_lens.answer.divergence import divergence
from viz.views.word_lens.answer.heads import (
    DISTANCE,
    HEADS_HEADING,
    LOG_ODDS,
    NO_GRADIENT,
    SHIFT,
    EffectMeasure,
    effects_of_heads,
    estimated_effects,
    estimated_map,
    measure_for,
    measures_of,
)
from viz.views.word_lens.answer.parts_of_speech import parts_of_speech
from viz.views.word_lens.answer.patching import (
    carried_number,
    patching,
    patching_heading,
    tokens_heading,
    words_of_patching,
)
from viz.views.word_lens.answer.profiles import profiles
from viz.views.word_lens.answer.senses import NO_COMPANY, SENSES_HEADING, chosen_sentences, senses
from viz.views.word_lens.answer.silencing import silenced_together
from viz.views.word_lens.answer.summary import leading_picture, summary
from viz.wording.labels import escape_markdown

SWEEP_BYTES: Final = 4_000_000  # the final vectors of nine words of BERT-base in every run
OF_TWO: Final[frozenset[LensPicture]] = frozenset({"divergence", "patching", "patched tokens"})

Word = tuple[str, int]  # a text, and which of its words


@dataclass(frozen=True, slots=True)
class Lens:
    """What all pictures are about.

    Attributes:
        traces: of one sentence, or of "A" and "B", each encoded alone.
        silenced: the same runs with heads silenced, by sentence; empty where none is.
        room: of the pictures.
        points: of a stop.
    """

    traces: Mapping[str, Trace]
    occurrences: Sequence[Occurrence]
    silenced: Mapping[str, Trace]
    selection: Selection
    room: Room
    points: Sequence[Point]

    @property
    def words(self) -> tuple[Word, ...]:
        """Each text, and which of its words."""
        return tuple((each.text, each.word_index) for each in self.occurrences)

    @property
    def is_led_by_divergence(self) -> bool:
        return leading_picture(self.occurrences) == "divergence"


def lens_of(
    traces: Mapping[str, Trace],
    occurrences: Sequence[Occurrence],
    selection: Selection,
    room: Room = PAGE,
    points: Sequence[Point] = (),
) -> Recipe[Lens]:
    """The lens, with the runs without the chosen heads, or why they cannot be silenced."""
    silenced: dict[str, Trace] = {}
    if heads := selection.word_lens.silenced:
        try:
            for each in occurrences:
                silenced[each.letter] = yield from Step(run_without_heads, (each.text, None, heads))
        except SelectionError as error:
            silenced = {}
            yield Answer((explained(error),))
    return Lens(traces, occurrences, silenced, selection, room, points)


def lens_at_stop(lens: Lens, pictures: Sequence[LensPicture], *, speaks: bool = True) -> Recipe[None]:
    """The first of some pictures, or the one that leads the page.

    Args:
        speaks: whether it begins with what the lens says in short.
    """
    picture = next(iter(pictures), leading_picture(lens.occurrences))
    if len(lens.occurrences) < 2 and picture in OF_TWO:
        name = escape_markdown(lens.occurrences[0].name)
        yield Answer((Sentence(f"Use “{name}” in both sentences to see how its two uses differ.", "info"),))
        return
    if speaks:
        band = yield from band_of(lens)
        if said := summary(lens.occurrences, band, lens.silenced):
            yield Answer((Sentence(said),))
    yield from PICTURES[picture](lens)


def band_of(lens: Lens) -> Recipe[ReferenceBand | None]:
    """Cosines of pairs with one sense and with two; None for one occurrence."""
    if len(lens.occurrences) < 2:
        return None
    return (yield from Step(band_of_model, what="Measuring how similar words usually are in this model"))


def _divergence(lens: Lens) -> Recipe[None]:
    band = yield from band_of(lens)
    if band is not None:
        a, b = lens.occurrences
        yield divergence(a, b, band, lens.silenced, says_verdict=not lens.is_led_by_divergence)


def _profiles(lens: Lens) -> Recipe[None]:
    tokens = {place: trace.tokens for place, trace in lens.traces.items()}
    points = placed_points(lens.points, Texts(queries=tokens, keys=tokens))
    yield profiles(lens.occurrences, layer=lens.selection.layer, head=lens.selection.head, points=points)


def _parts_of_speech(lens: Lens) -> Recipe[None]:
    yield parts_of_speech(lens.occurrences, shows_accuracy=lens.room is PAGE)


def _heads(lens: Lens) -> Recipe[None]:
    """The effect of silencing each head on the word, estimated until it is measured; and of the chosen ones."""
    occurrences = lens.occurrences
    yield Answer((HEADS_HEADING,))
    yield Widgets("effect")
    measure, missing = measure_for(occurrences, lens.selection.word_lens.effect)
    if missing:
        yield Answer((Sentence(missing, "caption"),))
    yield from or_why_not(_effects(lens, measure))
    if lens.room is PAGE:
        yield Widgets("silenced")
        yield silenced_together(occurrences, lens.silenced)


def _effects(lens: Lens, measure: EffectMeasure) -> Recipe[None]:
    selection, occurrences = lens.selection, lens.occurrences
    sweeps = yield from sweep_of([(each.trace, each.positions) for each in occurrences], is_optional=True)
    chosen = (selection.layer, selection.head)
    if sweeps is None:
        yield from _estimated(lens, measure, chosen)
        return
    estimates = {}
    for each in measures_of(occurrences):
        if each is not DISTANCE and measure in (each, DISTANCE):
            estimates[each] = yield from _estimates(lens, each)
    pointed = [(point.layer, point.head) for point in lens.points]
    ringed = [(layer, head) for layer, head in pointed if layer is not None and head is not None]
    effects = effects_of_heads(occurrences, sweeps, measure, estimates, chosen=chosen, ringed=ringed)
    if lens.room is PAGE:
        yield effects
        yield Widgets("open head")
    else:  # an audience sees the maps alone
        yield Answer((*effects.parts, *silenced_together(occurrences, lens.silenced).parts))


def _estimated(lens: Lens, measure: EffectMeasure, chosen: tuple[int, int]) -> Recipe[None]:
    """Estimates of the effects, in place of the final vector those on the shift or on the part of speech."""
    estimated = measure
    if measure is DISTANCE:
        offered = measures_of(lens.occurrences)
        if len(offered) == 1:
            yield Answer((Sentence(f"{NO_GRADIENT}.", "caption"),))
            return
        estimated = SHIFT if SHIFT in offered else LOG_ODDS
    maps = yield from _estimates(lens, estimated)
    yield estimated_effects(maps, estimated, wanted=measure, chosen=chosen)


def _estimates(lens: Lens, measure: EffectMeasure) -> Recipe[list[HeadMap] | str]:
    """A map for each occurrence, or why there is none: the word has not shifted, or heads cannot be silenced."""
    places = [(each.trace, each.positions) for each in lens.occurrences]
    maps = []
    try:
        for each, place, other in zip(lens.occurrences, places, places[::-1], strict=True):
            if measure is SHIFT:
                effects = yield from Step(shift_estimates, (*place, *other))
                maps.append(estimated_map(each, effects, measure.name()))
            else:
                of_tag = yield from Step(tag_estimates, place)
                maps.append(estimated_map(each, of_tag.log_odds, measure.name(of_tag.classes)))
    except (ArgumentError, SelectionError) as error:
        return str(error)
    return maps


def _patching(lens: Lens) -> Recipe[None]:
    """The word's state in A, substituted for the one in B."""
    if len(lens.occurrences) < 2:
        return
    a = lens.occurrences[0]
    try:
        found = yield from Step(patched_states, lens.words)
    except SelectionError as error:
        yield Answer((patching_heading(a), explained(error)))
    else:
        yield patching(a, found)


def _patched_tokens(lens: Lens) -> Recipe[None]:
    """Which tokens' states carry the number; the shift alone without probes."""
    if len(lens.occurrences) < 2:
        return
    number = carried_number(lens.occurrences[0].trace.model_name, lens.selection.word_lens.carried)
    yield Answer((tokens_heading(number),))
    yield Widgets("carried")
    yield from or_why_not(_map_of_tokens(lens, number), "caption")


def _map_of_tokens(lens: Lens, number: Carried) -> Recipe[None]:
    (a, b), args = lens.occurrences, (number, *lens.words)
    patched = yield from Step(patched_word, args)
    yield from patched_map(a.trace, b.trace, patched, args, **words_of_patching(b, patched))


def _sense_map(lens: Lens) -> Recipe[None]:
    yield Answer((SENSES_HEADING,))
    yield from sense_map(lens)


def sense_map(lens: Lens) -> Recipe[None]:
    """All occurrences after the chosen layer, with the sentences that are chosen."""
    yield Widgets("sentences")
    word, chosen = lens.occurrences[0].word, lens.selection.word_lens
    name = chosen_sentences(word, chosen)
    if name == NO_SENTENCES:
        yield NO_COMPANY
        return
    typed = (chosen.typed, word) if name == OWN else ("", "")
    sentences, states = yield from Step(further_sentences, (name, *typed))
    yield senses(lens.occurrences, sentences, states, name=name, layer=lens.selection.layer)


PICTURES: Final[Mapping[LensPicture, Callable[[Lens], Recipe[None]]]] = {
    "divergence": _divergence,
    "profiles": _profiles,
    "parts of speech": _parts_of_speech,
    "heads": _heads,
    "patching": _patching,
    "patched tokens": _patched_tokens,
    "sense map": _sense_map,
}


def sweep_of(words: Sequence[tuple[Trace, Positions]], *, is_optional: bool = False) -> LongStep[tuple[WordSweep, ...]]:
    """The effects of silencing each head on a word of each run."""
    num_heads = words[0][0].num_layers * words[0][0].num_heads
    return LongStep(
        sweep_words,
        tuple((run.tokens.texts, positions) for run, positions in words),
        tokens=(1 + num_heads) * sum(len(run.tokens) for run, _ in words),
        what=f"Each of the {num_heads} heads silenced",
        key="sweep",
        is_optional=is_optional,
        nbytes=SWEEP_BYTES * len(words),
    )


def sweep_words(
    backend: Backend, *words: tuple[tuple[str, str | None], Positions], progress: Progress = no_progress
) -> tuple[WordSweep, ...]:
    """The sweep over all heads for a word of each text. Raises SelectionError."""
    probes, total, found = probes_of(backend.name), len(words), list[WordSweep]()
    for index, (texts, positions) in enumerate(words):
        tokens = backend.tokenize(*texts)

        def after(done: int, of: int, index: int = index) -> None:
            progress(index * of + done, total * of)

        found.append(sweep_word(backend, tokens, positions, probes=probes, progress=after))
    return tuple(found)


def tag_estimates(backend: Backend, run: Trace, positions: Positions) -> TagEstimates:
    """Estimates by gradients of the sweep's effects on a word's part of speech. Raises NoProbesError."""
    return estimate_tag_effects(backend, run, positions, load_probes(backend.name))


def shift_estimates(
    backend: Backend, run: Trace, positions: Positions, other: Trace, positions_of_other: Positions
) -> FloatArray:
    """(L, H) estimates by gradients of the sweep's effects on a word's shift. Raises ArgumentError, SelectionError."""
    against = occurrence_states(other.hidden_states[-1], positions_of_other)
    return estimate_shift_effects(backend, run, positions, against)


def patched_states(backend: Backend, a: Word, b: Word) -> Patching:
    """A word's state patched from one text into another. Raises SelectionError."""
    words = [(tokens := backend.tokenize(text), positions_of_word(tokens, word)) for text, word in (a, b)]
    return patch_word(backend, *words, probes=probes_of(backend.name))


def patched_word(backend: Backend, number: Carried, a: Word, b: Word) -> PatchedTexts:
    """A number of a word in B, compared with that in A. Raises ArgumentError."""
    in_a, in_b = ((run := backend.trace(text), positions_of_word(run.tokens, word)) for text, word in (a, b))
    return (
        patched_shift(in_a, in_b) if number == "shift" else patched_tag(backend, in_a, in_b, load_probes(backend.name))
    )


def further_sentences(backend: Backend, name: str, typed: str, word: str) -> tuple[SentenceSearch, FloatArray]:
    """Sentences in addition to the page's two, and (N, L + 1, D), the states of the word in them.

    Args:
        name: the shipped word whose sentences they are, or "own" for those of `typed`.
        typed, word: the user's sentences, and the word to find in them; "" for shipped ones.
    """
    sentences = typed_sentences(backend, typed, word) if name == OWN else shipped_sentences(backend, name)
    words = [(each.tokens, each.positions) for each in sentences.occurrences]
    return sentences, backend.states_of_words(words)
