"""Widgets of single steps, below their tensors: choices, tables, and worked-out numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final, get_args

import pandas as pd
import streamlit as st

from encoder.experiments.anatomy.names import Mask, StepKey, WhatIf
from encoder.experiments.anatomy.parameter_counts import count_model, count_preset
from encoder.experiments.anatomy.readout import readout
from encoder.experiments.anatomy.record import ours
from encoder.experiments.anatomy.step_examples import (
    LONG_COUNT,
    LONG_EXAMPLE,
    SHORT_EXAMPLE,
    SPLIT_EXAMPLE,
    batch_of_two,
    pieces_of_words,
    position_table,
    too_long,
)
from encoder.runs.arrays import FloatArray
from encoder.transformer.config import PRESETS
from viz.answers.anatomy import extras
from viz.answers.anatomy.step import RecordedRun
from viz.answers.anatomy.steps.mask import explain_masked_weight
from viz.answers.anatomy.steps.positions import explain_position_product, explain_sinusoid
from viz.answers.anatomy.steps.prediction import MADE_UP, explain_logit, explain_probability, explain_score
from viz.answers.anatomy.steps.what_if import explain_changed_weight
from viz.answers.anatomy.tensors import Shown, limit_of, opened_in
from viz.answers.predictions import answer_of
from viz.caches import experiment_cache, run_cache
from viz.caches.memo import cached
from viz.caches.run_cache import cached_with_model
from viz.panels.anatomy.draw import draw_tensor, draw_tensors, table_height
from viz.panels.anatomy.opened_cell import pick_cell, show_worked_out
from viz.panels.anatomy.page import AnatomyPage
from viz.panels.answer import show_answer
from viz.state import session
from viz.state.selection import WHAT_IFS
from viz.wording.labels import escape_markdown, make_visible

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


def _text(page: AnatomyPage) -> None:
    """Every word with its pieces, and a rare word for comparison."""
    rows = pieces_of_words(page.run.record.tokens)
    table = pd.DataFrame(
        {"word": [make_visible(word) for word, _ in rows], "wordpieces": ["  ".join(pieces) for _, pieces in rows]}
    )
    st.dataframe(table, key="anatomy_pieces", height=table_height(len(rows)), hide_index=True)
    example = page.run.backend.tokenize(SPLIT_EXAMPLE)
    pieces = [label for label, special in zip(example.labels, example.special, strict=True) if not special]
    st.caption(f"A rare word for comparison: “{SPLIT_EXAMPLE}” becomes {escape_markdown('  '.join(pieces))}.")


def _ids(page: AnatomyPage) -> None:
    """The inputs of the model, a batch of two, and a truncated text."""
    tokens = page.run.record.tokens
    table = pd.DataFrame(
        {
            "token": [make_visible(label) for label in tokens.labels],
            "id": tokens.ids,
            "token type": tokens.token_type_ids,
            "attention mask": tokens.attention_mask,
        }
    )
    st.dataframe(table, key="anatomy_ids", height=table_height(len(tokens)))
    _batch(page)
    example = too_long(page.run.backend)
    st.caption(
        f"A batch is one rectangle of numbers, so the shorter text is padded, and its mask is 0 there. A text that is "
        f"too long is cut at its end: of {LONG_COUNT} times “{LONG_EXAMPLE}” the model reads "
        f"{example.sentence_ids.count(0)} and two special tokens, and {example.truncated[0]} are cut off."
    )


def _batch(page: AnatomyPage) -> None:
    st.markdown(f"#### A batch of two: your text and “{SHORT_EXAMPLE}”")
    batch = batch_of_two(page.run.backend, page.run.record.tokens, pad_id=page.run.record.config.pad_token_id)
    yours, example = (
        [f"{make_visible(label)} {token_id}" for label, token_id in zip(labels, ids, strict=True)]
        for labels, ids in zip(batch.labels, batch.ids, strict=True)
    )
    st.dataframe(
        pd.DataFrame(
            [yours, list(map(str, batch.masks[0])), example, list(map(str, batch.masks[1]))],
            index=["your text", "its mask", f"“{SHORT_EXAMPLE}”", "its mask "],
        ),
        key="anatomy_batch",
    )


def _positions(page: AnatomyPage) -> None:
    """Learned and computed position vectors, and their similarity."""
    drawn = _tables(page.run)
    opened = opened_in(drawn[-1], page.selection)
    page = replace(page, opened=opened)
    own = position_table(page.run.backend.encoder)  # (P, D)
    names = [str(position) for position in range(len(own))]
    draw_tensors([drawn], names, page, key="positions", one_scale=False)
    pick_cell(opened, names)
    row, dimension = opened.cell
    show_worked_out(explain_sinusoid(opened.shown.array, row=row, column=dimension), names, key="positions")
    _compare(own, row)
    show_answer(extras.similar_positions(drawn), view="anatomy")


def _tables(run: RecordedRun) -> tuple[Shown, ...]:
    """A learned table and a computed one; one of them is the model's own."""
    learns = run.record.config.position_embedding == "learned"
    elsewhere = None if learns else ours(run_cache.model(extras.LEARNED_ELSEWHERE)).encoder
    return extras.tables_of_positions(run.backend.encoder, elsewhere)


