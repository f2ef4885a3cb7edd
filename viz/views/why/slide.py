"""What a stop shows of the view."""

from __future__ import annotations

from encoder.attribution.target import resolve_target
from viz.answers.question import METHODS, REMOVALS, asked
from viz.answers.room import PAGE
from viz.recipes.slide import Shown, StaticSlide
from viz.recipes.step import Recipe
from viz.tours.pictures import why_picture
from viz.tours.pointing import Texts, placed_points
from viz.views.why.answer.measured import measured_methods
from viz.views.why.steps import remainder, why


def slide(shown: Shown) -> StaticSlide:
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
