"""Driving words: which words push the rows of a table to a class, and what happens without them."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import pandas as pd
import streamlit as st

from encoder.collection.driving_words import TESTED_WORDS, DrivingWords, WordRemoval
from encoder.collection.kinds.base import Results
from encoder.collection.table import Collection
from viz.answers.answer import Answer
from viz.caches import revisions, run_cache
from viz.caches.collections import saved_run
from viz.state import session
from viz.state.fields import with_values
from viz.state.selection import Selection
from viz.views.driving_words import answer as answers
from viz.views.driving_words import steps as recipes
from viz.widgets.answer import show_answer
from viz.widgets.folds import Fold, show_folds
from viz.widgets.recipe import show_or_explain
from viz.widgets.rows import FEWER_ROWS, choose_filters, fingerprint, follow_rows, offer_row, say_dropped
from viz.widgets.tables import csv_button
from viz.wording.explanations import Explanation
from viz.wording.labels import spreadsheet_text

WORDS, ROWS = "driving_words_table", "driving_rows_table"
SIGNED: Final = st.column_config.NumberColumn(format="%+.2f")


def driving_words(model_name: str, collection: Collection, selection: Selection) -> Explanation | None:
    """The choice of rows and class, the words, and the rows of one of them."""
    show = partial(show_or_explain, model_name=model_name, view="driving", less=FEWER_ROWS)
    read = follow_rows(model_name, collection, lambda _: None, key="driving_rows")
    if read is None:
        return None
    collection, results = read
    saved, gave = saved_run(collection, results), revisions.unrevised(results.model_name)
    rows, driven = answers.chosen_rows(selection.table, collection, results)
    _choose(collection, results, selection, rows, driven)
    found = show(recipes.words_of(collection, results, rows, driven, saved=saved))
    if found is None:
        return answers.EXPLANATION
    said = answers.words(found, collection, results, rows=rows, driven=driven, model_name=gave)
    show_answer(said, view="driving")
    place = st.container()
    removals = show(recipes.removals_of(collection, results, found.words[:TESTED_WORDS], driven)) or ()
    with place:
        show_answer(answers.removals_in_words(removals, results, driven=driven, model_name=gave), view="driving")
        _show_words(found, removals, results)
    _show_rows(found, collection, results, selection)
    backend = run_cache.model(model_name)
    num_heads = backend.num_layers * backend.num_heads
    order = recipes.order(collection, results, rows, driven)
    heads = recipes.heads(collection, results, rows, selection, num_heads=num_heads, saved=saved)
    show_folds(
        [
            Fold(name="order", title=answers.ORDER, show=lambda: show(order)),
            Fold(name="heads", title=answers.HEADS, show=lambda: show(heads, less="choose fewer rows")),
        ],
        view="driving",
    )
    return answers.EXPLANATION


def _choose(collection: Collection, results: Results, selection: Selection, shown: str, driven: str) -> None:
    """The choice of the rows and of the class that words push to."""
    classes = ["", *results.labels]
    if (selection.table.rows, selection.table.driven) != (shown, driven):  # of another table or model
        say_dropped(selection.table.rows, shown)
        session.adjust(with_values(session.current(), {"rows": shown, "driven": driven}))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        choose_filters(collection, results, shown)
        if len(classes) > 2:
            st.selectbox(
                "Words push to",
                classes,
                format_func=lambda label: label or answers.PREDICTED,
                width=220,
                **session.bound("driven", options=classes),
            )


def _show_words(found: DrivingWords, removals: tuple[WordRemoval, ...], results: Results) -> None:
    """A table whose rows are clicked for the rows of a word."""
    frame = pd.DataFrame(dict[str, Any](answers.table(found, removals, results)))
    key = f"{WORDS}_{fingerprint(*frame['word'])}"  # a tick is at a position, of these words alone
    signed = dict.fromkeys(("adds", "without it", "random word"), SIGNED)
    st.caption("Choose a word to see its rows.")
    st.dataframe(
        frame,
        hide_index=True,
        key=key,
        column_config=signed,
        on_select=lambda: _choose_word(found, key),
        selection_mode="single-row",
    )
    csv_button(
        lambda: pd.DataFrame(found.columns | {"word": [spreadsheet_text(word) for word in found.words]}),
        name="driving-words",
        key="driving_csv",
        label=f"Download all {len(found.words):,} words as CSV",
    )


def _choose_word(found: DrivingWords, key: str) -> None:
    for row in st.session_state[key].selection.rows[:1]:
        session.change(driving_word=found.words[row])


def _show_rows(found: DrivingWords, collection: Collection, results: Results, selection: Selection) -> None:
    """The rows of the chosen word; a click on one offers the views that open it."""
    word = answers.chosen_word(found, selection.table.driving_word)
    session.note_shown(driving_word=word)
    with st.container():
        show_answer(Answer((answers.heading_of_rows(found, word),)), view="driving")
        columns = dict[str, Any](answers.rows_of_word(found, word, collection, results))
        state = st.dataframe(
            pd.DataFrame(columns),
            hide_index=True,
            key=f"{ROWS}_{fingerprint(selection.table.collection, word, *map(str, columns['row']))}",
            column_config={collection.unused_name("adds"): SIGNED},
            on_select="rerun",
            selection_mode="single-row",
        )
        csv_button(lambda: pd.DataFrame(columns), name="driving-rows", key="driving_rows_csv")
        for row in state.selection.rows[:1]:
            if row < len(columns["row"]):
                offer_row(collection, columns["row"][row] - 1, key="driving")
