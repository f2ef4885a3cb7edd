"""A mask hides keys: scores and weights with and without it."""

from __future__ import annotations

from encoder.experiments.anatomy import cells
from encoder.experiments.anatomy.changes import Masked
from encoder.experiments.anatomy.names import Mask
from encoder.measures.operations import total_variation
from encoder.transformer.attention import causal_mask, padding_mask, scaled_dot_product_attention
from viz.answers.answer import Answer, Sentence
from viz.views.anatomy.answer.step import (
    Chosen,
    RecordedRun,
    Source,
    StepContent,
    StepParts,
    StepRuns,
    result_of,
    snippet,
    worked_parts,
)
from viz.views.anatomy.answer.tensors import Shown, scores_of, tensors, weights_of
from viz.views.anatomy.answer.worked_out import WorkedOut, number, shape, signed, softmax_line


def mask(run: RecordedRun) -> StepContent:
    """A mask hides keys: none, one that hides padding, or one that hides what comes later."""
    s = run.sizes
    return StepContent(
        words=(
            "Some keys must not be looked at. A **padding mask** hides `[PAD]`, so that the other texts of a batch "
            "cannot change the result of this one. A **causal mask** hides later tokens: a decoder must not read what "
            "it has not written yet. A hidden key gets the score −∞ (in the real code, the lowest number there is), so "
            "that softmax gives it exactly 0. BERT reads in both directions and masks **nothing** in a single text, as "
            "in all other steps."
        ),
        latex=(
            rf"{shape(s.T, s.T)}{{S}} + {shape(s.T, s.T)}{{\boxed{{M}}}} \qquad M_{{ij}} = \begin{{cases}} 0 & "
            r"i \text{ may look at } j \\ -\infty & \text{otherwise} \end{cases} \qquad e^{-\infty} = 0"
        ),
        sources=(
            Source(scaled_dot_product_attention, "scores = scores.masked_fill"),
            Source(padding_mask, "return"),
            Source(causal_mask, "return"),
        ),
    )


def parts_of_mask(run: RecordedRun, runs: StepRuns, chosen: Chosen) -> StepParts:
    """Scores and weights with the chosen mask."""
    found, head, kind = runs.masked(), run.head, chosen.mask
    rows = tensors_of_mask(found, kind, head)
    drawn = chosen.open(rows[-1][-1], (*chosen.drawn.labels, *["[PAD]"] * found.padding))
    row, column = drawn.opened_cell.cell
    worked, tables = worked_parts(
        drawn.opened_cell, explain_masked_weight(found, head=head, row=row, column=column), drawn.labels
    )
    count = len(found.allowed)
    allowed = {
        "none": f"np.ones(({count}, {count}), dtype=bool)",
        "padding": f"np.arange({count}) < {count - found.padding}",
        "causal": f"np.tri({count}, dtype=bool)",
    }
    code = snippet(
        f"allowed = {allowed[kind]}",
        "M = np.where(allowed, 0, -np.inf)",
        "E = np.exp(S + M - (S + M).max(axis=1, keepdims=True))",
        "A = E / E.sum(axis=1, keepdims=True)",
        marked="M",
        result=result_of(drawn.opened_cell, "A"),
    )
    picture = (*tensors(rows, drawn).parts, *effect_of_mask(found, kind, head).parts)
    return StepParts(picture=Answer(picture), worked=worked, tables=tables, code=code, drawn=drawn)


def explain_masked_weight(masked: Masked, *, head: int, row: int, column: int) -> WorkedOut:
    """A weight under a mask: score plus mask, then the softmax of that row."""
    cell = cells.masked_weight(masked, head=head, row=row, column=column)
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


def tensors_of_mask(masked: Masked, kind: Mask, head: int) -> tuple[tuple[Shown, ...], ...]:
    """Scores and weights; with a mask, each next to the unmasked one."""
    scores = scores_of("scores", masked.free_scores[head])
    weights = weights_of("weights", masked.free_weights[head])
    if kind == "none":
        return ((scores, weights),)
    masked_scores = scores_of("scores, masked: empty is −∞", masked.scores[head])
    masked_weights = weights_of("weights, masked", masked.weights[head])
    return (scores, masked_scores), (weights, masked_weights)


def effect_of_mask(masked: Masked, kind: Mask, head: int) -> Answer:
    """What the mask changes, in words."""
    return Answer((Sentence(_effect(masked, kind, head), "caption"),))


def _effect(masked: Masked, kind: Mask, head: int) -> str:
    if kind == "none":
        return "Nothing is masked: every token may look at every token, before it and after it."
    if kind == "padding" and not masked.padding:
        return "Your text is as long as the model reads: there is no room for padding after it."
    change = float(total_variation(masked.free_weights[head], masked.weights[head]).mean())
    what = (
        f"{masked.padding} tokens of padding were appended to your text, as in a batch with a longer text."
        if kind == "padding"
        else "The mask is put on this layer alone; this model was never trained with one."
    )
    return (
        f"{what} {int((~masked.allowed).sum()):,} of {masked.allowed.size:,} scores become −∞ and their weights "
        f"exactly 0; averaged over rows, {100 * change:.0f} % of the attention moves."
    )
