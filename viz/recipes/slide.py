"""What a slide is made from: a stop with its runs; and what a view without interaction makes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from encoder import Backend, Trace
from encoder.runs.generation import Generation
from viz.answers.answer import Answer, TokenLine
from viz.answers.room import Room
from viz.recipes.runner import StepRunner
from viz.recipes.step import Recipe
from viz.state.selection import Selection
from viz.tours.tour import Stop
from viz.wording.labels import HEADINGS

ONLY_SPECIAL: Final = "This text has special tokens only, and the stop hides them."


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """Functions that make runs; they raise HeadlightError if they cannot.

    Attributes:
        open: a model by its name.
        trace: a model's run over one text or a pair, with changed `links`.
        write: an encoder-decoder's run over the text of a selection.
        steps: runs the steps of recipes.
    """

    open: Callable[[str], Backend]
    trace: Callable[..., Trace]
    write: Callable[[Selection], Generation]
    steps: StepRunner


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticSlide:
    """A view's answers and lines of tokens."""

    lines: tuple[TokenLine, ...] = ()
    answers: tuple[tuple[str, Answer], ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """What a slide shows: a stop, its selection, an encoder's runs by place, and the room of the answers."""

    stop: Stop
    selection: Selection
    traces: Mapping[str, Trace]
    models: Models
    room: Room

    def answer(self, recipe: Recipe[Any]) -> Answer:
        """The answers of a recipe as one. Raises HeadlightError."""
        return self.models.steps.answer(recipe, self.selection.model)[0]


def of_each(answers: Mapping[str, Answer]) -> StaticSlide:
    """An answer for each text, under its heading."""
    return StaticSlide(answers=tuple((HEADINGS[place], answer) for place, answer in answers.items()))
