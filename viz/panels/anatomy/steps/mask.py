"""A mask hides keys: none, one that hides padding, or one that hides what comes later."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import streamlit as st

from encoder.experiments.anatomy.cells import masked_weight
from encoder.experiments.anatomy.changes import Masked
from encoder.experiments.anatomy.names import Mask
from encoder.measures.operations import signed_limit, total_variation
from encoder.transformer.attention import causal_mask, padding_mask
from viz.caches import experiment_cache
from viz.caches.run_cache import cached_with_model
from viz.panels.anatomy.draw import draw_tensor, explain_pictures
from viz.panels.anatomy.latex import number, shape, signed, softmax_line
from viz.panels.anatomy.opened_cell import opened_in, pick_cell, show_worked_out
from viz.panels.anatomy.shown import Shown, queries_by_keys
from viz.panels.anatomy.step import AnatomyPage, RecordedRun, Step, StepContent
from viz.panels.anatomy.worked_out import WorkedOut
from viz.state import session

LABELS: dict[Mask, str] = {"none": "None", "padding": "Padding", "causal": "Causal"}


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


def beside(page: AnatomyPage) -> None:
    """Scores and weights with the chosen mask."""
    st.segmented_control(
        "Mask",
        get_args(Mask),
        format_func=LABELS.__getitem__,
        required=True,
        **session.bound("mask", initial="default"),
    )
    kind, head = page.selection.anatomy.mask, page.run.head
    masked = cached_with_model(
        experiment_cache.masked_attention, page.run.backend.name, page.texts, layer=page.run.record.layer, mask=kind
    )
    labels = (*page.labels, *["[PAD]"] * masked.padding)
    limit = signed_limit(masked.free_scores[head], masked.scores[head])
    drawn = pictures_of_mask(masked, kind, head)
    opened = opened_in(drawn[-1], page.selection)
    page = replace(page, opened=opened)
    places = [column for _ in range(len(drawn) // 2) for column in st.columns(2)]
    for place, (column, shown) in enumerate(zip(places, drawn, strict=True)):
        with column:
            draw_tensor(shown, labels, limit=limit, alone=False, page=page, key=f"mask_{kind}_{place}")
    explain_pictures(drawn, page)
    st.caption(_effect(masked, kind, head))
    pick_cell(opened, labels)
    row, key = opened.cell
    show_worked_out(explain_masked_weight(masked, head=head, row=row, column=key), labels, key="mask")


def pictures_of_mask(masked: Masked, kind: Mask, head: int) -> list[Shown]:
    """Scores and weights; with a mask each beside the same without it."""
    scores = queries_by_keys("scores", masked.free_scores[head])
    weights = queries_by_keys("weights", masked.free_weights[head], kind="weight")
    if kind == "none":
        return [scores, weights]
    return [
        scores,
        queries_by_keys("scores, masked: empty is −∞", masked.scores[head]),
        weights,
        queries_by_keys("weights, masked", masked.weights[head], kind="weight"),
    ]


def _effect(masked: Masked, kind: Mask, head: int) -> str:
    """What the mask changes, in words."""
    if kind == "none":
        return "Nothing is masked: every token may look at every token, before it and behind it."
    if kind == "padding" and not masked.padding:
        return "Your text is as long as the model reads: there is no room for padding behind it."
    change = float(total_variation(masked.free_weights[head], masked.weights[head]).mean())
    what = (
        f"{masked.padding} tokens of padding were put behind your text, as in a batch with a longer text."
        if kind == "padding"
        else "The mask is put on this layer alone; this model was never trained with one."
    )
    return (
        f"{what} {int((~masked.allowed).sum()):,} of {masked.allowed.size:,} scores become −∞ and their weights "
        f"exactly 0; on the average over rows {change:.0%} of the attention moves."
    )


STEP = Step(title="A mask hides keys", content=content, beside=beside)
