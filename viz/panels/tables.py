"""What is folded away under its title, such as the numbers of a picture as a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

from viz.panels.download import csv_button

if TYPE_CHECKING:
    import pandas as pd


def folded(title: str, *, key: str) -> ExpanderContainer:
    """A part of a view whose contents are to be drawn while it is `.open` alone: nobody waits for what nobody sees.

    Args:
        key: of what is in it; it stays open from text to text.
    """
    return st.expander(title, key=f"{key}_folded", on_change="rerun")


def show_table(table: Callable[[], pd.DataFrame], *, title: str, name: str, key: str) -> None:
    """A table that is folded away under its title, with its CSV file.

    Args:
        table: makes the numbers when somebody looks.
        name: of the file.
        key: Streamlit's.
    """
    part = folded(title, key=key)
    if part.open:
        with part:
            st.dataframe(table(), hide_index=True, key=key)
            csv_button(table, name=name, key=f"{key}_csv")
