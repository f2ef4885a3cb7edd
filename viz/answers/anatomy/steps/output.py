"""The output projection mixes the heads."""

from __future__ import annotations

from encoder.experiments.anatomy import cells
from encoder.transformer.attention import MultiHeadAttention
from viz.answers.anatomy.latex import shape
from viz.answers.anatomy.step import RecordedRun, Step, StepContent
from viz.answers.anatomy.steps.heads import CONTEXTS
from viz.answers.anatomy.tensors import Shown
from viz.answers.anatomy.worked_out import WorkedOut, explain_dot_product


def content(run: RecordedRun) -> StepContent:
    """Words, formula and tensors."""
    record, s = run.record, run.sizes
    contexts = Shown(name=CONTEXTS, array=record.merged, head_width=s.K, columns="dimension of all heads")
    return StepContent(
        words=(
            "Until now each head has written into dimensions of its own. One more learned matrix, the **output "
            f"projection**, mixes them: each of the {s.D} numbers that come out is a weighted sum of all numbers of "
            "all heads. The result says what attention wants to add to each token."
        ),
        formula=rf"{shape(s.T, s.D)}{{O}} = {shape(s.T, s.D)}{{C}}\;{shape(s.D, s.D)}{{W_O}} + b_O",
        tensors=((contexts,), (Shown(name="O: attention output", array=record.attended),)),
        sources=(MultiHeadAttention.forward,),
        opened="O: attention output",
    )


def work_out(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """A row of joined contexts times a row of the output matrix."""
    return explain_dot_product(
        rf"o_{{{row},{column}}} = c_{{{row}}} \cdot w_{{{column}}} + b_{{{column}}}",
        cells.attention_output(run.record, head=run.head, row=row, column=column),
        vectors=("contexts c", "weight w"),
    )


STEP = Step(title="The output projection", content=content, work_out=work_out)
