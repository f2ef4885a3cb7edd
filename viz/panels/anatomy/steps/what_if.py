"""What becomes of the attention when a part of the encoder is taken away or changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from encoder.experiments.anatomy.cells import ChangedWeight, changed_weight
from encoder.experiments.anatomy.changes import Changed, changed
from encoder.experiments.anatomy.names import WhatIf
from encoder.experiments.anatomy.record import Record
from encoder.measures.operations import total_variation
from viz.caches import experiment_cache
from viz.caches.run_cache import cached_with_model
from viz.panels.anatomy.draw import draw_tensor, explain_pictures
from viz.panels.anatomy.latex import number, softmax_line
from viz.panels.anatomy.opened_cell import opened_in, pick_cell, show_worked_out
from viz.panels.anatomy.shown import Shown, queries_by_keys
from viz.panels.anatomy.step import AnatomyPage, RecordedRun, Step, StepContent
from viz.panels.anatomy.worked_out import WorkedOut
from viz.state import session
from viz.state.selection import WHAT_IFS
from viz.wording.labels import escape_markdown

LABELS: dict[WhatIf, str] = {
    "unscaled": "Scaling off",
    "one-head": "One head instead of many",
    "dropout": "Dropout on",
    "no-positions": "Positions removed",
    "shuffled": "Words shuffled",
}
MEANING: dict[WhatIf, str] = {
    "unscaled": "The scores of this layer are not divided by √K.",
    "one-head": "This layer's projections are one head as wide as the model.",
    "dropout": "In every layer some of the states, and of the weights where the model was trained so, are set to 0 at "
    "random (always the same ones, by a fixed seed), and the others are scaled up: rows need not sum to 1 any more.",
    "no-positions": "The position embeddings are left out.",
    "shuffled": "The words of each sentence are read in another order, always the same. Rows and columns are put back "
    "into the order of your text.",
}
SWITCHES = "anatomy_switches"


def content(run: RecordedRun) -> StepContent:
    """Words and formula."""
    s = run.sizes
    return StepContent(
        words=(
            "Every part of the encoder is there for a reason. Take one away, or several, and see what becomes of the "
            f"attention of layer {run.record.layer}, head {run.head}, on your text. The number says how much of a "
            "row's attention went elsewhere, as the mean over rows: 0 % is the same picture, 100 % is nothing in "
            "common."
        ),
        formula=(
            rf"\text{{changed}} = \frac{{1}}{{{s.T}}} \sum_{{i=0}}^{{{s.T - 1}}} \frac{{1}}{{2}} "
            rf"\sum_{{j=0}}^{{{s.T - 1}}} \big|A_{{ij}} - A^\text{{changed}}_{{ij}}\big|"
        ),
        sources=(changed,),
    )


def explain_changed_weight(record: Record, changed: Changed, *, head: int, row: int, column: int) -> WorkedOut:
    """A weight of the model beside the changed one, each with the softmax of its own row."""
    cell = changed_weight(record, changed, head=head, row=row, column=column)
    place, any_place = f"_{{{row},{column}}}", f"_{{{row},j}}"
    return WorkedOut(
        lines=(
            softmax_line(cell.own, weight=f"a{place}", score=f"s{place}", others=f"s{any_place}"),
            softmax_line(cell.changed, weight=f"a'{place}", score=f"s'{place}", others=f"s'{any_place}"),
            *_dropout_lines(cell),
        ),
        terms={
            "score s": cell.own.scores,
            "exp(s − largest)": cell.own.exponentials,
            "changed score s'": cell.changed.scores,
            "exp(s' − largest)": cell.changed.exponentials,
        },
        counted="key",
    )


def _dropout_lines(cell: ChangedWeight) -> tuple[str, ...]:
    """What dropout makes of the softmax's weight; none where it changes nothing."""
    if cell.value == cell.changed.value:
        return ()
    weight = number(cell.changed.value)
    if cell.value == 0:
        return (rf"\text{{dropout: }} {weight} \to 0",)
    return (rf"\text{{dropout: }} \frac{{{weight}}}{{1 - {cell.dropout:g}}} = {number(cell.value)}",)


def beside(page: AnatomyPage) -> None:
    """The switches, and the changed attention beside the model's own."""
    st.pills(
        "What if …",
        WHAT_IFS,
        format_func=LABELS.__getitem__,
        selection_mode="multi",
        **session.bound("what_if", key=SWITCHES, to_widget=list, from_widget=_in_order, initial="default"),
    )
    what_ifs = page.selection.anatomy.what_ifs
    record, head = page.run.record, page.run.head
    changed = cached_with_model(
        experiment_cache.what_if, page.run.backend.name, page.texts, layer=record.layer, what_ifs=what_ifs
    )
    drawn = pictures_of_change(record, changed, head)
    elsewhere = float(total_variation(*(shown.array for shown in drawn)).mean())
    st.metric("Attention that went elsewhere, mean over rows", f"{elsewhere:.1%}")
    opened = opened_in(drawn[-1], page.selection)
    page = replace(page, opened=opened)
    for place, (column, shown) in enumerate(zip(st.columns(2), drawn, strict=True)):
        with column:
            draw_tensor(shown, page.labels, limit=1, alone=False, page=page, key=f"what_if_{place}")
    explain_pictures(drawn, page)
    st.caption(_meaning(what_ifs, page.labels, changed))
    pick_cell(opened, page.labels)
    row, key = opened.cell
    worked = explain_changed_weight(record, changed, head=head, row=row, column=key)
    show_worked_out(worked, page.labels, key="what-if")


def pictures_of_change(record: Record, changed: Changed, head: int) -> list[Shown]:
    """A head's own weights and the changed ones."""
    one_head = len(changed.weights) == 1
    weights = changed.weights[0 if one_head else head]
    return [
        queries_by_keys(f"the model's own, head {head}", record.weights[head], kind="weight"),
        queries_by_keys("changed, the only head" if one_head else f"changed, head {head}", weights, kind="weight"),
    ]


def _meaning(what_ifs: Sequence[WhatIf], labels: Sequence[str], changed: Changed) -> str:
    """What the switches that are on do."""
    sentences = [MEANING[name] for name in what_ifs]
    if not sentences:
        return "Nothing is changed yet: choose one of the switches, or several."
    if "shuffled" in what_ifs:
        sentences.append(f"The model reads: {escape_markdown(' '.join(labels[token] for token in changed.order))}.")
    if set(what_ifs) == {"no-positions", "shuffled"}:
        sentences.append(
            "Without positions the order makes no difference: switch the shuffling off, and nothing changes."
        )
    return " ".join(sentences)


def _in_order(chosen: Sequence[WhatIf]) -> tuple[WhatIf, ...]:
    return tuple(name for name in WHAT_IFS if name in chosen)


STEP = Step(title="What if …?", content=content, beside=beside)
