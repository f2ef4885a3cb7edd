"""What a stop shows of the view."""

from __future__ import annotations

from encoder.errors import SelectionError
from viz.recipes.slide import Shown, StaticSlide
from viz.views.similar_because.answer import NEEDS_TWO
from viz.views.similar_because.steps import similar_because


def slide(shown: Shown) -> StaticSlide:
    """The cosine of the two texts of a stop, by pairs of words."""
    if len(shown.traces) < 2:
        raise SelectionError(NEEDS_TWO)
    pooling = shown.models.open(shown.selection.model).pooling
    recipe = similar_because(*shown.traces.values(), pooling=pooling, level=shown.selection.level, room=shown.room)
    return StaticSlide(answers=(("", shown.answer(recipe)),))
