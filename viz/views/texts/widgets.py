"""The view Texts: a model's output for every row of a table, and where it is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
import streamlit as st

from encoder.collection.correctness import better_order, classes_in_order
from encoder.collection.kinds.base import Results
from encoder.collection.kinds.classes import Classes, WithShares
from encoder.collection.kinds.tags import Tags
from encoder.collection.near_duplicates import NearDuplicates
from encoder.collection.results import GrowingResults
from encoder.collection.row_readings import read_texts
from encoder.collection.table import Collection
from encoder.errors import UnsupportedModelError
from viz.answers.answer import Answer
from viz.answers.collection.filters import chosen_parts, without_labels
from viz.caches import revisions
from viz.caches.collections import memo_of, reading_of, results_before, saved_run, set_own_classes
from viz.recipes.step import LongStep, answered
from viz.recipes.tables import duplicates_of
from viz.state import session
from viz.state.fields import with_values
from viz.state.selection import OWN, Selection
from viz.views.predictions.answer import HOW_TO_GET_ONE
from viz.views.texts.answer import details, summary
from viz.views.texts.answer.reading import reading
from viz.views.texts.answer.rows import (
    columns_of,
    is_text,
    orders,
    saved_columns,
    shown_rows,
    texts_of,
)
from viz.views.texts.answer.second_model import disagreements
from viz.widgets import save_button, select_box
from viz.widgets.answer import show_answer, show_open_table
from viz.widgets.consent import choose_second_model, offer_all_positions
from viz.widgets.folds import Fold, show_folds
from viz.widgets.recipe import show_or_explain
from viz.widgets.rows import (
    AddedFilters,
    adding,
    choose_filters,
    follow_rows,
    newest_last,
    offer_row,
    offer_rows,
    say_dropped,
)
from viz.widgets.tables import csv_button, page_link
from viz.wording import file_names
from viz.wording.explanations import Explanation
from viz.wording.models import title_of_model

Value = TypeVar("Value")

MOST_ROWS: Final = 5_000  # in the table on the page
SHOWN_FIRST: Final = 500  # rows, while the rest is read
TABLE_HEIGHT: Final = 320  # pixels: the chosen row below it is in sight in a small window
LIST_WIDTH: Final = 330  # of the most frequent errors
LONG_COLUMN, LONG_ON_STAGE = 420, 230  # pixels of the texts
FILTERED: Final = "texts_filtered"  # in the session: the table that was drawn last, and its filter


def texts(model_name: str, collection: Collection, selection: Selection) -> Explanation | None:
    """The finding, the confusion matrix, the table, the chosen row, and what is folded."""
    whole = collection
    found = follow_rows(model_name, collection, _show_growing, key="texts")
    if found is None:
        if isinstance(reading_of(model_name, collection).job.error, UnsupportedModelError):
            st.caption(HOW_TO_GET_ONE)
        return None
    collection, results = found
    show_answer(_cached(summary.summary, collection, collection, results), view="texts")
    if not selection.stage:
        _show(details.conclusion, collection, collection, results)
    if results.truncated.any() and results.model_name == model_name and not selection.stage:
        offer_all_positions(model_name, key="texts_all")
    if not selection.stage and collection is whole:
        _offer_order(collection, results)
    # Runs alone after a choice in it, unless the claims of a tour may be about that.
    show_table = _show_table if selection.tour else st.fragment(_show_table)
    show_table(collection, results, selection)
    if not selection.stage:
        show_folds(_folds(model_name, collection, results, selection), view="texts")
        _offer_csv(collection, results)
    return summary.EXPLANATION


def _offer_order(collection: Collection, results: Results) -> None:
    """A button that has the labels of the user's own table read in an order that is right far more often, or not."""
    if session.current().table.collection != OWN or saved_run(collection, results) is not None:
        return
    order = _cached(better_order, collection, results)
    classes = None if order is None else classes_in_order(order, collection, results)
    if classes or collection.label_classes:
        st.button(
            "Read the labels in that order" if classes else "Read the labels as they are",
            key="texts_read_in_order",
            on_click=lambda: set_own_classes(collection.with_classes(classes or None)),
        )


