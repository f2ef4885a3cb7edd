"""The numbers of a view as a CSV file, offered the same way under each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:  # the first picture, which comes without tables, names its files here
    import pandas as pd


def csv_button(
    table: Callable[[], pd.DataFrame], *, name: str, key: str, label: str = "Download as CSV", index: bool = False
) -> None:
    """A button that saves a table.

    Args:
        table: makes the numbers when somebody asks for them.
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
    """A file's name that tells the sentences of a page apart where they were encoded separately."""
    return what if place == "pair" else f"{what}-{place}"
