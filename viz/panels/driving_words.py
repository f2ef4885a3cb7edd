"""Driving words: which words push the rows of a table to a class, and what happens without them."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import pandas as pd
import streamlit as st

from encoder import Backend
from encoder.collection.driving_heads import SilencedHeads, silence_heads
from encoder.collection.driving_words import (
    TESTED_WORDS,
    DrivingWords,
    WordRemoval,
    remove_words,
    row_words,
    rows_to_remove,
    words_of_rows,
)
from encoder.collection.order_quality import OrderQuality, order_quality, tokens_to_run
from encoder.collection.results import Results
from encoder.collection.row_filters import select_rows
from encoder.collection.saved_run import SavedRun
from encoder.collection.table import Collection
from viz.answers import driving_words as answers
from viz.answers.answer import Answer
from viz.caches import revisions, run_cache
from viz.caches.collections import cached_answer, collection_job, saved_run, table_job
from viz.computing.job import Job, Progress
from viz.panels.answer import show_answer
from viz.panels.folds import Fold, show_folds
from viz.panels.jobs import follow
from viz.panels.room import is_at_stop
from viz.panels.rows import FEWER_ROWS, estimated_tokens, follow_rows, offer_row
from viz.panels.tables import csv_button
from viz.state import session
from viz.state.fields import with_values
from viz.state.selection import Selection
from viz.wording.explanations import Explanation
from viz.wording.labels import spreadsheet_text

MOST_AT_STOP: Final = 7  # words at a stop of a tour
TEST_AT_STOP: Final = 60  # pixels of the test below their chart, or of its progress
PASSES: Final = 4  # forward passes that take as long as two and a backward pass
HOW_TO_CHOOSE: Final = "Or type: rows whose text has these characters, or a filter such as “topic=hotel”."
Args = tuple[Results, str, str | None]  # of all jobs: the rows, and the class that words push to
WORDS, ROWS = "driving_words_table", "driving_rows_table"
SIGNED: Final = st.column_config.NumberColumn(format="%+.2f")


def driving_words(model_name: str, collection: Collection, selection: Selection) -> Explanation | None:
    """The choice of rows and class, the words, and the rows of one of them."""
    results = follow_rows(model_name, collection, lambda _: None, key="driving_rows")
    if results is None:
        return None
    rows, driven = answers.chosen_rows(selection.table, collection, results)
    if not is_at_stop(selection):
        _choose(collection, results, selection, rows, driven)
    args: Args = (results, rows, driven or None)
    job, tokens = _words_of(model_name, collection, args)
    found = follow(
        job,
        model_name,
        tokens=tokens,
        what="What every word adds",
        less=FEWER_ROWS,
        key="driving_words",
    )
    if found is None:
        return answers.EXPLANATION
    gave = revisions.unrevised(results.model_name)
    said = partial(answers.words, found, collection, results, rows=rows, driven=driven, model_name=gave)
    if is_at_stop(selection):
        show_answer(said(most=MOST_AT_STOP), view="driving_stop", speaks=True, above=TEST_AT_STOP)
        removals = _follow_removals(model_name, collection, results, found, driven)
        tested = answers.removals_in_words(removals, results, driven=driven, model_name=gave)
        show_answer(tested, view="driving_stop_removals", speaks=True)
        return None
    show_answer(said(), view="driving")
    place = st.container()
    removals = _follow_removals(model_name, collection, results, found, driven)
    with place:
        show_answer(answers.removals_in_words(removals, results, driven=driven, model_name=gave), view="driving")
        _show_words(found, removals, results)
    _show_rows(found, collection, results, selection)
    show_folds(
        [
            Fold(name="order", title=answers.ORDER, show=lambda: _show_order(model_name, collection, args)),
            Fold(name="heads", title=answers.HEADS, show=lambda: _show_heads(model_name, collection, args, selection)),
        ],
        view="driving",
    )
    return answers.EXPLANATION


def _words_of(model_name: str, collection: Collection, args: Args) -> tuple[Job[DrivingWords], int]:
    """The job that finds the words, and the tokens that it runs: none where the words of each row are saved."""
    run = saved_run(collection, args[0])
    if run is not None and run.has_words(args[2]):
        return table_job(_saved_words, collection, run, *args), 0
    return collection_job(_words, model_name, collection, *args), PASSES * estimated_tokens(collection)


def _saved_words(run: SavedRun, results: Results, rows: str, driven: str | None) -> DrivingWords:
    return words_of_rows(run.words(results, select_rows(run.collection, results, rows), driven))


def _saved_heads(run: SavedRun, results: Results, rows: str) -> SilencedHeads:
    return run.heads(results, select_rows(run.collection, results, rows))


def _words(
    backend: Backend, progress: Progress, collection: Collection, results: Results, rows: str, driven: str | None
) -> DrivingWords:
    return words_of_rows(row_words(backend, collection, results, rows, label=driven, progress=progress))


def _follow_removals(
    model_name: str, collection: Collection, results: Results, found: DrivingWords, driven: str
) -> tuple[WordRemoval, ...]:
    """What happens without the first words, or nothing yet, with its progress."""
    tested = found.words[:TESTED_WORDS]
    removals = follow(
        collection_job(_removals, model_name, collection, results, tested, driven or None),
        model_name,
        tokens=int(cached_answer(rows_to_remove, collection, collection, tested) * results.lengths.mean()),
        what=f"The test: {len(tested)} words removed from all rows that have them",
        less=FEWER_ROWS,
        key="driving_removals",
    )
    return removals or ()


def _removals(
    backend: Backend,
    progress: Progress,
    collection: Collection,
    results: Results,
    words: tuple[str, ...],
    driven: str | None,
) -> tuple[WordRemoval, ...]:
    return remove_words(backend, collection, results, words, label=driven, progress=progress)


def _order(
    backend: Backend, progress: Progress, collection: Collection, results: Results, rows: str, driven: str | None
) -> OrderQuality:
    return order_quality(backend, collection, results, rows, label=driven, progress=progress)


def _heads(backend: Backend, progress: Progress, collection: Collection, results: Results, rows: str) -> SilencedHeads:
    return silence_heads(backend, collection, results, rows, progress=progress)


def _choose(collection: Collection, results: Results, selection: Selection, shown: str, driven: str) -> None:
    """The choice of the rows and of the class that words push to."""
    rows = cached_answer(answers.row_choices, collection, collection, results, shown)
    classes = ["", *results.labels]
    if (selection.table.rows, selection.table.driven) != (shown, driven):  # of another table or model
        session.adjust(with_values(session.current(), {"rows": shown, "driven": driven}))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox(
            "Rows",
            list(rows),
            format_func=lambda name: rows.get(name, name),
            accept_new_options=True,
            help=HOW_TO_CHOOSE,
            width=330,
            **session.bound(
                "rows",
                from_widget=lambda typed: answers.filter_of_typed(typed, collection, results),
                options=list(rows),
            ),
        )
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
    signed = dict.fromkeys(("score", "without it", "random word"), SIGNED)
    st.caption("Choose a word to see its rows.")
    st.dataframe(
        frame,
        hide_index=True,
        key=WORDS,
        column_config=signed,
        on_select=lambda: _choose_word(found),
        selection_mode="single-row",
    )
    csv_button(
        lambda: pd.DataFrame(found.columns | {"word": [spreadsheet_text(word) for word in found.words]}),
        name="driving-words",
        key="driving_csv",
        label=f"Download all {len(found.words):,} words as CSV",
    )


def _choose_word(found: DrivingWords) -> None:
    for row in st.session_state[WORDS].selection.rows[:1]:
        session.change(driving_word=found.words[row])


def _show_rows(found: DrivingWords, collection: Collection, results: Results, selection: Selection) -> None:
    """The rows of the chosen word; a click on one offers the views that open it."""
    word = answers.chosen_word(found, selection.table.driving_word)
    with st.container():
        show_answer(Answer((answers.heading_of_rows(found, word),)), view="driving")
        columns = dict[str, Any](answers.rows_of_word(found, word, collection, results))
        state = st.dataframe(
            pd.DataFrame(columns),
            hide_index=True,
            key=ROWS,
            column_config={collection.unused_name("score"): SIGNED},
            on_select="rerun",
            selection_mode="single-row",
        )
        csv_button(lambda: pd.DataFrame(columns), name="driving-rows", key="driving_rows_csv")
        for row in state.selection.rows[:1]:
            if row < len(columns["row"]):
                offer_row(collection, columns["row"][row] - 1, key="driving")


def _show_order(model_name: str, collection: Collection, args: Args) -> None:
    """The test of the order on some of the rows."""
    results, rows, _ = args
    found = follow(
        collection_job(_order, model_name, collection, *args),
        model_name,
        tokens=tokens_to_run(collection, results, rows),
        what="The order of the words in some of these rows",
        key="driving_order",
    )
    if found is not None:
        show_answer(answers.order_quality(found, results), view="driving")


def _show_heads(model_name: str, collection: Collection, args: Args, selection: Selection) -> None:
    """The map of all heads, and the errors of the chosen one."""
    results, rows, _ = args
    backend, run = run_cache.model(model_name), saved_run(collection, results)
    num_heads = backend.num_layers * backend.num_heads
    if run is not None and "heads" in run.what:
        job, tokens = table_job(_saved_heads, collection, run, results, rows), 0
    else:
        job = collection_job(_heads, model_name, collection, results, rows)
        tokens = num_heads * int(results.lengths[select_rows(collection, results, rows)].sum())
    found = follow(
        job,
        model_name,
        tokens=tokens,
        what=f"{num_heads} heads silenced, one by one, in all of these rows",
        less="choose fewer rows",
        key="driving_heads",
    )
    if found is None:
        return
    layers, heads = found.changes.shape
    chosen = min(selection.layer, layers - 1), min(max(selection.head, 0), heads - 1)
    show_answer(answers.heads(found, chosen, results), view="driving")
    show_answer(answers.errors_of_head(found, chosen, collection, results), view="driving_errors")
