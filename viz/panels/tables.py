"""Tables that are folded away under a title."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from viz.panels.download import csv_button

if TYPE_CHECKING:
    import pandas as pd

    from viz.streamlit_internals import ExpanderContainer


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
