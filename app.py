"""Headlight's page. Start it with `streamlit run app.py`."""

from __future__ import annotations

import os

import streamlit as st

from encoder.errors import HeadlightError
from viz.page import opening

# torch reads this when it is imported. Its threads would else spin while they wait for each other, which on cores that
# others want as well makes a run several times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def main() -> None:
    """Draw the page once."""
    claims_place = opening.draw()
    with st.spinner("Starting …"):  # importing torch takes seconds; the texts are shown before
        from viz.page import body
    body.draw(claims_place)


try:
    main()
except HeadlightError as error:
    opening.tell_error(error)