def _compare(table: FloatArray, row: int) -> None:
    """The dot product of the chosen position's vector and another's, both as this model adds them."""
    st.markdown("#### How alike are two positions? The dot product of their vectors in this model")
    other = st.number_input(f"Position {row}, and position", 0, len(table) - 1, 2, key="anatomy_other_position")
    show_worked_out(explain_position_product(table, one=row, other=other), (), key="alike")


def _scaling(page: AnatomyPage) -> None:
    """Sharpness of the rows without and with scaling."""
    show_answer(extras.sharpness(page.run.record, page.run.head), view="anatomy")


def _mask(page: AnatomyPage) -> None:
    """Scores and weights with the chosen mask."""
    st.segmented_control(
        "Mask",
        get_args(Mask),
        format_func=MASKS.__getitem__,
        required=True,
        **session.bound("mask", initial="default"),
    )
    kind, head = page.selection.anatomy.mask, page.run.head
    masked = cached_with_model(
        experiment_cache.masked_attention, page.run.backend.name, page.texts, layer=page.run.record.layer, mask=kind
    )
    labels = (*page.labels, *["[PAD]"] * masked.padding)
    rows = extras.tensors_of_mask(masked, kind, head)
    opened = opened_in(rows[-1][-1], page.selection)
    page = replace(page, opened=opened)
    draw_tensors(rows, labels, page, key=f"mask_{kind}")
    show_answer(extras.effect_of_mask(masked, kind, head), view="anatomy")
    pick_cell(opened, labels)
    row, key = opened.cell
    show_worked_out(explain_masked_weight(masked, head=head, row=row, column=key), labels, key="mask")


def _feed_forward(page: AnatomyPage) -> None:
    """The activation functions, and the share of active units."""
    show_answer(extras.active_units(page.run.record, page.opened), view="anatomy")


def _layers(page: AnatomyPage) -> None:
    """One token's state after every layer, and its cosine before and after each layer."""
    record = page.run.record
    states, names = extras.states_of_token(record, page.opened)
    draw_tensor(states, names, limit=limit_of([states]), alone=True, page=page, key="layers_states")
    show_answer(extras.turned_tokens(record, page.opened), view="anatomy")


def _prediction(page: AnatomyPage) -> None:
    """Logits, probabilities and score, each worked out."""
    read = readout(page.run.backend, page.run.record)
    prediction = read.prediction
    if read.made_up:
        st.caption(MADE_UP)
    show_answer(answer_of(prediction), view="anatomy")
    st.markdown("#### One class, worked out: its logit, then its probability")
    labels = prediction.labels
    chosen = labels.index(st.selectbox("Class", labels, key="anatomy_class"))
    show_worked_out(explain_logit(read, row=chosen), (), key="logit")
    show_worked_out(explain_probability(read, row=chosen), labels, key="probability")
    st.markdown("#### The regression score, worked out")
    show_worked_out(explain_score(read), (), key="score")


def _what_if(page: AnatomyPage) -> None:
    """The switches, and the changed attention next to the model's own."""
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
    drawn = extras.tensors_of_change(record, changed, head)
    st.metric("Attention that went elsewhere, mean over rows", f"{extras.share_moved(*drawn):.1%}")
    opened = opened_in(drawn[-1], page.selection)
    page = replace(page, opened=opened)
    draw_tensors([drawn], page.labels, page, key="what_if")
    show_answer(extras.meaning_of_change(what_ifs, page.labels, changed), view="anatomy")
    pick_cell(opened, page.labels)
    row, key = opened.cell
    worked = explain_changed_weight(record, changed, head=head, row=row, column=key)
    show_worked_out(worked, page.labels, key="what-if")


def _in_order(chosen: Sequence[WhatIf]) -> tuple[WhatIf, ...]:
    return tuple(name for name in WHAT_IFS if name in chosen)


def _numbers(page: AnatomyPage) -> None:
    """Parameters by module, and the cost of a text by its length."""
    models = [count_model(page.run.backend), *(cached(count_preset, name) for name in PRESETS)]
    show_answer(extras.numbers(models, page.run.record.config, len(page.labels)), view="anatomy")


EXTRAS: Final[Mapping[StepKey, Callable[[AnatomyPage], None]]] = MappingProxyType(
    {
        "text": _text,
        "ids": _ids,
        "positions": _positions,
        "scaling": _scaling,
        "mask": _mask,
        "feed-forward": _feed_forward,
        "layers": _layers,
        "prediction": _prediction,
        "what-if": _what_if,
        "numbers": _numbers,
    }
)
