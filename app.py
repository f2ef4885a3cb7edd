"""Headlight's page. Start it with `streamlit run app.py`."""

from __future__ import annotations

import streamlit as st

from encoder.errors import HeadlightError
from viz.page import opening


def main() -> None:
    """Draw the page once."""
    opening.draw()
    with st.spinner("Starting …"):  # importing torch takes seconds; the texts are shown before
        from viz.page import body
    body.draw()


try:
    main()
except HeadlightError as error:
    opening.tell_error(error)
