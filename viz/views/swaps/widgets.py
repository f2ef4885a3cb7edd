"""The view Swaps: what changes when one word of a template is swapped for another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import streamlit as st

from encoder.collection.names import SwapMeasure as Measure
from encoder.collection.swaps import Swaps, texts_by_set
from encoder.collection.table import Collection
from viz.answers.room import PAGE
from viz.caches import run_cache
from viz.state import session
from viz.state.selection import Selection, View
from viz.views.swaps import answer as answers
from viz.views.swaps import steps as recipes
from viz.widgets import change_button, choice, select_box
from viz.widgets.answer import show_answer
from viz.widgets.folds import Fold, show_folds
from viz.widgets.recipe import show_or_explain
from viz.widgets.rows import FEWER_ROWS, fingerprint, offer_texts
from viz.wording.explanations import Explanation
from viz.wording.labels import escape_markdown, shorten

TITLES: Final[dict[Measure, str]] = {
    "class": "Class",
    "score": "Score",
    "cosine": "Cosine",
    "masked word": "Word at [MASK]",
    "tag": "Tags",
}
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
    if not texts_by_set(collection):
        st.info(NO_SLOTS)
        change_button("Open the templates that ship", {"collection": "swaps"}, key="swaps_open_shipped")
        return None
    widgets = {"choices": partial(_show_choices, selection)}
    show = partial(show_or_explain, model_name=model_name, widgets=widgets, less=FEWER_ROWS)
    found = show(recipes.swaps(collection, selection, PAGE), view="swaps")
    if found is None:
        return None
    swaps, args, label = found
    backend = run_cache.model(model_name)
    heads = recipes.heads(collection, args, num_heads=backend.num_layers * backend.num_heads)
    title, matrix = "Which heads carry the shifts?", partial(_show_matrix, swaps, collection, label)
    folds = [
        Fold(name="fillings", title="Every filling", show=matrix),
        Fold(name="heads", title=title, show=lambda: show(heads, view="swaps_heads")),
    ]
    show_folds(folds, view="swaps")
    return answers.EXPLANATION


def _show_choices(selection: Selection, sets: Mapping[str, object], labels: Sequence[str]) -> None:
    """The set, what is measured, and of which class."""
    names, chosen = list(sets), answers.chosen_set(selection.table, sets)
    session.note_shown(part=chosen)
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
            label = answers.chosen_label(selection.table, labels)
            session.note_shown(swap_label=label)
            select_box(
                "Class",
                dict(enumerate(labels)),
                shown=label,
                key="swaps_label",
                on_choice=lambda index: session.change(swap_label=index),
                width=160,
            )


def _show_matrix(found: Swaps, collection: Collection, label: str) -> None:
    """The fillings of one template, or of those with the same slots, as a matrix; two texts open in another view."""
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
