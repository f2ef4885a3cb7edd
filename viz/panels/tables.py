"""The numbers of a picture as a table, to be opened and saved."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from viz.panels.download import csv_button


def show_table(table: pd.DataFrame, *, title: str, name: str, key: str) -> None:
    """A table that is folded away under its title, with its CSV file.

    Args:
        name: of the file.
        key: Streamlit's.
    """
    with st.expander(title):
        st.dataframe(table, hide_index=True, key=key)
        csv_button(lambda: table, name=name, key=f"{key}_csv")
