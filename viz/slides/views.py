"""What a view without interaction shows on a slide: the answers of its recipe, and lines of tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from encoder.attribution.target import resolve_target
from encoder.errors import SelectionError
from encoder.experiments.anatomy.names import StepKey
from encoder.experiments.anatomy.record import ours
from encoder.measures.unit_attention import MEAN
from encoder.measures.units import units_of
from encoder.runs.trace import Trace, excerpts
from encoder.shipped.probes import has_probes, word_classes
from viz.answers.anatomy.followed import followed_cell, followed_place
from viz.answers.anatomy.step import Chosen, RecordedRun
from viz.answers.anatomy.steps import STEPS
from viz.answers.anatomy.tensors import Drawn
from viz.answers.answer import Answer
from viz.answers.compare.sides import Heads, sides_of
from viz.answers.norms import norms as norms_of
from viz.answers.predictions import predictions as predictions_of
from viz.answers.room import PAGE, Room
from viz.answers.similar_because import NEEDS_TWO
from viz.answers.tokens import tokens_of_texts
from viz.answers.why.measured import measured_methods
from viz.answers.why.question import METHODS, REMOVALS, asked
from viz.answers.why_here import OF_ONE_HEAD, all_terms, cell_of
from viz.answers.word_lens.word import find_word_places, occurrences_of
from viz.recipes.anatomy import recorded, step_runs
from viz.recipes.compare import compare
from viz.recipes.patching import run_without_heads
from viz.recipes.similar_because import similar_because
from viz.recipes.step import Recipe, Step
from viz.recipes.why import remainder, why
from viz.recipes.why_here import why_here
from viz.recipes.word_lens import lens_at_stop, lens_of
from viz.saved_page.pages import HEADINGS
from viz.slides.contents import TokenLine
from viz.slides.models import Models
from viz.state.selection import Selection, View
from viz.tours.pictures import lens_pictures, why_picture
from viz.tours.places import LETTERS
from viz.tours.pointing import Texts, placed_points
from viz.tours.tour import Stop
from viz.wording.labels import isolate_quoted, make_visible

ONLY_SPECIAL: Final = "This text has special tokens only, and the stop hides them."
OF_TOKENS: Final[tuple[StepKey, ...]] = ("text", "ids")


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticSlide:
    """A view's answers and lines of tokens."""

    lines: tuple[TokenLine, ...] = ()
    answers: tuple[tuple[str, Answer], ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """What a slide shows: a stop, its selection, an encoder's runs by place, and the room of the answers."""

    stop: Stop
    selection: Selection
    traces: Mapping[str, Trace]
    models: Models
    room: Room

    def answer(self, recipe: Recipe[Any]) -> Answer:
        """The answers of a recipe as one. Raises HeadlightError."""
        return self.models.steps.answer(recipe, self.selection.model)[0]


def static_slide(shown: Shown) -> StaticSlide:
    """What the view shows. Raises HeadlightError."""
    return VIEWS[shown.selection.view](shown)


def _predictions(shown: Shown) -> StaticSlide:
    return _of_each({place: predictions_of(trace) for place, trace in shown.traces.items()})


def _tokens(shown: Shown) -> StaticSlide:
    return _of_each(tokens_of_texts(excerpts(shown.traces, shown.selection.first)))


def _norms(shown: Shown) -> StaticSlide:
    level, special = shown.selection.level, shown.selection.special
    traces = excerpts(shown.traces, shown.selection.first)
    units = {place: units_of(trace.tokens, level=level, special=special) for place, trace in traces.items()}
    if not all(map(len, units.values())):
        raise SelectionError(ONLY_SPECIAL)
    return _of_each({place: norms_of(trace, units[place], level) for place, trace in traces.items()})


def _of_each(answers: Mapping[str, Answer]) -> StaticSlide:
    return StaticSlide(answers=tuple((HEADINGS[place], answer) for place, answer in answers.items()))


def _word_lens(shown: Shown) -> StaticSlide:
    """What the lens says in short, and the picture that the stop is about."""
    occurrences = occurrences_of(shown.traces, find_word_places(shown.traces, shown.selection))
    if not occurrences:
        raise SelectionError("This sentence has no word to look at.")

    def recipe() -> Recipe[None]:
        lens = yield from lens_of(shown.traces, occurrences, shown.selection, shown.room, shown.stop.points)
        yield from lens_at_stop(lens, lens_pictures(shown.stop, shown.selection))

    return StaticSlide(answers=(("", shown.answer(recipe())),))


def _why(shown: Shown) -> StaticSlide:
    """The words' values; or the test and what is left after the stop's removals, if the stop is about them."""
    selection, models = shown.selection, shown.models
    question = asked(shown.traces, selection, lambda text: models.trace(selection.model, text, None)).question
    target = resolve_target(models.open(selection.model), question)
    heading = f"{METHODS[selection.why.method]}; words are removed by {REMOVALS[selection.why.removal]}"
    tokens = {"pair": target.tokens}
    points = placed_points(shown.stop.points, Texts(queries=tokens, keys=tokens))

    def recipe() -> Recipe[None]:
        about, name = None if shown.room is PAGE else why_picture(shown.stop), selection.model
        order = yield from why(question, target, selection, model_name=name, about=about, points=points)
        if gone := order[: selection.why.removed]:
            yield from remainder(question, target, gone, selection)
        yield measured_methods(name)

    return StaticSlide(answers=((heading, shown.answer(recipe())),))


def _why_here(shown: Shown) -> StaticSlide:
    """The score of the pinned query and key, else of the largest weight, in the first run that has them."""
    selection = shown.selection
    if selection.head == MEAN:
        raise SelectionError(OF_ONE_HEAD)
    pinned = selection.place.pins.run
    place = pinned if pinned in shown.traces else next(iter(shown.traces))
    trace = shown.traces[place]
    visible = [members[0] for members in units_of(trace.tokens, special=selection.special).members]
    if not visible:
        raise SelectionError(ONLY_SPECIAL)

    def recipe() -> Recipe[None]:
        terms = yield from why_here(trace, cell_of(trace, selection, visible, place), selection, shown.room)
        yield Answer((all_terms(terms),))

    return _of_each({place: shown.answer(recipe())})


def _similar_because(shown: Shown) -> StaticSlide:
    if len(shown.traces) < 2:
        raise SelectionError(NEEDS_TWO)
    pooling = shown.models.open(shown.selection.model).pooling
    recipe = similar_because(*shown.traces.values(), pooling=pooling, level=shown.selection.level, room=shown.room)
    return StaticSlide(answers=(("", shown.answer(recipe)),))


def _compare(shown: Shown) -> StaticSlide:
    models = shown.models

    def run(model_name: str, a: str, b: str | None, heads: Heads) -> Trace:
        if not heads:
            return models.trace(model_name, a, b)
        silenced: Trace = models.steps.run(Step(run_without_heads, (a, b, heads)), model_name)
        return silenced

    recipe = compare(sides_of(shown.traces, shown.selection, run), shown.selection)
    return StaticSlide(answers=(("", shown.answer(recipe)),))


def _anatomy(shown: Shown) -> StaticSlide:
    """What a step shows, with the stop's cell worked out. Raises UnsupportedModelError if the model is not ours."""
    selection, models, name = shown.selection, shown.models, shown.selection.model
    backend = ours(models.open(name))
    place = followed_place(shown.traces, selection)
    trace = shown.traces[place]
    pair, run = trace.tokens.texts, partial(models.steps.run, model_name=name)
    head, tokens = 0 if selection.head == MEAN else selection.head, {place: trace.tokens}
    found = RecordedRun(backend=backend, record=run(recorded(pair, selection.layer)), head=head)
    labels = found.record.tokens.labels
    chosen = Chosen(
        drawn=Drawn(
            labels=labels,
            sentence_b_start=found.record.tokens.sentence_b_start,
            head=head,
            points=placed_points(shown.stop.points, Texts(queries=tokens, keys=tokens)),
        ),
        cell=followed_cell(shown.traces, place, selection, head=head),
        mask=selection.anatomy.mask,
        what_ifs=selection.anatomy.what_ifs,
    )
    runs = step_runs(pair, selection.layer, selection, run=run, open_model=models.open)
    answer = STEPS[selection.anatomy.step].answer(found, runs, chosen).in_order
    pairs = tuple(zip(map(make_visible, labels), map(str, found.record.tokens.ids), strict=True))
    line = TokenLine("The tokens of this text, and their ids", pairs)
    return StaticSlide(answers=(("", answer),), lines=(line,) if selection.anatomy.step in OF_TOKENS else ())


VIEWS: Final[Mapping[View, Callable[[Shown], StaticSlide]]] = {
    "word lens": _word_lens,
    "predictions": _predictions,
    "tokens": _tokens,
    "norms": _norms,
    "why": _why,
    "why here": _why_here,
    "similar because": _similar_because,
    "compare": _compare,
    "anatomy": _anatomy,
}


def texts_in_words(traces: Mapping[str, Trace]) -> str:
    """The texts of some runs, with letters if there are two."""
    found = [make_visible(sentence) for trace in traces.values() for sentence in trace.tokens.sentences]
    named = [f"{letter}: “{text}”" for letter, text in zip(LETTERS, found, strict=False)]
    return isolate_quoted(" ".join(named) if len(found) > 1 else f"“{found[0]}”")


def tag_lines(traces: Mapping[str, Trace], selection: Selection) -> tuple[TokenLine, ...]:
    """The parts of speech under the words, if the stop shows them and the model has probes."""
    if selection.tags == "off":
        return ()
    state = selection.tags if isinstance(selection.tags, int) else None
    where = "all layers" if state is None else "the embeddings" if state == 0 else f"the states after L{state - 1}"
    lines = []
    for place, trace in traces.items():
        if has_probes(trace.model_name):
            tags = word_classes(trace).likeliest(state)
            text = f" in {place}" if place in ("A", "B") else ""
            caption = f"Parts of speech{text}, read by a probe from {where}"
            lines.append(TokenLine(caption, tuple(zip(map(make_visible, trace.tokens.words), tags, strict=True))))
    return tuple(lines)