def _show_table(collection: Collection, results: Results, drawn: Selection) -> None:
    """The confusion matrix, the rows, and the chosen one.

    Args:
        drawn: the selection that the rest of the page was drawn with.
    """
    selection = session.current()
    if with_values(selection, {"rows": drawn.table.rows, "order": drawn.table.order}) != drawn:
        st.rerun()
    session.save()
    within = without_labels(selection.table.rows, collection, results)
    matrix = summary.confusions(within, selection.table.rows)
    errors = None if matrix else summary.confusions_table(within)
    if errors:
        errors = replace(errors, changes=AddedFilters(errors.changes, collection, results))
    if matrix or errors:
        width = LIST_WIDTH if matrix is None else summary.width_of_confusions(results)
        row = st.container(horizontal=True, gap="medium")
        beside, table = row.container(width=width), row.container(width="stretch")
        with beside:
            if matrix:
                show_answer(adding(matrix, collection, results), view="texts")
            if errors:
                st.markdown(f"**{errors.title}**")
                key = f"texts_confusions_{id(results)}"
                show_open_table(errors, name=errors.name, key=key, height=TABLE_HEIGHT)
        with table:
            chosen = _show_rows(collection, results, selection)
    else:
        chosen = _show_rows(collection, results, selection)
    if chosen is not None:
        offer_row(collection, chosen, key="texts")


def _show_growing(growing: GrowingResults) -> None:
    """The finding and the first rows while the rest is read: at once the texts, then with the predictions."""
    collection, found = growing.collection, growing.first()
    if found is None:
        columns = texts_of(collection, np.arange(min(len(collection), SHOWN_FIRST)))
    else:
        st.markdown(f"So far, of the first {len(found[1]):,} rows:")
        show_answer(summary.summary(*found), view="texts_growing")
        columns = columns_of(*found, np.arange(min(len(found[1]), SHOWN_FIRST)))
    settings = _settings(columns, collection)
    # Stretched to the page, the few columns would all be as wide, and jump when the others come.
    st.dataframe(_frame(columns), hide_index=True, key="texts_growing", column_config=settings, width="content")


def _show_rows(collection: Collection, results: Results, selection: Selection) -> int | None:
    """The filter, the order and the rows. Returns the chosen row."""
    order = selection.table.order
    rows = selection.table.rows if chosen_parts(selection.table.rows, collection, results) else "all"
    if rows != selection.table.rows:
        say_dropped(selection.table.rows, rows)
        session.adjust(with_values(session.current(), {"rows": rows}))
        session.save()
    if not selection.stage:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            choose_filters(collection, results, rows)
            of_rows = orders(results)
            select_box(
                "Order",
                of_rows,
                shown=order if order in of_rows else "table",
                key="texts_order",
                on_choice=lambda order: session.change(order=order),
                width=170,
                labelled=False,
            )
    found = shown_rows(collection, results, rows, order)
    if not len(found):
        st.info("No row is left by this filter.")
        return None
    shown = found[:MOST_ROWS]
    columns = columns_of(collection, results, shown)
    key = f"texts_table_{id(results)}_{order}"  # a filter keeps the table, which the browser then need not build again
    opened: Any = {"selection": {"rows": np.flatnonzero(shown == selection.table.opened).tolist()}}
    if key in st.session_state and st.session_state.get(FILTERED) != (key, rows):
        st.session_state[key] = opened
    st.session_state[FILTERED] = key, rows
    state = st.dataframe(
        _frame(columns),
        hide_index=True,
        key=key,
        height=min(TABLE_HEIGHT, 37 + 35 * len(shown)),
        column_config=_settings(columns, collection),
        on_select="rerun",
        selection_mode="multi-row",
        selection_default=opened,
    )
    count = summary.rows_in_words(results, found)
    limit = f", of which the first {MOST_ROWS:,} are shown" if len(found) > MOST_ROWS else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{count}{limit}. Click the box before a row to open it, or several.", width="content")
        if len(found) < len(results) and not selection.stage:
            link = {collection.unused_name("link"): address} if (address := page_link()) else {}
            csv_button(
                lambda: pd.DataFrame(dict(saved_columns(collection, results))).iloc[found].assign(**link),
                name="rows",
                key="texts_rows_csv",
                label=f"These {len(found):,} rows (.csv)",
            )
    ticked = newest_last(shown[[place for place in state.selection.rows if place < len(shown)]].tolist())
    if not ticked:
        return selection.table.opened if _is_row(selection.table.opened, results) else None
    if len(ticked) > 1:
        offer_rows(ticked, key="texts")
    return ticked[-1]


def _is_row(row: int | None, results: Results) -> bool:
    return row is not None and row < len(results)


def _frame(columns: dict[str, Any]) -> pa.Table:
    """The columns, with probabilities in percent."""
    percents = {"probability": 100 * columns["probability"]} if "probability" in columns else {}
    return pa.table(columns | percents)


