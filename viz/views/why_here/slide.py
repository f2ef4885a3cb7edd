"""What a stop shows of the view."""

from __future__ import annotations

from encoder.errors import SelectionError
from encoder.measures.unit_attention import MEAN
from encoder.measures.units import units_of
from viz.answers.answer import Answer
from viz.recipes.slide import ONLY_SPECIAL, Shown, StaticSlide, of_each
from viz.recipes.step import Recipe
from viz.views.why_here.answer import OF_ONE_HEAD, all_terms, cell_of
from viz.views.why_here.steps import why_here


def slide(shown: Shown) -> StaticSlide:
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

    return of_each({place: shown.answer(recipe())})
