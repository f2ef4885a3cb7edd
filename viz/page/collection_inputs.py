"""The row of the inputs where the page shows a table of texts: the table, and which of its columns are read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from encoder.collection.files import KINDS, PACKED, UPLOADED, read_file, read_pasted, read_table
from encoder.collection.saved_run import MOST_ROWS, SavedRun, folder_of_run, open_run
from encoder.collection.shipped_sets import SHIPPED
from encoder.collection.table import Collection, HowRead, ReadTable, guessed
from encoder.errors import DataError
from viz import permitted
from viz.caches import revisions
from viz.caches.collections import (
    OWN_TABLE,
    current_collection,
    gone_tabs,
    is_model_of,
    run_over,
    saved_run,
    set_own_collection,
    shows_saved,
    take_over,
)
from viz.page.errors import show_error
from viz.page.table_card import FAULT, OpenedTable
from viz.state import session
from viz.state.fields import with_values
from viz.state.selection import DEFAULT, OWN
from viz.widgets import change_button, uploaded
from viz.wording.labels import safe_name
from viz.wording.models import name_in_short, title_of_model
from viz.wording.readings import counted

MENU: Final = "open_table"
UPLOAD, PASTED, PATH = "own_table_upload", "own_table_pasted", "own_table_path"
NONE: Final = "–"
KEPT_BYTES: Final = 5_000_000  # of an uploaded file, until its rows are run
BOUNDS: Final = (
    f"Up to {UPLOADED.rows:,} rows and {UPLOADED.nbytes // 1_000_000} MB. What you open stays in this tab: it is not "
    "written to a disk, and it is gone two minutes after you close the page. A link carries the texts of a row that "
    "you open, not the table."
)


def choose_collection() -> DeltaGenerator:
    """The table, a menu that opens one, and its columns. Returns the place of the model."""
    with st.container(key="inputs"):
        table, about, model = st.columns((6, 9, 5), gap="small", vertical_alignment="bottom")
    selection = session.current()
    own = current_collection(OWN)
    own_name = own.name if own else "Your table"
    names = [*SHIPPED, *([own_name] if own or selection.table.collection == OWN else [])]
    if selection.table.collection not in (*SHIPPED, OWN):
        session.adjust(with_values(selection, {"collection": DEFAULT.table.collection}))
    table.selectbox(
        "Table of texts",
        names,
        format_func=lambda name: SHIPPED[name].title if name in SHIPPED else name,
        # An own table is named after its file: the browser shows a new name only with a new value.
        **session.bound(
            "collection",
            options=names,
            to_widget=lambda name: own_name if name == OWN else name,
            from_widget=lambda name: name if name in SHIPPED else OWN,
        ),
    )
    with about, st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        _open_menu()
        collection = current_collection(session.current().table.collection)
        if collection is not None and (run := saved_run(collection)) is not None:
            _show_run(run)
        elif collection is not None and session.current().table.collection == OWN:
            _choose_columns(collection)
        elif collection is not None:
            st.caption(collection.note)
    return model


def _open_menu() -> None:
    """A menu that opens a file or pasted texts."""
    with st.popover("Open a table", icon=":material/upload_file:", key=MENU, on_change="rerun"):
        st.file_uploader(
            f"A file ({', '.join(KINDS)})",
            key=UPLOAD,
            type=[kind.removeprefix(".") for kind in (*KINDS, *PACKED)],
            max_upload_size=UPLOADED.nbytes // 1_000_000,
            on_change=_open_upload,
        )
        st.text_area("Or paste texts, one on each line, or rows of a spreadsheet", key=PASTED, height=120)
        st.button("Open the pasted texts", key="open_pasted", on_click=_open_pasted)
        if not permitted.is_limited():
            st.text_input(
                "Or a path on this computer: a file, or the folder of “headlight texts run”",
                key=PATH,
                on_change=_open_path,
            )
        if fault := st.session_state.get(FAULT):
            show_error(fault)
        st.caption(BOUNDS)


def _open_upload() -> None:
    if upload := uploaded(UPLOAD):
        data, name = upload.getvalue(), upload.name
        _open(lambda how: read_table(data, name, how=how), name, keeps=len(data) <= KEPT_BYTES)


def _open_pasted() -> None:
    text: str = st.session_state[PASTED]
    if text.strip():
        _open(lambda how: read_pasted(text, how=how), "pasted texts")


def _open_path() -> None:
    text: str = st.session_state[PATH].strip()
    if text and not permitted.is_limited():
        path = Path(text).expanduser()
        _open(lambda how: read_file(path, how=how), path.name, folder=folder_of_run(path))


def _open(read: Callable[[HowRead], ReadTable], name: str, *, folder: Path | None = None, keeps: bool = True) -> None:
    """Open a table, or saved results in a folder, or note why not; the last table stays open then.

    Args:
        keeps: whether the file can be read again in another way.
    """
    st.session_state.pop(FAULT, None)
    try:
        if folder is not None:
            run = open_run(folder)
            set_own_collection(run.collection, run)
            st.session_state.pop(OWN_TABLE, None)
        else:
            found = read(HowRead())
            set_own_collection(guessed(name, found.table, remarks=found.remarks))
            st.session_state[OWN_TABLE] = OpenedTable(name=name, read=found, again=read if keeps else None)
    except DataError as error:
        st.session_state[FAULT] = error
        return
    st.session_state[MENU] = False  # closed
    session.change(collection=OWN, rows=DEFAULT.table.rows, hit=None, from_row=None, map_state=None)


def _show_run(run: SavedRun) -> None:
    """Whose results these are; in the help, of how many rows, and which tables are there."""
    st.caption(
        f"Saved results of {_title(run.model)}",
        help=f"{', '.join(run.what).capitalize()} of {len(run.collection):,} rows.",
    )


def explain_missing_table() -> None:
    """Say that a link carries no table; after a reload of several pages at once, offer the tables that were theirs."""
    gone = gone_tabs()
    if not gone:
        st.info("A link carries no table: open yours above, or choose one of those that ship.")
        return
    st.info("Several of your pages with a table have closed: choose the one that was here, or open a table above.")
    with st.container(horizontal=True):
        for number, tab in enumerate(gone):
            label = f"{safe_name(tab.collection.name)} ({counted(len(tab.collection), 'row')})"
            st.button(label, key=f"gone_table_{number}", on_click=take_over, args=(tab,))


def explain_saved_results(model_name: str, collection: Collection) -> None:
    """What is left out of long results and, where the model of the page did not give them, how to go on."""
    run = saved_run(collection)
    if run is None:
        return
    if len(run.collection) > MOST_ROWS:
        st.caption(f"*Errors* counts all {len(run.collection):,} rows. Words and heads are of the first {MOST_ROWS:,}.")
    if is_model_of(run, model_name):
        return
    is_saved = shows_saved(model_name, run)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if is_saved:
            st.markdown(
                f"These are saved results of **{_title(run.model)}**. The page has another model.", width="content"
            )
            change_button("Open that model", {"model": run.model}, key="open_model_of_run")
        else:
            own = _title(revisions.unrevised(model_name))
            st.markdown(f"These are results of **{own}**, not the saved ones.", width="content")
        st.button(
            "Run the model of the page" if is_saved else "Show the saved results",
            key="run_over_rows",
            on_click=run_over,
            args=(model_name,),
            kwargs={"wanted": is_saved},
        )


def _title(model: str) -> str:
    return safe_name(title_of_model(name_in_short(model)))


def _choose_columns(collection: Collection) -> None:
    """The columns of the user's table that hold the texts and the labels."""
    columns = list(collection.columns)
    read: ReadTable = st.session_state[OWN_TABLE].read

    def choose() -> None:
        text, text_b, label = (st.session_state[f"column_{name}"] for name in ("text", "text_b", "label"))
        st.session_state.pop(FAULT, None)
        try:
            chosen = Collection.of(
                collection.name,
                read.table,
                text=text,
                text_b=None if text_b == NONE else text_b,
                label=None if label == NONE else label,
                remarks=read.remarks,
            )
            set_own_collection(chosen)
        except DataError as error:
            st.session_state[FAULT] = error
        session.change(rows=DEFAULT.table.rows)

    for name, title, shown in (
        ("text", "Text", collection.text),
        ("text_b", "Second text", collection.text_b),
        ("label", "Label", collection.label),
    ):
        options = columns if name == "text" else [NONE, *columns]
        session.set_value(f"column_{name}", shown or NONE)
        st.selectbox(title, options, key=f"column_{name}", on_change=choose, width=118)
