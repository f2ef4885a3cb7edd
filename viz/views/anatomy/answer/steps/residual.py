"""The residual connection around attention, and the layer norm after it or before it."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from encoder.experiments.anatomy import cells
from encoder.experiments.anatomy.changes import pre_norm
from encoder.transformer.encoder import EncoderLayer
from viz.answers.answer import Answer, Sentence
from viz.views.anatomy.answer.step import Folds, RecordedRun, Source, StepContent, result_of, snippet
from viz.views.anatomy.answer.steps.inputs import norm_lines
from viz.views.anatomy.answer.tensors import Drawn, Opened, Shown, tensors
from viz.views.anatomy.answer.worked_out import WorkedOut, layer_norm_line, shape, sum_line

PRE_NORM: Final = "The same layer with pre-norm"


def residual(run: RecordedRun) -> StepContent:
    """Attention's output is added to the token's vector, and the sum is normed."""
    record, s = run.record, run.sizes
    return StepContent(
        words=(
            "Attention does not replace a token's vector: its output is **added** to it. This **residual connection** "
            "preserves the word, and lets many layers learn, because each has to learn a correction only. A **layer "
            "norm**, as after the embeddings, then brings each token's numbers back to one scale. BERT normalises "
            "after the sum (post-norm); most newer models normalise before attention (pre-norm) and leave the sum as "
            "it is."
        ),
        latex="\n".join(
            (
                rf"\text{{post-norm: }} {shape(s.T, s.D)}{{X'}} = \text{{LayerNorm}}\big(\boxed{{X + O}}\big)",
                r"\text{pre-norm: } X' = X + \text{Attention}(\text{LayerNorm}(X))",
            )
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
        ),
        sources=(Source(EncoderLayer.forward, "x = self.attention_norm(x + self.attention(x, mask))"),),
        opened="X': after layer norm",
    )


def code_of_residual(run: RecordedRun, opened: Opened) -> Answer:
    """The sum, and its layer norm."""
    return snippet("Z = X + O", *norm_lines(run, "X_1"), marked="Z", result=result_of(opened, "X_1"))


def folds_of_residual(run: RecordedRun, _opened: Opened) -> Folds:
    """The same layer with the layer norm before attention."""
    return MappingProxyType({PRE_NORM: lambda: _with_pre_norm(run)})


def _with_pre_norm(run: RecordedRun) -> Answer:
    normed, added = pre_norm(run.backend.encoder, run.record)  # (T, D) each
    tokens = run.record.tokens
    drawn = Drawn(labels=tokens.labels, sentence_b_start=tokens.sentence_b_start, head=run.head)
    row = (
        Shown(name="pre-norm: LayerNorm(X)", array=normed),
        Shown(name="pre-norm: X + Attention(LayerNorm(X))", array=added),
    )
    caption = Sentence("With the weights of this layer, which were not trained for it.", "caption")
    return Answer((*tensors((row,), drawn).parts, caption))


def work_out_residual(run: RecordedRun, row: int, column: int) -> WorkedOut:
    """Two numbers added, and the layer norm."""
    total, norm = cells.residual(run.record, row=row, column=column)
    return WorkedOut(lines=(sum_line(r"\text{residual: } x + o", total), layer_norm_line(norm)))
