"""What a stop shows of the view."""

from __future__ import annotations

from encoder.errors import SelectionError
from viz.answers.word_places import find_word_places, occurrences_of
from viz.recipes.slide import Shown, StaticSlide
from viz.recipes.step import Recipe
from viz.tours.pictures import lens_pictures
from viz.views.word_lens.steps import lens_at_stop, lens_of


def slide(shown: Shown) -> StaticSlide:
    """What the lens says in short, and the picture that the stop is about."""
    occurrences = occurrences_of(shown.traces, find_word_places(shown.traces, shown.selection))
    if not occurrences:
        raise SelectionError("This sentence has no word to look at.")

    def recipe() -> Recipe[None]:
        lens = yield from lens_of(shown.traces, occurrences, shown.selection, shown.room, shown.stop.points)
        yield from lens_at_stop(lens, lens_pictures(shown.stop, shown.selection))

    return StaticSlide(answers=(("", shown.answer(recipe())),))
