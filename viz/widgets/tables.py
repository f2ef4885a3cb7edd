"""Tables that are folded under a title, and the numbers of a view as a CSV file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import streamlit as st

from viz.state import session
from viz.state.selection import OWN
from viz.widgets import save_button
from viz.wording import file_names
from viz.wording.labels import spreadsheet_text

if TYPE_CHECKING:  # the first view is rendered without pandas
    import pandas as pd

    from viz.streamlit_internals import ExpanderContainer


def csv_button(
    table: Callable[[], pd.DataFrame], *, name: str, key: str, label: str = "Download as CSV", index: bool = False
) -> None:
    """A button that saves a table.

    Args:
        table: makes the numbers; called on the click.
        name: of the numbers, for the file's name.
        key: Streamlit's.
        index: whether the table's index is a column of the file.
    """
    save_button(label, lambda: csv_of(table(), index=index), name_of_file(name, "csv"), key=key)


def csv_of(table: pd.DataFrame, *, index: bool = False) -> bytes:
    """A CSV file whose texts spreadsheets do not run as formulas."""

    def quoted(cell: object) -> object:
        return spreadsheet_text(cell) if isinstance(cell, str) else cell

    safe = table.copy()
    for name in table.select_dtypes(exclude=["number", "bool"]):
        safe[name] = table[name].map(quoted)
    return safe.rename(columns=quoted).to_csv(index=index).encode()


def page_link() -> str:
    """The address of what the page shows; "" for a table of the visitor's own, which no address names."""
    selection = session.readable()
    if selection.shows_collection and selection.table.collection == OWN:
        return ""
    return f"{st.context.url}?{urlencode(st.query_params.to_dict())}"


def file_name(what: str, place: str) -> str:
    """A name of numbers; those of sentences that were encoded separately get their letter."""
    return what if place == "pair" else f"{what}-{place}"


def label_of_csv(place: str) -> str:
    """The label of a button that saves the numbers of a view, or those of one sentence."""
    return "This view (.csv)" if place == "pair" else f"This view of {place} (.csv)"


def name_of_file(what: str, ending: str) -> str:
    """The name of a file that the page saves, with the first text of the page, or the name of its table."""
    selection = session.readable()
    if selection.shows_collection:
        return file_names.file_name(selection.table.collection, what, ending)
    text = selection.decoder.source if selection.shows_decoder else selection.texts.a
    return file_names.file_name(text, what, ending)


def folded(title: str, *, key: str) -> ExpanderContainer:
    """An expander whose contents should only be rendered while it is `.open`.

    Args:
        key: of its contents; the expander stays open when the texts change.
    """
    return st.expander(title, key=f"{key}_folded", on_change="rerun")


def show_table(table: Callable[[], pd.DataFrame], *, title: str, name: str, key: str, note: str = "") -> None:
    """A table that is folded away under its title, with its CSV file.

    Args:
        table: makes the numbers; called while the table is open.
        name: of the file.
        key: Streamlit's.
        note: a caption under the table.
    """
    part = folded(title, key=key)
    if part.open:
        with part:
            st.dataframe(table(), hide_index=True, key=key)
            if note:
                st.caption(note)
            csv_button(table, name=name, key=f"{key}_csv")
