"""What the views of a table of texts share: reading its rows, and opening one of them in another view."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from typing import Any, Final

import streamlit as st

from encoder import Backend
from encoder.collection.kinds.base import Results
from encoder.collection.results import GrowingResults, seconds_of_rows
from encoder.collection.row_filters import ALL, AND, add_filter, name_of_rows
from encoder.collection.table import Collection
from viz import permitted
from viz.answers.answer import Answer, Chart, Part, Row, Table
from viz.answers.collection.filters import chips, chosen_parts, filter_choices, filter_of_typed
from viz.answers.collection.slices import is_in_address
from viz.caches.collections import Reading, memo_of, reading_of, shown_results
from viz.caches.steps import result_of
from viz.examples import Mode
from viz.recipes.step import Step
from viz.recipes.tables import results_of
from viz.state import session
from viz.state.selection import View
from viz.widgets import change_button
from viz.widgets.jobs import duration, follow, refusal, start
from viz.wording.labels import escape_markdown, shorten

FEWER_ROWS: Final = "open fewer rows"  # what makes a job over a table shorter
FIRST_ROWS: Final = 2_000  # of a long table, which can be read alone
TICKED: Final = "ticked_rows"  # in the session
TYPED, LISTED = "filter_typed", "filter_listed"  # fields that add a filter
TOO_MANY: Final = "Too many rows for a link: choose fewer, or filter the table."
LONGEST_TEXT: Final = 300  # characters of a row's text that are shown above the views that open it
ROW_VIEWS: Final[Mapping[View, str]] = {
    "predictions": "Predictions",
    "why": "Why this prediction?",
    "heat map": "Heat map",
    "word lens": "Word lens",
    "similar because": "Similar because",
}


def follow_rows(
    model_name: str, collection: Collection, show: Callable[[GrowingResults], object], *, key: str
) -> tuple[Collection, Results] | None:
    """The rows that a model has read, and its results; until there are some, its progress.

    Those are all rows, or the first ones where the reading was stopped.

    Args:
        show: renders what is read so far; without widgets that change the selection.
        key: Streamlit's.
    """
    reading, step = reading_of(model_name, collection), results_of(collection)
    found = shown_results(model_name, collection)
    follow(
        reading.job,
        model_name,
        tokens=step.tokens,
        what=step.what,
        key=key,
        below=None if found else partial(show, reading.growing),
        offer=partial(_offer_reading, reading, model_name, key),
    )
    return shown_results(model_name, collection)


def _offer_reading(reading: Reading[Results, GrowingResults], model_name: str, key: str, backend: Backend) -> None:
    """Buttons that have all rows read, or those that remain, or the first ones, with the time that each takes."""
    growing = reading.growing
    total, done, step = len(growing.collection), growing.done, results_of(growing.collection)
    refused = refusal(backend, step.tokens, what=step.what, less=FEWER_ROWS) if permitted.is_limited() else None
    timing = Step(seconds_of_rows, (growing.collection,), table=growing.collection)
    seconds = result_of(timing, model_name) / total

    def begin(most: int | None) -> None:
        growing.most = most
        start([reading.job], backend)

    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if done:
            st.markdown(f"**The first {done:,} of {total:,} rows**, in the order of the file.", width="content")
        what = f"the other {total - done:,}" if done else f"all {total:,}"
        if refused:
            st.caption(refused)
        else:
            label = f"{'Go on with' if done else 'Run over'} {what} rows (about {duration(seconds * (total - done))})"
            st.button(label, key=f"{key}_begin", on_click=begin, args=(None,))
        if not done and total > FIRST_ROWS:
            label = f"First {FIRST_ROWS:,} rows (about {duration(seconds * FIRST_ROWS)})"
            st.button(label, key=f"{key}_first", on_click=begin, args=(FIRST_ROWS,))


def choose_filters(collection: Collection, results: Results, rows: str) -> None:
    """The filters of the rows: those in sight as chips, all that are chosen hold together; a field and a list add one.

    Args:
        rows: the chosen filters, which apply.
    """
    titles = chips(rows, collection, results)
    if titles:
        st.pills(
            "Rows",
            list(titles),
            format_func=lambda part: titles.get(part, part),
            selection_mode="multi",
            label_visibility="collapsed",
            help="Rows that all of the chosen filters have.",
            **session.bound(
                "rows",
                initial="default",
                to_widget=lambda rows: chosen_parts(rows, collection, results),
                from_widget=lambda parts: AND.join(parts) or ALL,
            ),
        )

    def add(key: str) -> None:
        chosen: str | None = st.session_state[key]
        st.session_state[key] = None
        if chosen and chosen.strip():
            added = filter_of_typed(chosen.strip(), collection, results)
            session.change(rows=add_filter(session.current().table.rows, added, collection, results))

    st.text_input(
        "Filter",
        key=TYPED,
        placeholder="Filter: words of the text",
        help="Words of the text, or a filter such as “topic=hotel” or “topic~hot”.",
        on_change=add,
        args=(TYPED,),
        label_visibility="collapsed",
        width=200,
    )
    more = memo_of(collection).get(filter_choices, collection, results)
    if more:
        st.selectbox(
            "More filters",
            list(more),
            index=None,
            format_func=lambda part: more.get(part, part),
            key=LISTED,
            placeholder="Slices and mistakes",
            on_change=add,
            args=(LISTED,),
            label_visibility="collapsed",
            width=200,
        )


def say_dropped(rows: str, shown: str) -> None:
    """Say that a filter of the rows does not apply, with another one in its place."""
    if rows not in (shown, ALL):
        filter_ = escape_markdown(shorten(rows, LONGEST_TEXT))
        st.info(f"The filter “{filter_}” does not fit this table, and is left out.")


class AddedFilters(Sequence[Mapping[str, object]]):
    """Changes whose filter of rows is combined, at the click, with those that are chosen then."""

    def __init__(self, changes: Sequence[Mapping[str, object]], collection: Collection, results: Results) -> None:
        self._changes, self._collection, self._results = changes, collection, results

    def __len__(self) -> int:
        return len(self._changes)

    def __getitem__(self, index: Any) -> Any:
        change = self._changes[index]
        if "rows" not in change:
            return change
        before = session.current().table.rows
        return {**change, "rows": add_filter(before, str(change["rows"]), self._collection, self._results)}


def adding(answer: Answer, collection: Collection, results: Results) -> Answer:
    """An answer in which a click on rows adds their filter to those that are chosen."""

    def added(part: Part | Row) -> Part | Row:
        if isinstance(part, (Chart, Table)) and part.changes:
            return replace(part, changes=AddedFilters(part.changes, collection, results))
        return part

    return replace(answer, parts=tuple(map(added, answer.parts)))


def offer_row(collection: Collection, row: int, *, key: str) -> None:
    """The texts of a row, and buttons that open it in another view."""
    [text] = collection.texts([row])
    a, b = text if isinstance(text, tuple) else (text, None)
    st.markdown(f"**Row {collection.numbers(row) + 1:,}** · {_shown(a)}" + (f" · {_shown(b)}" if b else ""))
    with st.container(horizontal=True, gap="xsmall"):
        for view, title in ROW_VIEWS.items():
            st.button(title, key=f"{key}_open_{view}", on_click=open_row, args=(collection, row, view))
        search = {"view": "search", "find": a, "hit": None}
        change_button("Search for it", search, key=f"{key}_search")


def newest_last(rows: list[int]) -> list[int]:
    """The rows that are ticked in the table, in the order in which they were."""
    before: list[int] = st.session_state.get(TICKED, [])
    st.session_state[TICKED] = [row for row in before if row in rows] + [row for row in rows if row not in before]
    ordered: list[int] = st.session_state[TICKED]
    return ordered


def offer_rows(rows: Sequence[int], *, key: str) -> None:
    """Buttons for some rows of the table together: the words that drive them, and a table of them alone."""
    chosen = name_of_rows(rows)
    fits = is_in_address(chosen)
    st.markdown(f"**{len(rows):,} rows**")
    with st.container(horizontal=True, gap="xsmall"):
        for title, view in (("Driving words of these rows", "driving words"), ("Show these rows alone", "texts")):
            change_button(
                title,
                {"view": view, "rows": chosen},
                key=f"{key}_rows_{view}",
                disabled=not fits,
                help=None if fits else TOO_MANY,
            )


def open_row(collection: Collection, row: int, view: View) -> None:
    """Open a row in another view: its text as A, or its two texts as A and B."""
    [text] = collection.texts([row])
    a, b = text if isinstance(text, tuple) else (text, "")
    open_texts(a, b, view, row=row, mode="pair")


def offer_texts(
    a: str, b: str, views: Mapping[View, str], *, row: int, key: str, as_pair: Container[View] = (), **fields: Any
) -> None:
    """Buttons that open two texts, or one, in other views.

    Args:
        views: the title of each button.
        as_pair: views in which two texts are read as a pair; in others each is read alone.
        row, fields: as in `open_texts`.
    """
    with st.container(horizontal=True, gap="xsmall"):
        for view, title in views.items():
            st.button(
                title,
                key=f"{key}_open_{view}",
                on_click=open_texts,
                args=(a, b, view),
                kwargs={"row": row, "mode": "pair" if view in as_pair else "separate", **fields},
            )


def open_texts(a: str, b: str, view: View, *, row: int, mode: Mode, **fields: Any) -> None:
    """Open two texts, or one, in another view, from which a button leads back.

    Args:
        row: of the table, that they belong to.
        mode: how two texts are read.
        fields: of the selection, that the view is about.
    """
    back = {"from_row": row, "from_view": session.current().view}
    session.change(a=a, b=b, view=view, **back, **({"mode": mode} if b else {}), **fields)


def fingerprint(*texts: str) -> str:
    """A short name of texts, for keys of widgets that belong to them."""
    return blake2b("\0".join(texts).encode("utf-8", "replace"), digest_size=8).hexdigest()


def _shown(text: str) -> str:
    return escape_markdown(shorten(text, LONGEST_TEXT))
