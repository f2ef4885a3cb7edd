"""What a stop shows of the view."""

from __future__ import annotations

from encoder.runs.trace import Trace
from viz.recipes.patching import run_without_heads
from viz.recipes.slide import Shown, StaticSlide
from viz.recipes.step import Step
from viz.views.compare.answer.sides import Heads, sides_of
from viz.views.compare.steps import compare


def slide(shown: Shown) -> StaticSlide:
    """Where the two runs of a stop differ."""
    models = shown.models

    def run(model_name: str, a: str, b: str | None, heads: Heads) -> Trace:
        if not heads:
            return models.trace(model_name, a, b)
        silenced: Trace = models.steps.run(Step(run_without_heads, (a, b, heads)), model_name)
        return silenced

    recipe = compare(sides_of(shown.traces, shown.selection, run), shown.selection, shown.room)
    return StaticSlide(answers=(("", shown.answer(recipe)),))
