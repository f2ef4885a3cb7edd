"""Runs steps of recipes at once, each of them once: for slides, claims and commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from encoder import Backend
from encoder.errors import SelectionError
from encoder.runs.trace import Trace
from viz.answers.answer import Answer, Part, Row, Sentence
from viz.recipes.step import AnyStep, LongStep, Recipe, Step, Widgets, follow_recipe, plain_arguments

Result = TypeVar("Result")

MOST_TOKENS: Final = 200_000  # of a step: about two minutes of BERT-base on two cores


class StepRunner:
    """The results of steps, which are computed when they are first needed."""

    def __init__(
        self, open_model: Callable[[str], Backend], known: Callable[[AnyStep, str], Any] = lambda step, model_name: None
    ) -> None:
        """Models are opened by their names.

        Args:
            known: the result of a step for a model's name where the app has it already, else None.
        """
        self._open, self._known = open_model, known
        self._found: dict[Any, tuple[AnyStep, Any]] = {}  # with its step, whose runs are known by their identity

    def run(self, step: AnyStep, model_name: str) -> Any:
        """The result of a step; None for an optional one that takes too long.

        Raises:
            HeadlightError: the step does not apply, or takes too long.
        """
        known = self._known(step, model_name)
        if known is not None:
            return known
        if isinstance(step, LongStep) and step.tokens > MOST_TOKENS:
            if step.is_optional:
                return None
            raise SelectionError(
                f"{step.what}: this takes {step.tokens:,} tokens; slides and claims run at most {MOST_TOKENS:,}."
            )
        args = (id(each) if isinstance(each, Trace) else each for each in plain_arguments(step))
        key = (step.function, model_name, *args, *sorted(step.options.items()))
        if key not in self._found:
            models = [] if isinstance(step, Step) and not step.needs_model else [self._open(model_name)]
            self._found[key] = step, step.function(*models, *step.args, **step.options)
        return self._found[key][1]

    def result(self, recipe: Recipe[Result], model_name: str) -> Result:
        """The result of a recipe, whose answers nobody needs. Raises HeadlightError."""
        return follow_recipe(recipe, run=lambda step: self.run(step, model_name))

    def answer(self, recipe: Recipe[Result], model_name: str) -> tuple[Answer, Result]:
        """The answers of a recipe as one, and its result. Raises HeadlightError."""
        parts: list[Part | Row] = []
        left_out: list[str] = []

        def run(step: AnyStep) -> Any:
            found = self.run(step, model_name)
            if found is None and isinstance(step, LongStep):
                left_out.append(step.what)
            return found

        def show(part: Answer | Widgets) -> None:
            if isinstance(part, Answer):
                parts.extend(part.parts)

        result = follow_recipe(recipe, run=run, show=show)
        notes = (f"{what}: this takes too long for a slide. The app runs it." for what in left_out)
        return Answer((*parts, *(Sentence(note, "caption") for note in notes))), result
