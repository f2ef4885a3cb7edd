"""Compare: where two runs differ, and which tokens and heads carry the difference of two texts."""

from __future__ import annotations

from encoder import Backend
from encoder.attribution.patching_estimates import silencing_effects, silencing_estimates
from encoder.attribution.questions import OutputKind
from encoder.comparison.alignment import Matching
from encoder.comparison.compare import Comparison, WordMeasure
from encoder.comparison.compare import compare as compare_runs
from encoder.comparison.patched_output import PatchedOutput, output_pair, patched_output
from encoder.comparison.run_differences import attention_difference, pooled_differences
from encoder.measures.units import Special
from encoder.progress import Progress, no_progress
from encoder.runs.arrays import FloatArray
from encoder.runs.trace import Trace
from viz.answers.answer import Answer, Sentence
from viz.answers.room import PAGE, Room
from viz.recipes.patching import patched_map
from viz.recipes.step import LongStep, Recipe, Step, Widgets, or_why_not
from viz.state.selection import Selection
from viz.views.compare.answer import carriers as of_carriers
from viz.views.compare.answer import differences as answers
from viz.views.compare.answer.sides import Sides
from viz.wording.labels import escape_markdown

OfBoth = tuple[FloatArray, FloatArray]  # (L, H) of A and of B


def compare(sides: Sides, selection: Selection, room: Room) -> Recipe[None]:
    """All differences of two runs, and what carries them.

    Args:
        room: where it is not the page's, the head is a stop's own.
    """
    found = yield from compared(sides, selection)
    yield answers.introduction(found, sides)
    if found.is_without_difference:
        return
    heads = found.heads
    if heads is not None:
        yield answers.short_answer(found, sides, heads)
    yield answers.words_side_by_side(found, sides)
    if heads is not None:
        if room is not PAGE or not found.is_without_different_heads:
            own = selection.layer, selection.head
            layer, head = answers.shown_head(found, selection) if room is PAGE else own
            difference = yield from difference_of_layer(found, sides, selection, layer)
            yield answers.one_head(found, sides, difference, selection, layer=layer, head=head)
        yield answers.all_heads(heads, selection)
        yield answers.all_heads_in_numbers(found, heads)
        yield Answer((Sentence(escape_markdown(answers.title_of_pictures(sides)), "heading"),))
        pictures = yield from small_differences(found, sides, selection)
        yield answers.pictures_of_heads(found, sides, heads, pictures, selection)
        yield answers.words(found)
    if found.words is not None:
        yield answers.words_in_numbers(found, found.words)
    yield answers.outputs(found, sides)
    yield from carriers(sides, selection)


def compared(sides: Sides, selection: Selection) -> Step[Comparison]:
    """The comparison of two runs."""
    options = {"special": selection.special, "measure": sides.measure, "matching": sides.matching}
    return Step(compare_runs, (sides.a, sides.b), options=options, what="Comparing", needs_model=False)


def difference_of_layer(
    found: Comparison, sides: Sides, selection: Selection, layer: int | None = None
) -> Step[FloatArray]:
    """(H, P, P) the second run's attention minus the first's, in a layer, or in the selected one."""
    layer = selection.layer if layer is None else layer
    key = (*_identity(sides, selection), layer)
    return Step(attention_difference, (found.runs, layer), identity=key, needs_model=False)


def small_differences(found: Comparison, sides: Sides, selection: Selection) -> Step[FloatArray]:
    """(L, H, G, G) the difference of each head's attention, pooled to a small picture."""
    key, size = _identity(sides, selection), answers.SMALL_CELLS
    return Step(pooled_differences, (found.runs, size), identity=key, needs_model=False)


def _identity(sides: Sides, selection: Selection) -> tuple[Trace, Trace, Special, WordMeasure, Matching]:
    return sides.a, sides.b, selection.special, sides.measure, sides.matching


def carriers(sides: Sides, selection: Selection) -> Recipe[None]:
    """What each token and each head adds to the difference of two texts, or why this is unknown."""
    if sides.texts is None:
        return
    kind, _ = of_carriers.number_of(sides, selection)
    yield Answer((of_carriers.TOKENS,))
    yield Widgets("number")
    yield from or_why_not(_tokens(sides, kind, sides.texts), "caption")
    yield Answer((of_carriers.HEADS,))
    yield from or_why_not(_heads(sides, kind, sides.texts, selection), "caption")


def _tokens(sides: Sides, kind: OutputKind, texts: tuple[str, str]) -> Recipe[None]:
    patched, identity = patched_output(sides.a, sides.b, kind), (kind, *texts)
    values = yield from Step(values_of, (patched,), identity=identity)
    described = of_carriers.describe_patches(patched.name, values)
    yield from patched_map(sides.a, sides.b, patched, identity, **described)


def _heads(sides: Sides, kind: OutputKind, texts: tuple[str, str], selection: Selection) -> Recipe[None]:
    names = output_pair(sides.a, sides.b, kind).names
    estimates = yield from Step(estimates_of_silencing, (kind, sides.a, sides.b))
    exact = yield from LongStep(
        effects_of_silencing,
        (kind, *texts),
        tokens=(1 + estimates[0].size) * (len(sides.a.tokens) + len(sides.b.tokens)),
        what="Every head silenced",
        key="silencing",
        is_optional=True,
    )
    yield of_carriers.silenced_heads(kind, names, estimates, exact, selection)


def values_of(backend: Backend, patched: PatchedOutput) -> tuple[float, float]:
    """The numbers of A and B, both read as that of B."""
    return patched.values(backend)


def estimates_of_silencing(backend: Backend, kind: OutputKind, a: Trace, b: Trace) -> OfBoth:
    """(L, H) estimates by gradients of the effect of silencing each head, in A and in B.

    Raises:
        ArgumentError: the texts have no such number.
        SelectionError: the heads cannot be silenced.
    """
    of_a, of_b = output_pair(a, b, kind).quantities
    return silencing_estimates(backend, a.tokens, of_a), silencing_estimates(backend, b.tokens, of_b)


def effects_of_silencing(
    backend: Backend, kind: OutputKind, a: str, b: str, *, progress: Progress = no_progress
) -> OfBoth:
    """(L, H) effect of silencing each head, in A and in B."""
    runs = backend.trace(a), backend.trace(b)
    of_a, of_b = output_pair(*runs, kind).quantities
    first = silencing_effects(backend, runs[0].tokens, of_a, progress=lambda done, total: progress(done, 2 * total))
    second = silencing_effects(
        backend, runs[1].tokens, of_b, progress=lambda done, total: progress(total + done, 2 * total)
    )
    return first, second
