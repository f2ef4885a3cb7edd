"""Similar because on a slide: what takes time is worked out at once, if it isn't too much."""

from __future__ import annotations

from encoder.attribution.removal_curves import RANDOM_ORDERS, removal_counts
from encoder.attribution.removals import removable_units
from encoder.comparison.pair_removals import PairRemovals, largest_pairs_first, random_pair_curves
from encoder.comparison.similarity_map import similarity_map, tokens_to_run
from encoder.errors import SelectionError
from viz.answers import similar_because as answers
from viz.answers.answer import Answer
from viz.claims.subject import Subject
from viz.slides.static_slide import StaticSlide, check_tokens
from viz.state.selection import Selection


def similar_because(selection: Selection, subject: Subject) -> StaticSlide:
    """The pairs of words, and the test of their order.

    Raises:
        HeadlightError: there is one sentence only, the texts are too long, or the model cannot be decomposed.
    """
    if len(subject.traces) < 2:
        raise SelectionError(answers.NEEDS_TWO)
    backend, level = subject.backend, selection.level
    traces = tuple(subject.traces.values())
    a, b = (trace.tokens for trace in traces)
    units_a, units_b = (removable_units(tokens, level=level) for tokens in (a, b))
    check_tokens(tokens_to_run((len(a), len(units_a)), (len(b), len(units_b))))
    found = similarity_map(backend, a, b, level=level)
    order = largest_pairs_first(found.values)
    check_tokens(RANDOM_ORDERS * len(removal_counts(len(order))) * (len(a) + len(b)))
    removals = PairRemovals(backend=backend, a=a, b=b, units_a=units_a, units_b=units_b)
    own, random = removals.curve(order), random_pair_curves(removals)
    parts = (
        *answers.cosine(*traces, embeds_texts=backend.pooling.embeds_texts).parts,
        *answers.pairs(found, (a, b), level).parts,
        *answers.removals(own, random, units=len(order), model_name=backend.name).parts,
    )
    return StaticSlide(answers=(("", Answer(parts)),))
