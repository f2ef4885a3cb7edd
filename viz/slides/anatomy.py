"""The anatomy on a slide: the tensors of its step as pictures, and what else the step draws."""

from __future__ import annotations

from collections.abc import Mapping

from encoder.experiments.anatomy.readout import readout
from encoder.experiments.anatomy.record import ours, record
from encoder.measures.operations import signed_limit
from encoder.measures.unit_attention import MEAN
from encoder.runs.trace import Trace
from viz.answers.answer import Answer
from viz.answers.predictions import answer_of
from viz.exports.slides import TokenLine
from viz.panels.anatomy.opened_cell import opened_in
from viz.panels.anatomy.shown import Shown
from viz.panels.anatomy.step import RecordedRun, StepContent
from viz.panels.anatomy.steps import STEPS
from viz.slides.models import Models
from viz.slides.step_charts import BESIDE
from viz.slides.still import Still
from viz.slides.tensors import Drawn, tensor_chart
from viz.state.selection import Selection
from viz.tours.pointing import Texts, placed_points
from viz.tours.tour import Stop
from viz.wording.labels import make_visible

REMARK = "The anatomy has its formulas, its code and numbers worked out in the app; here are its pictures."
OF_TOKENS = "The anatomy has its formulas and code in the app; here are the tokens."
MOST_CHARTS = 6


def anatomy(stop: Stop, selection: Selection, traces: Mapping[str, Trace], models: Models) -> Still:
    """What a step draws; tokens and ids where that is nothing.

    Raises:
        UnsupportedModelError: the model is none of ours.
        SelectionError: the model has no such layer.
    """
    backend = ours(models.open(selection.model))
    place, trace = next(iter(traces.items()))
    tokens = backend.tokenize(*selection.runs[0])
    run = RecordedRun(
        backend=backend,
        record=record(backend.encoder, tokens, layer=selection.layer),
        head=0 if selection.head == MEAN else selection.head,
    )
    content = STEPS[selection.anatomy.step].content(run)
    texts = {place: trace.tokens}
    drawn = Drawn(
        labels=tuple(map(make_visible, tokens.labels)),
        opened=opened_in(content.opened_tensor, selection) if content.opened_tensor else None,
        sentence_b_start=tokens.sentence_b_start,
        head=run.head,
        points=placed_points(stop.points, Texts(queries=texts, keys=texts)),
    )
    tensors = [tensor_chart(shown, drawn, limit=limit) for shown, limit in _with_limits(content)]
    draw_beside = BESIDE.get(selection.anatomy.step)
    beside = draw_beside(run, drawn, selection, models) if draw_beside else []
    kept = max(MOST_CHARTS - len(beside), 0)  # of the tensors, of which other steps show some again
    charts = [*tensors[:kept], *beside]
    answers: tuple[tuple[str, Answer], ...] = ()
    if selection.anatomy.step == "prediction":
        answers = (("", answer_of(readout(run.backend, run.record).prediction)),)
    if not charts and not answers:
        pairs = tuple(zip(drawn.labels, map(str, tokens.ids), strict=True))
        line = TokenLine("The tokens of this text, and their ids", pairs)
        return Still(lines=(line,), remark=OF_TOKENS)
    left_out = [chart.grid.caption for chart in tensors[kept:]]
    more = f" Left out: {'; '.join(left_out)}." if left_out else ""
    return Still(charts=tuple(charts), answers=answers, remark=REMARK + more)


def _with_limits(content: StepContent) -> list[tuple[Shown, float]]:
    """Every tensor with the number at which its colours end; those of one row have the same."""
    found = []
    for row in content.tensors:
        signed = [shown.array for shown in row if shown.kind == "signed"]
        limit = signed_limit(*signed) if signed else 1.0
        found += [(shown, limit) for shown in row]
    return found
