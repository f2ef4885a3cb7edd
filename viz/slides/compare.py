"""Compare on a slide: numbers that take time are computed at once, or only estimated if they take too long."""

from __future__ import annotations

from collections.abc import Iterator

from encoder import Backend, Trace
from encoder.attribution.patching_estimates import silencing_effects, silencing_estimates
from encoder.comparison.compare import Comparison, compare
from encoder.comparison.patched_output import output_pair, patched_output
from encoder.comparison.run_differences import attention_difference, pooled_differences
from encoder.errors import ArgumentError, SelectionError
from viz.answers.answer import Answer, Sentence
from viz.answers.compare import carriers
from viz.answers.compare import differences as answers
from viz.answers.compare.sides import Heads, Sides, sides_of
from viz.answers.patched_tokens import patched_tokens
from viz.claims.subject import MOST_TOKENS, Subject
from viz.slides.models import Models
from viz.slides.static_slide import StaticSlide
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown


def compare_runs(selection: Selection, subject: Subject, models: Models) -> StaticSlide:
    """The differences of the two runs, and the tokens and heads that carry them. Raises what `sides_of` raises."""

    def run(model_name: str, a: str, b: str | None, silenced: Heads) -> Trace:
        return subject.backend.trace(a, b, silenced_heads=silenced) if silenced else models.trace(model_name, a, b)

    sides = sides_of(subject.traces, selection, run)
    found = compare(sides.a, sides.b, special=selection.special, measure=sides.measure, matching=sides.matching)
    shown = [answers.introduction(found, sides)]
    if not found.is_without_difference:
        shown += _differences(found, sides, selection)
        shown += [answers.outputs(found, sides), *_carriers(sides, selection, subject.backend)]
    return StaticSlide(answers=(("", Answer(tuple(part for answer in shown for part in answer.parts))),))


def _differences(found: Comparison, sides: Sides, selection: Selection) -> Iterator[Answer]:
    heads = found.heads
    if heads is not None:
        yield answers.short_answer(found, sides, heads)
    yield answers.words_side_by_side(found, sides)
    if heads is not None:
        layer, head = selection.layer, selection.head
        difference = attention_difference(found.runs, layer)
        yield answers.one_head(found, sides, difference, selection, layer=layer, head=head)
        yield answers.all_heads(heads, selection)
        yield answers.all_heads_in_numbers(found, heads)
        yield Answer((Sentence(escape_markdown(answers.title_of_pictures(sides)), "heading"),))
        pictures = pooled_differences(found.runs, answers.SMALL_CELLS)
        yield answers.pictures_of_heads(found, sides, heads, pictures, selection)
    if heads is not None:
        yield answers.words(found)
    if found.words is not None:
        yield answers.words_in_numbers(found, found.words)


def _carriers(sides: Sides, selection: Selection, backend: Backend) -> Iterator[Answer]:
    """What each token and each head adds to the difference of two texts, or why this is unknown."""
    if sides.texts is None:
        return
    for heading, carrier in ((carriers.TOKENS, _tokens), (carriers.HEADS, _heads)):
        yield Answer((heading,))
        try:
            yield carrier(sides, selection, backend)
        except (ArgumentError, SelectionError) as error:
            yield Answer((Sentence(escape_markdown(str(error)), "caption"),))


def _tokens(sides: Sides, selection: Selection, backend: Backend) -> Answer:
    number, _ = carriers.number_of(sides, selection)
    patched = patched_output(sides.a, sides.b, number)
    estimates = patched.estimates(backend)
    exact = patched.effects(backend) if estimates.size * len(sides.b.tokens) <= MOST_TOKENS else None
    described = carriers.describe_patches(patched.name, patched.values(backend))
    return patched_tokens(sides.a, sides.b, estimates, exact, **described)


def _heads(sides: Sides, selection: Selection, backend: Backend) -> Answer:
    kind, _ = carriers.number_of(sides, selection)
    number, (a, b) = output_pair(sides.a, sides.b, kind), (sides.a.tokens, sides.b.tokens)
    of_a, of_b = number.quantities
    estimates, exact = (silencing_estimates(backend, a, of_a), silencing_estimates(backend, b, of_b)), None
    if (1 + estimates[0].size) * (len(a) + len(b)) <= MOST_TOKENS:
        exact = silencing_effects(backend, a, of_a), silencing_effects(backend, b, of_b)
    return carriers.silenced_heads(kind, number.names, estimates, exact, selection)
