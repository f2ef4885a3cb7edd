"""Attention weights mix the values."""

from __future__ import annotations

from encoder.experiments.anatomy import cells
from encoder.transformer.attention import scaled_dot_product_attention
from viz.answers.anatomy.latex import shape
from viz.answers.anatomy.step import RecordedRun, Step, StepContent
from viz.answers.anatomy.tensors import Shown, queries_by_keys
from viz.answers.anatomy.worked_out import WorkedOut, explain_dot_product


def content(run: RecordedRun) -> StepContent:
    """Words, formula and tensors."""
    record, head, s = run.record, run.head, run.sizes
    return StepContent(
        words=(
            "Now every token collects. Its new vector, the **context**, is the mean of all tokens' values, each "
            "weighted by its attention weight: a token with weight 0.9 is nearly copied, one with weight 0.01 adds "
            "hardly anything. This is the only place in a layer where information moves from one token to another."
        ),
        formula=(
            rf"{shape(s.T, s.K)}{{C}} = {shape(s.T, s.T)}{{A}}\;{shape(s.T, s.K)}{{V}} \qquad "
            rf"c_i = \sum_{{j=0}}^{{{s.T - 1}}} A_{{ij}}\,v_j"
        ),
        tensors=(
            (queries_by_keys("A: attention weights", record.weights[head], kind="weight"),),
            (
                Shown(name="V: values", array=record.value[head], rows="key"),
                Shown(name="C = A V: context", array=record.context[head]),
            ),
        ),
        sources=(scaled_dot_product_attention,),
        opened="C = A V: context",
    )


def work_out(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """A row of weights times a column of values."""
    return explain_dot_product(
        rf"c_{{{row},{column}}} = \sum_j a_{{{row},j}}\, v_{{j,{column}}}",
        cells.context(run.record, head=run.head, row=row, column=column),
        vectors=("weight a", "value v"),
        counted="key",
    )


STEP = Step(title="Weights mix the values", content=content, work_out=work_out)
