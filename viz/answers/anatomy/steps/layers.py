"""The other layers: the states of the text after every one of them."""

from __future__ import annotations

from dataclasses import replace

from encoder.experiments.anatomy import cells
from encoder.transformer.encoder import Encoder
from viz.answers.anatomy.latex import layer_norm_line, shape, sum_line
from viz.answers.anatomy.step import RecordedRun, Step, StepContent
from viz.answers.anatomy.tensors import Shown
from viz.answers.anatomy.worked_out import WorkedOut, explain_dot_product


def content(run: RecordedRun) -> StepContent:
    """Words, formula and tensors."""
    record, s = run.record, run.sizes
    is_last = record.layer == s.L - 1
    shown = [Shown(name=f"X after layer {record.layer}{', the last' if is_last else ''}", array=record.layer_output)]
    if not is_last:
        shown.append(Shown(name=f"X after layer {s.L - 1}, the last", array=record.hidden_states[-1]))
    return StepContent(
        words=(
            f"That was layer {record.layer}. The model has {s.L} of them, alike in build and different in their "
            "learned numbers, and each starts from what the one before it left. Layer by layer a token's vector takes "
            "up more of the text around it. Choose another layer next to the charts, and every step shows that one, "
            "and works out its numbers."
        ),
        formula=(
            rf"{shape(s.T, s.D)}{{X_0}} \;\to\; X_1 = \text{{Layer}}_0(X_0) \;\to\; \dots \;\to\; "
            rf"{shape(s.T, s.D)}{{X_{{{s.L}}}}} = \text{{Layer}}_{{{s.L - 1}}}(X_{{{s.L - 1}}})"
        ),
        tensors=(tuple(shown),),
        sources=(Encoder.forward,),
        opened=shown[0].name,
    )


def work_out(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """What the feed-forward adds, the residual connection, the layer norm."""
    cell = cells.layer_output(run.record, head=run.head, row=row, column=column)
    worked = explain_dot_product(
        rf"\text{{feed-forward: }} f_{{{row},{column}}} = u_{{{row}}} \cdot w_{{{column}}} + b_{{{column}}}",
        cell.feed_forward,
        vectors=("unit u", "weight w"),
        counted="unit",
    )
    ends = (sum_line(r"\text{residual: } x' + f", cell.residual), layer_norm_line(cell.norm))
    return replace(worked, lines=(*worked.lines, *ends))


STEP = Step(title="The next layers", content=content, work_out=work_out)
