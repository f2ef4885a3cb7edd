"""States become queries, keys and values."""

from __future__ import annotations

from dataclasses import replace

from encoder.experiments.anatomy import cells
from encoder.transformer.attention import MultiHeadAttention
from viz.answers.anatomy.latex import gathered, product_end, shape
from viz.answers.anatomy.step import RecordedRun, Step, StepContent
from viz.answers.anatomy.tensors import Shown
from viz.answers.anatomy.worked_out import WorkedOut, explain_dot_product


def content(run: RecordedRun) -> StepContent:
    """Words, formula and tensors."""
    record, head, s = run.record, run.head, run.sizes
    given = f"what layer {record.layer - 1} left" if record.layer else "the vectors of the embeddings"
    return StepContent(
        words=(
            f"The vectors now go through {s.L} **layers**, one after the other, alike in build. In each of them, "
            f"{s.H} **heads** work side by side and apart. We follow one: head {head} of layer {record.layer}, which "
            f"gets {given}. It turns each token's vector into three shorter ones, each by a learned matrix of {s.D} by "
            f"{s.K} numbers that is this head's own: a **query**, what the token looks for; a **key**, what it can be "
            "found by; a **value**, what it hands over when it is found. These words are a picture: nothing says what "
            "the numbers mean."
        ),
        formula=gathered(
            rf"{shape(s.T, s.K)}{{Q}} = {shape(s.T, s.D)}{{X}}\;{shape(s.D, s.K)}{{W_Q}} + b_Q \qquad "
            rf"{s.K} = \frac{{{s.D}}}{{{s.H}\text{{ heads}}}}",
            rf"{shape(s.T, s.K)}{{K}} = X\,W_K + b_K \qquad {shape(s.T, s.K)}{{V}} = X\,W_V + b_V",
        ),
        tensors=(
            (
                Shown(name="X: what goes into the layer", array=record.layer_input),
                Shown(name="Q: queries", array=record.query[head]),
            ),
            (Shown(name="K: keys", array=record.key[head]), Shown(name="V: values", array=record.value[head])),
        ),
        sources=(MultiHeadAttention,),
        opened="Q: queries",
    )


def work_out(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """A number of the query with all its terms, and those of the key and the value in a line each."""
    query, key, value = (
        cells.projection(run.record, name, head=run.head, row=row, column=column) for name in cells.PROJECTIONS
    )
    worked = explain_dot_product(_formula("q", row, column), query, vectors=("vector x", "weight w"))
    others = (f"{_formula(name, row, column)} = {product_end(product)}" for name, product in (("k", key), ("v", value)))
    return replace(worked, lines=(*worked.lines, *others))


def _formula(name: str, row: int, column: int) -> str:
    matrix = name.upper()
    return rf"{name}_{{{row},{column}}} = x_{{{row}}} \cdot w^{matrix}_{{{column}}} + b^{matrix}_{{{column}}}"


STEP = Step(title="Queries, keys and values", content=content, work_out=work_out)
