"""Tables that are folded under a title, and the numbers of a view as a CSV file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:  # the first view is rendered without pandas
    import pandas as pd

    from viz.streamlit_internals import ExpanderContainer


def csv_button(
    table: Callable[[], pd.DataFrame], *, name: str, key: str, label: str = "Download as CSV", index: bool = False
) -> None:
    """A button that saves a table.

    Args:
        table: makes the numbers; called on the click.
        name: of the file, without its ending; spaces become hyphens.
        key: Streamlit's.
        index: whether the table's index is a column of the file.
    """
    st.download_button(
        label,
        lambda: table().to_csv(index=index).encode(),
        file_name=f"{name.replace(' ', '-')}.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
        key=key,
    )


def file_name(what: str, place: str) -> str:
    """A file name; sentences that were encoded separately get their letter."""
    return what if place == "pair" else f"{what}-{place}"


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
