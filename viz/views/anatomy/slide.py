"""What a stop shows of the view."""

from __future__ import annotations

from functools import partial
from typing import Final

from encoder.experiments.anatomy.names import StepKey
from encoder.experiments.anatomy.record import ours
from encoder.measures.unit_attention import MEAN
from viz.answers.answer import TokenLine
from viz.recipes.slide import Shown, StaticSlide
from viz.tours.pointing import Texts, placed_points
from viz.views.anatomy.answer.followed import followed_cell, followed_place
from viz.views.anatomy.answer.step import Chosen, RecordedRun
from viz.views.anatomy.answer.steps import STEPS
from viz.views.anatomy.answer.tensors import Drawn
from viz.views.anatomy.steps import recorded, step_runs
from viz.wording.labels import make_visible

OF_TOKENS: Final[tuple[StepKey, ...]] = ("text", "ids")


def slide(shown: Shown) -> StaticSlide:
    """What a step shows, with the stop's cell worked out. Raises UnsupportedModelError if the model is not ours."""
    selection, models, name = shown.selection, shown.models, shown.selection.model
    backend = ours(models.open(name))
    place = followed_place(shown.traces, selection)
    trace = shown.traces[place]
    pair, run = trace.tokens.texts, partial(models.steps.run, model_name=name)
    head, tokens = 0 if selection.head == MEAN else selection.head, {place: trace.tokens}
    found = RecordedRun(backend=backend, record=run(recorded(pair, selection.layer)), head=head)
    labels = found.record.tokens.labels
    chosen = Chosen(
        drawn=Drawn(
            labels=labels,
            sentence_b_start=found.record.tokens.sentence_b_start,
            head=head,
            points=placed_points(shown.stop.points, Texts(queries=tokens, keys=tokens)),
        ),
        cell=followed_cell(shown.traces, place, selection, head=head),
        mask=selection.anatomy.mask,
        what_ifs=selection.anatomy.what_ifs,
    )
    runs = step_runs(pair, selection.layer, selection, run=run, open_model=models.open)
    answer = STEPS[selection.anatomy.step].answer(found, runs, chosen).in_order
    pairs = tuple(zip(map(make_visible, labels), map(str, found.record.tokens.ids), strict=True))
    line = TokenLine("The tokens of this text, and their ids", pairs)
    return StaticSlide(answers=(("", answer),), lines=(line,) if selection.anatomy.step in OF_TOKENS else ())
