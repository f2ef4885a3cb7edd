"""The anatomy on a slide: what the page shows of a step, with the stop's cell worked out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from encoder.experiments.anatomy.changes import changed, masked
from encoder.experiments.anatomy.names import StepKey
from encoder.experiments.anatomy.parameter_counts import count_preset
from encoder.experiments.anatomy.record import ours, record
from encoder.measures.unit_attention import MEAN
from encoder.runs.trace import Trace
from viz.answers.anatomy.followed import followed_cell, followed_place
from viz.answers.anatomy.step import Chosen, RecordedRun, StepRuns
from viz.answers.anatomy.steps import STEPS, inputs
from viz.answers.anatomy.tensors import Drawn
from viz.slides.contents import TokenLine
from viz.slides.models import Models
from viz.slides.static_slide import StaticSlide
from viz.state.selection import Selection
from viz.tours.pointing import Texts, placed_points
from viz.tours.tour import Stop
from viz.wording.labels import make_visible

OF_TOKENS: Final[tuple[StepKey, ...]] = ("text", "ids")


def anatomy(stop: Stop, selection: Selection, traces: Mapping[str, Trace], models: Models) -> StaticSlide:
    """What a step shows, with the stop's cell worked out.

    Raises:
        UnsupportedModelError: the model is not one of ours.
        SelectionError: the model has no such layer.
    """
    backend = ours(models.open(selection.model))
    place = followed_place(traces, selection)
    trace = traces[place]
    tokens = backend.tokenize(*trace.tokens.sentences)
    run = RecordedRun(
        backend=backend,
        record=record(backend.encoder, tokens, layer=selection.layer),
        head=0 if selection.head == MEAN else selection.head,
    )
    texts = {place: trace.tokens}
    chosen = Chosen(
        drawn=Drawn(
            labels=tokens.labels,
            sentence_b_start=tokens.sentence_b_start,
            head=run.head,
            points=placed_points(stop.points, Texts(queries=texts, keys=texts)),
        ),
        cell=followed_cell(traces, place, selection, head=run.head),
        mask=selection.anatomy.mask,
        what_ifs=selection.anatomy.what_ifs,
    )
    answer = STEPS[selection.anatomy.step].answer(run, _runs(run, selection, models), chosen).in_order
    pairs = tuple(zip(map(make_visible, tokens.labels), map(str, tokens.ids), strict=True))
    line = TokenLine("The tokens of this text, and their ids", pairs)
    return StaticSlide(answers=(("", answer),), lines=(line,) if selection.anatomy.step in OF_TOKENS else ())


def _runs(run: RecordedRun, selection: Selection, models: Models) -> StepRuns:
    encoder, tokens, layer = run.backend.encoder, run.record.tokens, run.record.layer
    return StepRuns(
        masked=lambda: masked(encoder, tokens, layer=layer, mask=selection.anatomy.mask),
        changed=lambda: changed(encoder, tokens, layer=layer, what_ifs=selection.anatomy.what_ifs),
        learned_elsewhere=lambda: ours(models.open(inputs.LEARNED_ELSEWHERE)).encoder,
        count=count_preset,
    )