def _settings(columns: dict[str, Any], collection: Collection) -> dict[str, Any]:
    """How the columns look: texts wide, numbers short."""
    number = st.column_config.NumberColumn
    settings: dict[str, Any] = {
        "row": number(format="%d", width=60),
        "prediction": None if is_text(columns.get("prediction", [])) else number(format="%.3f"),
        "probability": number(format="%.0f %%", width=90),
        "loss": number(format="%.2f", width=70),
        "tokens": number(format="%d", width=70),
    }
    width = LONG_ON_STAGE if session.current().stage else LONG_COLUMN
    long = st.column_config.TextColumn(width=width if collection.text_b is None else width // 2)
    settings |= dict.fromkeys(filter(None, (collection.text, collection.text_b)), long)
    return {name: setting for name, setting in settings.items() if setting is not None and name in columns}


def _folds(model_name: str, collection: Collection, results: Results, selection: Selection) -> list[Fold]:
    folds = []
    if results.has_gold.any():
        if isinstance(results, WithShares):
            show = partial(_show, details.classes, collection, results)
            folds.append(Fold(name="classes", title=f"Each {results.one}: precision, recall and F1", show=show))
        if isinstance(results, Tags):
            show = partial(_show, details.tags, collection, collection, results)
            folds.append(Fold(name="tags", title="Whole entities and each tag: precision, recall and F1", show=show))
        show = partial(_show, details.calibration_of, collection, results)
        folds.append(Fold(name="calibration", title=details.title_of_calibration(results), show=show))
        show = partial(_show, details.slices_of, collection, collection, results)
        folds.append(Fold(name="slices", title="How do we know? Slices of the rows, compared", show=show))
        if isinstance(results, Classes):
            show = partial(_show, details.label_errors_of, collection, collection, results)
            folds.append(Fold(name="labels", title="Labels to check: where the model contradicts them", show=show))
    show = partial(_show_reading, model_name, collection, results)
    folds.append(Fold(name="reading", title="What the model reads of the texts", show=show))
    show = partial(_show_duplicates, model_name, collection, results)
    folds.append(Fold(name="duplicates", title="Texts that occur twice, or nearly", show=show))
    folds.append(
        Fold(
            name="against",
            title="A second model over the same rows",
            show=partial(_show_second, model_name, collection, results, selection),
            pointed_at=bool(selection.table.other_model),
        )
    )
    if (before := results_before(results.model_name, collection)) is not None:
        show = partial(_show_change, collection, before, results)
        folds.append(Fold(name="before", title=f"Before and after: {before[0]} and {collection.name}", show=show))
    return folds


def _show(function: Any, collection: Collection, *args: Any) -> None:
    answer: Answer | None = _cached(function, collection, *args)
    if answer is not None:
        show_answer(adding(answer, collection, args[-1]), view=f"texts_{function.__name__}")


def _cached(function: Callable[..., Value], collection: Collection, *args: Any, **options: Any) -> Value:
    """The value of a function of results, cached as long as these."""
    return memo_of(collection).get(function, *args, **options)


def _show_reading(model_name: str, collection: Collection, results: Results) -> None:
    """What is lost of the texts, by label."""
    args = (collection, results)
    step = LongStep(read_texts, args, tokens=0, what="Reading the texts", table=collection)
    show_or_explain(answered(step, reading), model_name, view="texts_reading")


def _show_duplicates(model_name: str, collection: Collection, results: Results) -> None:
    """Pairs of texts that share nearly all words; a click shows both."""

    def answer(found: NearDuplicates) -> Answer:
        return adding(details.near_duplicates_of(found, collection), collection, results)

    show_or_explain(answered(duplicates_of(collection), answer), model_name, view="texts_duplicates")


def _show_second(model_name: str, collection: Collection, results: Results, selection: Selection) -> None:
    """The choice of the second model, and where the two disagree."""
    own = revisions.unrevised(results.model_name)  # of saved results
    against = choose_second_model(
        own, selection.table.other_model, prefix="texts_", shown=revisions.unrevised(model_name)
    )
    if against is None:
        return
    found = follow_rows(against, collection, lambda _: None, key="texts_second")
    if found is None or len(second := found[1]) < len(results):
        return
    names = title_of_model(own), title_of_model(against)
    answer, _ = _cached(disagreements, collection, collection, results, second, names=names)
    show_answer(answer, view="texts_against")


def _show_change(collection: Collection, before: tuple[str, Results], results: Results) -> None:
    """Where a model says something else of a table than of the one that was open before."""
    st.caption("Rows are matched by their numbers; the texts are those of the table that is open.")
    answer, _ = disagreements(collection, before[1], results, names=("before", "after"), what="tables")
    show_answer(answer, view="texts_before")


def _offer_csv(collection: Collection, results: Results) -> None:
    """All rows with their predictions; the export menu has the view as a file."""
    save_button(
        "All rows (.csv)",
        lambda: pd.DataFrame(dict(saved_columns(collection, results))).to_csv(index=False).encode(),
        file_names.file_name(collection.name, "texts", "csv"),
        key="texts_csv",
    )
