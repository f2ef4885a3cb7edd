"""Softmax turns scores into attention weights."""

from __future__ import annotations

from encoder.experiments.anatomy import cells
from encoder.transformer.attention import scaled_dot_product_attention
from viz.answers.anatomy.latex import shape
from viz.answers.anatomy.step import RecordedRun, Step, StepContent
from viz.answers.anatomy.tensors import queries_by_keys
from viz.answers.anatomy.worked_out import WorkedOut, explain_softmax


def content(run: RecordedRun) -> StepContent:
    """Words, formula and tensor."""
    s = run.sizes
    return StepContent(
        words=(
            "**Softmax** turns each row of scores into **attention weights**: it takes e to the power of every score, "
            "which makes all of them positive, and divides by their sum, so that the row sums to 1. A score that is "
            "larger by 1 gets e ≈ 2.7 times the weight. (To keep the powers small, the row's largest score is taken "
            "off all of them first; that divides numerator and sum by the same number and changes nothing.) This "
            "matrix is what the heat map of Headlight shows: row i says how token i shares out its attention."
        ),
        formula=(
            rf"{shape(s.T, s.T)}{{A}} = \text{{softmax}}\Big(\frac{{Q K^\top}}{{\sqrt{{{s.K}}}}}\Big) \qquad "
            rf"A_{{ij}} = \frac{{e^{{s_{{ij}}}}}}{{\sum_{{m=0}}^{{{s.T - 1}}} e^{{s_{{im}}}}}} \qquad "
            r"\sum_j A_{ij} = 1"
        ),
        tensors=((queries_by_keys("A: attention weights", run.record.weights[run.head], kind="weight"),),),
        sources=(scaled_dot_product_attention,),
        opened="A: attention weights",
    )


def work_out(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """The exponential of a score over the sum of the whole row's."""
    return explain_softmax(
        cells.weight(run.record, head=run.head, row=row, column=column),
        symbols=(f"a_{{{row},{column}}}", f"s_{{{row},{column}}}", f"s_{{{row},j}}"),
        names=("score s", "exp(s − largest)"),
        counted="key",
    )


STEP = Step(title="Scores into weights", content=content, work_out=work_out)
