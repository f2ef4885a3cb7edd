"""Tensors of a step with the choice of a cell, and the widgets of single steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Final, get_args

import streamlit as st

from encoder.experiments.anatomy.names import Mask, StepKey, WhatIf
from encoder.experiments.anatomy.parameter_counts import count_model, count_preset
from encoder.experiments.anatomy.readout import readout
from encoder.experiments.anatomy.record import ours
from encoder.experiments.anatomy.step_examples import position_table
from encoder.transformer.config import PRESETS
from viz.answers.anatomy.step import RecordedRun
from viz.answers.anatomy.steps import inputs, layer, model
from viz.answers.anatomy.tensors import TOKENS, Drawn, Opened, opened_in, tensor, tensors
from viz.answers.anatomy.worked_out import WorkedOut
from viz.answers.answer import Answer, Sentence
from viz.caches import experiment_cache, run_cache
from viz.caches.memo import cached
from viz.caches.run_cache import cached_with_model
from viz.components.wires.plot_clicks import Chart
from viz.panels.answer import show_answer
from viz.panels.room import HEADING
from viz.state import session
from viz.state.selection import WHAT_IFS, Selection
from viz.widgets import select_box
from viz.wording.labels import make_visible

FORMULA = 44  # pixels above the charts at a stop of a tour
MASKS: Final[Mapping[Mask, str]] = MappingProxyType({"none": "None", "padding": "Padding", "causal": "Causal"})
WHAT_IF_LABELS: Final[Mapping[WhatIf, str]] = MappingProxyType(
    {
        "unscaled": "Scaling off",
        "one-head": "One head instead of many",
        "dropout": "Dropout on",
        "no-positions": "Positions removed",
        "shuffled": "Words shuffled",
    }
)
SWITCHES: Final = "anatomy_switches"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnatomyPage:
    """The state of the page while one step is rendered.

    Attributes:
        texts: as `viz.caches` takes them.
        clicks: what a click on each chart selects, by Streamlit's key.
    """

    run: RecordedRun
    texts: tuple[str, str | None]
    selection: Selection
    drawn: Drawn
    clicks: dict[str, Chart] = field(default_factory=dict)

    def open(self, opened: Opened, labels: Sequence[str] | None = None) -> AnatomyPage:
        """The page with another opened cell, and with other labels where they are given."""
        labels = self.drawn.labels if labels is None else labels
        return replace(self, drawn=replace(self.drawn, opened=opened, labels=labels))

    def show(self, answer: Answer) -> None:
        """Render an answer of the step. Clicks on its charts are collected in `clicks`."""
        view = f"anatomy_{self.selection.anatomy.step}"
        above = FORMULA + HEADING * (len(self.selection.runs) - 1)
        show_answer(answer, view=view, above=above)
        self.clicks.update({f"{view}_{chart.name}": {"axes": chart.axes} for chart in answer.charts if chart.axes})


def show_cell(page: AnatomyPage, worked: Callable[[int, int], WorkedOut], *, name: str = "cell") -> None:
    """The choice of a cell by row and column, and its computation.

    Args:
        worked: explains the number at a row and a column.
        name: of the table of terms.
    """
    opened = page.drawn.opened
    if opened is None:
        return
    page.show(Answer((opened.heading,)))
    kinds = {"row": opened.shown.rows, "column": opened.shown.columns}
    axes = zip(kinds.items(), opened.shown.array.shape, opened.cell, strict=True)
    for place, ((axis, kind), count, chosen) in zip(st.columns(2), axes, strict=True):
        with place:
            if kind in TOKENS:
                _pick_token(axis, page.drawn.labels, chosen, is_key=kind == "key")
            else:
                bound = session.bound(axis, to_widget=partial(min, count - 1), initial="value")
                st.number_input(f"{axis.title()} ({kind})", 0, count - 1, **bound)
    page.show(worked(*opened.cell).answer(name, page.drawn.labels))


def _pick_token(axis: str, labels: Sequence[str], chosen: int, *, is_key: bool) -> None:
    select_box(
        axis.title(),
        {position: f"{position} · {make_visible(label)}" for position, label in enumerate(labels)},
        shown=chosen,
        key=axis,
        on_choice=lambda position: session.change(**{axis: position}),
        help="The token that is looked at." if is_key else "The token that the row belongs to.",
    )


def _positions(page: AnatomyPage) -> None:
    run = page.run
    learns = run.record.config.position_embedding == "learned"
    elsewhere = None if learns else ours(run_cache.model(inputs.LEARNED_ELSEWHERE)).encoder
    tables = inputs.tables_of_positions(run.backend.encoder, elsewhere)
    own = position_table(run.backend.encoder)  # (P, D)
    computed = tables[-1]
    opened = opened_in(computed, page.selection)
    page = page.open(opened, [str(position) for position in range(len(own))])
    page.show(tensors([tables], page.drawn, one_scale=False))
    show_cell(page, lambda row, column: inputs.explain_sinusoid(computed.array, row=row, column=column))
    title = "How alike are two positions? The dot product of their vectors in this model"
    page.show(Answer((Sentence(title, "subheading"),)))
    row = opened.cell[0]
    other = st.number_input(f"Position {row}, and position", 0, len(own) - 1, 2, key="anatomy_other_position")
    page.show(inputs.explain_position_product(own, one=row, other=other).answer("alike"))
    page.show(inputs.similar_positions(tables))


def _mask(page: AnatomyPage) -> None:
    st.segmented_control(
        "Mask",
        get_args(Mask),
        format_func=MASKS.__getitem__,
        required=True,
        **session.bound("mask", initial="default"),
    )
    kind, head, run = page.selection.anatomy.mask, page.run.head, page.run
    masked = cached_with_model(
        experiment_cache.masked_attention, run.backend.name, page.texts, layer=run.record.layer, mask=kind
    )
    rows = layer.tensors_of_mask(masked, kind, head)
    page = page.open(opened_in(rows[-1][-1], page.selection), (*page.drawn.labels, *["[PAD]"] * masked.padding))
    page.show(tensors(rows, page.drawn))
    page.show(layer.effect_of_mask(masked, kind, head))
    show_cell(page, lambda row, key: layer.explain_masked_weight(masked, head=head, row=row, column=key))


def _layers(page: AnatomyPage) -> None:
    record, opened = page.run.record, page.drawn.opened
    states, names = model.states_of_token(record, opened)
    page.show(tensor(states, replace(page.drawn, labels=names)))
    page.show(model.turned_tokens(record, opened))


def _prediction(page: AnatomyPage) -> None:
    read = readout(page.run.backend, page.run.record)
    labels = read.prediction.labels
    page.show(model.predicted(read))
    page.show(Answer((model.HEADING_OF_CLASS,)))
    chosen = labels.index(st.selectbox("Class", labels, key="anatomy_class"))
    page.show(model.class_and_score(read, chosen))


def _what_if(page: AnatomyPage) -> None:
    st.pills(
        "What if …",
        WHAT_IFS,
        format_func=WHAT_IF_LABELS.__getitem__,
        selection_mode="multi",
        **session.bound("what_if", key=SWITCHES, to_widget=list, from_widget=_in_order, initial="default"),
    )
    what_ifs = page.selection.anatomy.what_ifs
    record, head = page.run.record, page.run.head
    changed = cached_with_model(
        experiment_cache.what_if, page.run.backend.name, page.texts, layer=record.layer, what_ifs=what_ifs
    )
    compared = model.tensors_of_change(record, changed, head)
    page.show(model.attention_moved(*compared))
    page = page.open(opened_in(compared[-1], page.selection))
    page.show(tensors([compared], page.drawn))
    page.show(model.meaning_of_change(what_ifs, page.drawn.labels, changed))
    show_cell(page, lambda row, key: model.explain_changed_weight(record, changed, head=head, row=row, column=key))


def _in_order(chosen: Sequence[WhatIf]) -> tuple[WhatIf, ...]:
    return tuple(name for name in WHAT_IFS if name in chosen)


def _numbers(page: AnatomyPage) -> None:
    models = [count_model(page.run.backend), *(cached(count_preset, name) for name in PRESETS)]
    page.show(model.parameters_and_operations(models, page.run.record.config, len(page.drawn.labels)))


EXTRAS: Final[Mapping[StepKey, Callable[[AnatomyPage], None]]] = MappingProxyType(
    {
        "text": lambda page: page.show(inputs.words_and_pieces(page.run)),
        "ids": lambda page: page.show(inputs.inputs_of_the_model(page.run)),
        "positions": _positions,
        "scaling": lambda page: page.show(layer.sharpness(page.run.record, page.run.head)),
        "mask": _mask,
        "feed-forward": lambda page: page.show(layer.active_units(page.run.record, page.drawn.opened)),
        "layers": _layers,
        "prediction": _prediction,
        "what-if": _what_if,
        "numbers": _numbers,
    }
)
