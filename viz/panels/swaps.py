"""The view Swaps: what changes when one word of a template is swapped for another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import streamlit as st

from encoder import Backend
from encoder.collection import swaps as running
from encoder.collection.names import SwapMeasure as Measure
from encoder.collection.swap_heads import HeadShifts, shifts_without_heads
from encoder.collection.swaps import Swaps, Template, parse_template
from encoder.collection.table import Collection
from encoder.errors import DataError
from viz.answers import swaps as answers
from viz.caches import run_cache
from viz.caches.collections import collection_job
from viz.caches.run_cache import cached_with_model
from viz.computing.job import Progress
from viz.panels.answer import show_answer
from viz.panels.folds import Fold, show_folds
from viz.panels.jobs import follow
from viz.panels.room import is_at_stop
from viz.panels.rows import FEWER_ROWS, fingerprint, offer_texts
from viz.state import session
from viz.state.selection import Selection, View
from viz.widgets import choice, select_box
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, shorten

TITLES: Final[dict[Measure, str]] = {
    "class": "Class",
    "score": "Score",
    "cosine": "Cosine",
    "masked word": "Word at [MASK]",
    "tag": "Tags",
}
Key = tuple[tuple[Template, ...], Measure, int]  # what determines the results, besides model and table
TOKENS_OF_FILLING: Final = 14
OPENED_IN: Final[dict[View, str]] = {
    "compare": "Compare the two",
    "word lens": "Word lens",
    "heat map": "Heat map",
}
NO_SLOTS: Final = (
    "Swaps needs rows with slots, such as “{He|She} is a nurse.”: choose the templates that ship, or open a table of "
    "your own, one template on each line."
)


def swaps(model_name: str, collection: Collection, selection: Selection) -> Explanation | None:
    """The shifts of one set of templates, their fillings as a matrix, and the heads that carry the shifts."""
    sets = running.texts_by_set(collection)
    if not sets:
        st.info(NO_SLOTS)
        st.button(
            "Open the templates that ship",
            key="swaps_open_shipped",
            on_click=session.change,
            kwargs={"collection": "swaps"},
        )
        return None
    labels = cached_with_model(running.class_labels, model_name)
    templates = _chosen_templates(sets, selection, labels)
    measure, label = selection.table.measure, answers.chosen_label(selection.table, labels)
    key: Key = (tuple(templates), measure, label)
    fillings = sum(len(template.choices) for template in templates)
    found = follow(
        collection_job(_run, model_name, collection, *key),
        model_name,
        tokens=TOKENS_OF_FILLING * fillings,
        what=f"{fillings:,} fillings",
        less=FEWER_ROWS,
        key="swaps",
    )
    if found is None:
        return None
    name = labels[label] if measure == "class" else ""
    if is_at_stop(selection):
        show_answer(answers.at_stop(found, name), view="swaps", speaks=True)
        return None
    show_answer(answers.shifts(found, name), view="swaps")
    _show_matrix(found, collection, name)
    show_folds(
        [
            Fold(
                name="heads",
                title="Which heads carry the shifts?",
                show=lambda: _show_heads(model_name, collection, key, fillings),
            )
        ],
        view="swaps",
    )
    return answers.EXPLANATION


def _run(backend: Backend, progress: Progress, _: Collection, *key: *Key) -> Swaps:
    return running.run_swaps(backend, progress, *key)


def _run_without_heads(backend: Backend, progress: Progress, _: Collection, *key: *Key) -> HeadShifts:
    return shifts_without_heads(backend, progress, *key)


def _chosen_templates(sets: Mapping[str, Sequence[str]], selection: Selection, labels: Sequence[str]) -> list[Template]:
    """The choice of a set and of what is measured. Returns the templates of the set; says which cannot be read."""
    chosen = answers.chosen_set(selection.table, sets)
    if not is_at_stop(selection):
        _show_choices(list(sets), chosen, selection, labels)
    templates = []
    for text in sets[chosen]:
        try:
            templates.append(parse_template(text))
        except DataError as error:
            st.warning(escape_markdown(str(error)))
    return templates


def _show_choices(names: Sequence[str], chosen: str, selection: Selection, labels: Sequence[str]) -> None:
    """The set, what is measured, and of which class."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        if len(names) > 1:
            select_box(
                "Templates",
                {name: name[:1].upper() + name[1:] for name in names},
                shown=chosen,
                key="swaps_set",
                on_choice=lambda name: session.change(part=name),
                width=260,
            )
        choice("What is measured", TITLES, field="swap_measure")
        if selection.table.measure == "class" and len(labels) > 1:
            select_box(
                "Class",
                dict(enumerate(labels)),
                shown=answers.chosen_label(selection.table, labels),
                key="swaps_label",
                on_choice=lambda index: session.change(swap_label=index),
                width=160,
            )


def _show_matrix(found: Swaps, collection: Collection, label: str) -> None:
    """The fillings of one template, or of those with the same slots, as a matrix; two texts open in another view."""
    st.markdown("### Every filling")
    choices = answers.choices(found)
    numbers = st.selectbox(
        "Templates of the matrix",
        choices,
        index=choices.index(answers.first_choice(found)),
        format_func=lambda chosen: shorten(answers.name_of_choice(found, chosen), 110),
        key=f"swaps_template_{fingerprint(found.measure, *(template.source for template in found.templates))}",
        label_visibility="collapsed",
    )
    show_answer(answers.of_templates(found, numbers, label), view="swaps")
    swap = max((swap for swap in found.swaps if swap.template in numbers), key=lambda swap: abs(swap.shift))
    row = collection.column(collection.text).index(found.templates[swap.template].source)
    texts = " and ".join(f"“{escape_markdown(text)}”" for text in swap.texts)
    st.caption(f"Open the largest of these swaps, {texts}:")
    offer_texts(*swap.texts, OPENED_IN, row=row, key="swaps")


def _show_heads(model_name: str, collection: Collection, key: Key, fillings: int) -> None:
    backend = run_cache.model(model_name)
    found = follow(
        collection_job(_run_without_heads, model_name, collection, *key),
        model_name,
        tokens=TOKENS_OF_FILLING * fillings * (1 + backend.num_layers * backend.num_heads),
        what="Each head silenced",
        less=FEWER_ROWS,
        key="swaps_heads",
    )
    if found is not None:
        show_answer(answers.heads(found, key[1]), view="swaps_heads")
