"""A mask hides keys: none, one that hides padding, or one that hides what comes later."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import streamlit as st

from encoder.experiments.anatomy.changed_cells import masked_weight
from encoder.experiments.anatomy.masks import Masked
from encoder.experiments.anatomy.names import Mask
from encoder.transformer.attention import causal_mask, padding_mask
from viz.answers.anatomy.steps import effect_of_mask, tensors_of_mask
from viz.answers.anatomy.tensors import limit_of, opened_in
from viz.caches import experiment_cache
from viz.caches.run_cache import cached_with_model
from viz.panels.anatomy.draw import draw_tensor, explain_pictures
from viz.panels.anatomy.latex import number, shape, signed, softmax_line
from viz.panels.anatomy.opened_cell import pick_cell, show_worked_out
from viz.panels.anatomy.step import AnatomyPage, RecordedRun, Step, StepContent
from viz.panels.anatomy.worked_out import WorkedOut
from viz.panels.answer import show_answer
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
    rows = tensors_of_mask(masked, kind, head)
    drawn = [shown for row in rows for shown in row]
    limit = limit_of(drawn)
    opened = opened_in(drawn[-1], page.selection)
    page = replace(page, opened=opened)
    places = [column for row in rows for column in st.columns(len(row))]
    for place, (column, shown) in enumerate(zip(places, drawn, strict=True)):
        with column:
            draw_tensor(shown, labels, limit=limit, alone=False, page=page, key=f"mask_{kind}_{place}")
    explain_pictures(drawn, page)
    show_answer(effect_of_mask(masked, kind, head), view="anatomy", place="")
    pick_cell(opened, labels)
    row, key = opened.cell
    show_worked_out(explain_masked_weight(masked, head=head, row=row, column=key), labels, key="mask")


STEP = Step(title="A mask hides keys", content=content, beside=beside)
