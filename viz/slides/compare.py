"""Compare on a slide: what takes time is worked out at once, and as estimates alone where it takes long."""

from __future__ import annotations

from collections.abc import Sequence

from encoder import Backend, Trace
from encoder.attribution.patching_estimates import silencing_effects, silencing_estimates
from encoder.comparison.compare import Comparison, compare
from encoder.comparison.patched_output import output_number, patched_output
from encoder.comparison.run_differences import attention_difference, pooled_differences
from encoder.errors import ArgumentError, SelectionError
from viz.answers.answer import Answer, Part, Row, Sentence
from viz.answers.compare import carriers
from viz.answers.compare import differences as answers
from viz.answers.compare.sides import Sides, sides_of
from viz.answers.patched_tokens import patched_tokens
from viz.claims.subject import MOST_TOKENS, Subject
from viz.slides.models import Models
from viz.slides.still import Still
from viz.state.selection import Selection
from viz.wording.labels import escape_markdown

Parts = tuple[Part | Row, ...]


def compare_runs(selection: Selection, subject: Subject, models: Models) -> Still:
    """Where the two runs differ, and which tokens and heads carry the difference. Raises what `sides_of` does."""

    def run(model_name: str, a: str, b: str | None, /, *, silenced_heads: Sequence[tuple[int, int]] = ()) -> Trace:
        if not silenced_heads:
            return models.trace(model_name, a, b)
        return subject.backend.trace(a, b, silenced_heads=silenced_heads)

    sides = sides_of(subject.traces, selection, run)
    found = compare(sides.a, sides.b, special=selection.special, measure=sides.measure)
    parts: Parts = answers.introduction(found, sides).parts
    if not found.is_without_difference:
        parts += _differences(found, sides, selection)
        parts += answers.outputs(found, sides).parts
        parts += _carriers(sides, selection, subject.backend)
    return Still(answers=(("", Answer(parts, answers.EXPLANATION)),))


def _differences(found: Comparison, sides: Sides, selection: Selection) -> Parts:
    aligned, chosen = answers.words_side_by_side(found, sides).parts, (selection.layer, selection.head)
    parts: Parts = aligned
    if found.heads is not None:
        parts = answers.all_heads(found, sides, found.heads, chosen).parts
        parts += answers.all_heads_in_numbers(found, found.heads).parts
        parts += aligned
        parts += answers.one_head(found, sides, attention_difference(found.runs, selection.layer), selection).parts
        pictures = pooled_differences(found.runs, answers.SMALL_CELLS)
        parts += (Sentence(escape_markdown(answers.title_of_pictures(sides)), "heading"),)
        parts += answers.pictures_of_heads(found, sides, found.heads, pictures, chosen).parts
    if found.runs.alignment.shared:
        parts += answers.words(found).parts
    if found.words is not None:
        parts += answers.words_in_numbers(found, found.words).parts
    return parts


def _carriers(sides: Sides, selection: Selection, backend: Backend) -> Parts:
    """For two texts what each token and each head adds to their difference, or why that cannot be said."""
    if sides.texts is None:
        return ()
    parts: Parts = ()
    for heading, carrier in ((carriers.TOKENS, _tokens), (carriers.HEADS, _heads)):
        try:
            found = carrier(sides, selection, backend).parts
        except (ArgumentError, SelectionError) as error:
            found = (Sentence(escape_markdown(str(error)), "caption"),)
        parts += (heading, *found)
    return parts


def _tokens(sides: Sides, selection: Selection, backend: Backend) -> Answer:
    number, _ = carriers.number_of(sides, selection)
    patched = patched_output(sides.a, sides.b, number)
    estimates = patched.estimates(backend)
    exact = patched.effects(backend) if estimates.size * len(sides.b.tokens) <= MOST_TOKENS else None
    described = carriers.describe_patches(patched.name, patched.values(backend))
    return patched_tokens(sides.a, sides.b, estimates, exact, **described)


def _heads(sides: Sides, selection: Selection, backend: Backend) -> Answer:
    kind, _ = carriers.number_of(sides, selection)
    number, (a, b) = output_number(sides.a, sides.b, kind), (sides.a.tokens, sides.b.tokens)
    of_a, of_b = number.quantities
    estimates = silencing_estimates(backend, a, of_a), silencing_estimates(backend, b, of_b)
    exact = None
    if (1 + estimates[0].size) * (len(a) + len(b)) <= MOST_TOKENS:
        exact = silencing_effects(backend, a, of_a), silencing_effects(backend, b, of_b)
    chosen = (selection.layer, selection.head)
    return carriers.silenced_heads(kind, number.names, estimates, exact, chosen=chosen)
