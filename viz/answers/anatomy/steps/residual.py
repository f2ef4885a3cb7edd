"""Attention's output is added to the token's vector, and the sum is normed."""

from __future__ import annotations

from encoder.experiments.anatomy import cells
from encoder.experiments.anatomy.changes import pre_norm
from encoder.transformer.encoder import EncoderLayer
from viz.answers.anatomy.latex import gathered, layer_norm_line, shape, sum_line
from viz.answers.anatomy.step import RecordedRun, Step, StepContent
from viz.answers.anatomy.tensors import Shown
from viz.answers.anatomy.worked_out import WorkedOut


def content(run: RecordedRun) -> StepContent:
    """Words, formula and tensors."""
    record, s = run.record, run.sizes
    normed, added = pre_norm(run.backend.encoder, record)  # (T, D) each
    return StepContent(
        words=(
            "Attention does not replace a token's vector, it **adds** to it: X + O. This **residual connection** keeps "
            "the word in sight and lets a tall stack of layers learn, because each only has to learn a correction. "
            "Then a **layer norm**, as after the embeddings, brings each token's numbers back to one size. BERT norms "
            "behind the sum (post-norm). Most newer models norm in front of attention (pre-norm) and leave the sum as "
            "it is; the last row of pictures shows that with this layer's weights, which were not trained for it."
        ),
        formula=gathered(
            rf"\text{{post-norm: }} {shape(s.T, s.D)}{{X'}} = \text{{LayerNorm}}\big({shape(s.T, s.D)}{{X}} + "
            r"\text{Attention}(X)\big)",
            r"\text{pre-norm: } X' = X + \text{Attention}(\text{LayerNorm}(X))",
        ),
        tensors=(
            (
                Shown(name="X: what went into the layer", array=record.layer_input),
                Shown(name="O: attention output", array=record.attended),
            ),
            (
                Shown(name="X + O: the sum", array=record.attention_sum),
                Shown(name="X': after layer norm", array=record.attention_normed),
            ),
            (
                Shown(name="pre-norm: LayerNorm(X)", array=normed),
                Shown(name="pre-norm: X + Attention(LayerNorm(X))", array=added),
            ),
        ),
        sources=(EncoderLayer,),
        opened="X': after layer norm",
    )


def work_out(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """Two numbers added, and the layer norm."""
    cell = cells.residual(run.record, head=run.head, row=row, column=column)
    return WorkedOut(lines=(sum_line(r"\text{residual: } x + o", cell.residual), layer_norm_line(cell.norm)))


STEP = Step(title="Residual connection and layer norm", content=content, work_out=work_out)
