"""The numbers of a view as a CSV file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:  # the first view is rendered without pandas
    import pandas as pd


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
