"""Every query is multiplied with every key."""

from __future__ import annotations

from encoder.experiments.anatomy import cells
from encoder.transformer.attention import scaled_dot_product_attention
from viz.answers.anatomy.latex import shape
from viz.answers.anatomy.step import RecordedRun, Step, StepContent
from viz.answers.anatomy.tensors import queries_by_keys
from viz.answers.anatomy.worked_out import WorkedOut, explain_dot_product


def content(run: RecordedRun) -> StepContent:
    """Words, formula and tensor."""
    s = run.sizes
    return StepContent(
        words=(
            "How well does a query fit a key? Multiply them number by number and add up: the **dot product**. It is "
            "large where both point the same way, 0 where they are at right angles, negative where they point apart. "
            f"One matrix product does it for all {s.T} × {s.T} pairs: a row for each token that looks (query), a "
            "column for each token that is looked at (key)."
        ),
        formula=(
            rf"{shape(s.T, s.T)}{{S}} = {shape(s.T, s.K)}{{Q}}\;{shape(s.K, s.T)}{{K^\top}} \qquad "
            rf"S_{{ij}} = q_i \cdot k_j = \sum_{{d=0}}^{{{s.K - 1}}} q_{{i,d}}\,k_{{j,d}}"
        ),
        tensors=((queries_by_keys("S = Q Kᵀ", run.record.products[run.head]),),),
        sources=(scaled_dot_product_attention,),
        opened="S = Q Kᵀ",
    )


def work_out(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """The product of a query and a key."""
    product = cells.score(run.record, head=run.head, row=row, column=column)
    return explain_dot_product(rf"q_{{{row}}} \cdot k_{{{column}}}", product, vectors=("query q", "key k"))


STEP = Step(title="Every query meets every key", content=content, work_out=work_out)
