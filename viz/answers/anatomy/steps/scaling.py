"""Scores are divided by √K; what softmax makes of them with and without."""

from __future__ import annotations

import math

from encoder.experiments.anatomy import cells
from encoder.runs.arrays import softmax
from encoder.transformer.attention import scaled_dot_product_attention
from viz.answers.anatomy.latex import number, shape
from viz.answers.anatomy.step import RecordedRun, Step, StepContent
from viz.answers.anatomy.tensors import queries_by_keys
from viz.answers.anatomy.worked_out import WorkedOut


def content(run: RecordedRun) -> StepContent:
    """Words, formula and tensors."""
    s = run.sizes
    products, scaled = run.record.products[run.head], run.record.scores[run.head]
    return StepContent(
        words=(
            f"A sum of {s.K} products spreads more widely than one product: for random numbers √{s.K} times as widely. "
            "Two steps on, **softmax** turns each row of scores into shares that sum to 1. Scores that lie far apart "
            "would give nearly everything to one key, and a model in that state learns slowly. So the scores are "
            f"divided by √{s.K} ≈ {math.sqrt(s.K):.2f}. The upper pictures show the products without and with scaling, "
            "the lower ones the shares that softmax makes of both."
        ),
        formula=(
            rf"\frac{{{shape(s.T, s.K)}{{Q}}\,{shape(s.K, s.T)}{{K^\top}}}}{{\sqrt{{{s.K}}}}} \qquad "
            rf"\text{{spread of these scores: }} {products.std():.2f} \;\to\; {scaled.std():.2f}"
        ),
        tensors=(
            (queries_by_keys("Q Kᵀ, not scaled", products), queries_by_keys("Q Kᵀ / √K, scaled", scaled)),
            (
                queries_by_keys("softmax, not scaled", softmax(products), kind="weight"),
                queries_by_keys("softmax, scaled", run.record.weights[run.head], kind="weight"),
            ),
        ),
        sources=(scaled_dot_product_attention,),
        opened="Q Kᵀ / √K, scaled",
    )


def work_out(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """A product divided by √K."""
    cell = cells.scaled_score(run.record, head=run.head, row=row, column=column)
    return WorkedOut(
        lines=(
            rf"\frac{{q_{{{row}}} \cdot k_{{{column}}}}}{{\sqrt{{{cell.head_width}}}}} = "
            rf"\frac{{{number(cell.product)}}}{{{number(cell.divisor)}}} = {number(cell.value)}",
        )
    )


STEP = Step(title="Scores are scaled", content=content, work_out=work_out)
