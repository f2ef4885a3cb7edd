"""Routes on a slide: the links that carry an output, and how few of them do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from encoder.attribution.questions import Question
from encoder.attribution.target import Target, resolve_target
from encoder.runs.trace import Trace
from viz.answers.question import asked, with_answer
from viz.recipes.slide import Models, Shown, StaticSlide
from viz.slides.contents import LivePicture
from viz.slides.shared_runs import SharedRuns
from viz.state.messages import shared_selection
from viz.state.selection import Selection
from viz.views.routes.steps import orders_step, routes


class AskedOutput(NamedTuple):
    """An output, and the run of its text."""

    question: Question
    target: Target
    trace: Trace


def asked_output(traces: Mapping[str, Trace], selection: Selection, models: Models) -> AskedOutput:
    """The output that a selection's routes carry. Raises HeadlightError."""
    name, selection = selection.model, with_answer(selection, next(iter(traces.values())))
    question = asked(traces, selection, lambda text: models.trace(name, text, None)).question
    target = resolve_target(models.open(name), question)
    return AskedOutput(question, target, models.trace(name, *target.tokens.texts))


def routes_slide(shown: Shown, runs: SharedRuns) -> tuple[LivePicture | None, StaticSlide]:
    """The picture, whose run is added to those of the slides, and the answer; no picture of what takes too long.

    Raises:
        HeadlightError: the output has no routes.
    """
    selection, steps = shown.selection, shown.models.steps
    question, target, trace = asked_output(shown.traces, selection, shown.models)
    answer, found = steps.answer(routes(question, target, trace, shown.room), selection.model)
    static = StaticSlide(answers=(("", answer),))
    if found is None:
        return None, static
    others = steps.run(orders_step(question, target, found), selection.model)
    run = runs.add_routes(trace, selection, target=target, found=found, cut=None if others is None else others.cut)
    picture = LivePicture(view="routes", runs=(run,), selection=shared_selection(selection) | {"points": []})
    return picture, static
