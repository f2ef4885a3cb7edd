"""Attention after a part of the encoder is removed or changed."""

from __future__ import annotations

from encoder.experiments.anatomy.cells import ChangedWeight, changed_weight
from encoder.experiments.anatomy.changes import Changed, changed
from encoder.experiments.anatomy.record import Record
from viz.answers.anatomy.latex import number, softmax_line
from viz.answers.anatomy.step import RecordedRun, Step, StepContent
from viz.answers.anatomy.worked_out import WorkedOut


def content(run: RecordedRun) -> StepContent:
    """Words and formula."""
    s = run.sizes
    return StepContent(
        words=(
            "Every part of the encoder is there for a reason. Take one away, or several, and see what becomes of the "
            f"attention of layer {run.record.layer}, head {run.head}, on your text. The number says how much of a "
            "row's attention went elsewhere, as the mean over rows: 0 % is the same picture, 100 % is nothing in "
            "common."
        ),
        formula=(
            rf"\text{{changed}} = \frac{{1}}{{{s.T}}} \sum_{{i=0}}^{{{s.T - 1}}} \frac{{1}}{{2}} "
            rf"\sum_{{j=0}}^{{{s.T - 1}}} \big|A_{{ij}} - A^\text{{changed}}_{{ij}}\big|"
        ),
        sources=(changed,),
    )


def explain_changed_weight(record: Record, changed: Changed, *, head: int, row: int, column: int) -> WorkedOut:
    """A weight of the model next to the changed one, each with the softmax of its own row."""
    cell = changed_weight(record, changed, head=head, row=row, column=column)
    place, any_place = f"_{{{row},{column}}}", f"_{{{row},j}}"
    return WorkedOut(
        lines=(
            softmax_line(cell.own, weight=f"a{place}", score=f"s{place}", others=f"s{any_place}"),
            softmax_line(cell.changed, weight=f"a'{place}", score=f"s'{place}", others=f"s'{any_place}"),
            *_dropout_lines(cell),
        ),
        terms={
            "score s": cell.own.scores,
            "exp(s − largest)": cell.own.exponentials,
            "changed score s'": cell.changed.scores,
            "exp(s' − largest)": cell.changed.exponentials,
        },
        counted="key",
    )


def _dropout_lines(cell: ChangedWeight) -> tuple[str, ...]:
    """What dropout makes of the softmax's weight; none where it changes nothing."""
    if cell.value == cell.changed.value:
        return ()
    weight = number(cell.changed.value)
    if cell.value == 0:
        return (rf"\text{{dropout: }} {weight} \to 0",)
    return (rf"\text{{dropout: }} \frac{{{weight}}}{{1 - {cell.dropout:g}}} = {number(cell.value)}",)


STEP = Step(title="What if …?", content=content)
