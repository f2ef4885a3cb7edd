"""A mask hides keys: none, one that hides padding, or one that hides what comes later."""

from __future__ import annotations

from encoder.experiments.anatomy.cells import masked_weight
from encoder.experiments.anatomy.changes import Masked
from encoder.transformer.attention import causal_mask, padding_mask
from viz.answers.anatomy.latex import number, shape, signed, softmax_line
from viz.answers.anatomy.step import RecordedRun, Step, StepContent
from viz.answers.anatomy.worked_out import WorkedOut


def content(run: RecordedRun) -> StepContent:
    """Words and formula."""
    s = run.sizes
    return StepContent(
        words=(
            "Some keys must not be looked at. A **padding mask** hides `[PAD]`, which only fills up a batch: how long "
            "the other texts are should not change what this one means. A **causal mask** hides every token that "
            "comes later; a model that writes from left to right (a decoder) needs it, because it must not read what "
            "it has not written yet. A hidden key gets the score −∞ (in the code, the lowest number there is), so that "
            "softmax gives it a share of exactly 0 and the other keys get the whole. BERT reads in both directions: on "
            "one text alone it masks **nothing**. The other steps show it without a mask."
        ),
        formula=(
            rf"{shape(s.T, s.T)}{{S}} + {shape(s.T, s.T)}{{M}} \qquad M_{{ij}} = \begin{{cases}} 0 & \text{{query }} i "
            r"\text{ may look at key } j \\ -\infty & \text{otherwise} \end{cases} \qquad e^{-\infty} = 0"
        ),
        sources=(padding_mask, causal_mask),
    )


def explain_masked_weight(masked: Masked, *, head: int, row: int, column: int) -> WorkedOut:
    """A weight under a mask: score plus mask, then the softmax of that row."""
    cell = masked_weight(masked, head=head, row=row, column=column)
    score, mask = float(cell.scores[column]), float(cell.mask[column])
    symbol = f"s_{{{row},{column}}} + M_{{{row},{column}}}"
    return WorkedOut(
        lines=(
            f"{symbol} = {number(score)} {signed(mask)} = {number(float(cell.softmax.scores[column]))}",
            softmax_line(
                cell.softmax, weight=f"a_{{{row},{column}}}", score=symbol, others=f"s_{{{row},j}} + M_{{{row},j}}"
            ),
        ),
        terms={"score s": cell.scores, "mask M": cell.mask, "exp(s + M − largest)": cell.softmax.exponentials},
        counted="key",
    )


STEP = Step(title="A mask hides keys", content=content)
