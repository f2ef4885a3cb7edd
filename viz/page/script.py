"""The page's script, which Streamlit runs for every rerun; `app.py` serves it."""

from __future__ import annotations

import sys
from importlib import import_module

import streamlit as st

from encoder.errors import HeadlightError
from viz.page import opening
from viz.page.errors import show_error
from viz.page.warmup import BODY


def main() -> None:
    """Draw the page once."""
    places = opening.draw()
    if BODY not in sys.modules:
        with st.spinner("Starting …"):  # below the texts
            import_module(BODY)
    from viz.page import body  # waits if another session is importing it

    body.draw(places)


try:
    main()
except HeadlightError as error:
    show_error(error)
