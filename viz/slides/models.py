"""The source of the runs of slides: a cache in the app, computation in a command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from encoder import Backend, Trace
from encoder.runs.generation import Generation
from viz.recipes.runner import StepRunner
from viz.state.selection import Selection


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
