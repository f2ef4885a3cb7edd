"""The contexts of all heads are put side by side."""

from __future__ import annotations

from encoder.experiments.anatomy import cells
from encoder.transformer.attention import MultiHeadAttention
from viz.answers.anatomy.latex import number, shape
from viz.answers.anatomy.step import RecordedRun, Step, StepContent
from viz.answers.anatomy.tensors import Shown
from viz.answers.anatomy.worked_out import WorkedOut

CONTEXTS = "C: contexts of all heads"


def content(run: RecordedRun) -> StepContent:
    """Words, formula and tensor."""
    head, s = run.head, run.sizes
    joined = (
        rf"{shape(s.T, s.D)}{{C}} = \big[\,{shape(s.T, s.K)}{{C_0}}\;\dots\;{shape(s.T, s.K)}{{C_{{{s.H - 1}}}}}\,\big]"
    )
    return StepContent(
        words=(
            f"What head {head} did, all {s.H} heads of the layer do at once, each with matrices of its own: one may "
            f"look at the previous word while another looks at `[SEP]`. Their contexts, {s.K} numbers wide each, are "
            f"put side by side, so that every token has {s.D} numbers again. Thin lines part the heads, and a frame "
            f"marks head {head}."
        ),
        formula=joined + rf" \qquad {s.H} \cdot {s.K} = {s.D}",
        tensors=((Shown(name=CONTEXTS, array=run.record.merged, head_width=s.K),),),
        sources=(MultiHeadAttention.split_heads, MultiHeadAttention.merge_heads),
        opened=CONTEXTS,
    )


def work_out(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """The head and the dimension that a number was copied from."""
    cell = cells.joined_context(run.record, head=run.head, row=row, column=column)
    return WorkedOut(
        lines=(
            rf"{column} = {cell.head} \cdot {cell.head_width} + {cell.dimension}",
            rf"\text{{head {cell.head}, dimension {cell.dimension}: }} {{{number(cell.value)}}}",
        )
    )


STEP = Step(title="All heads side by side", content=content, work_out=work_out)
