"""Headlight's page. Start it with `streamlit run app.py`."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import streamlit as st

from encoder.errors import HeadlightError
from viz.page import opening

# torch reads this when it is imported. Its threads would else spin while they wait for each other, which on cores that
# others want as well makes a run several times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

BODY = "viz.page.body"


def main() -> None:
    """Draw the page once."""
    claims_place = opening.draw()
    if BODY not in sys.modules:
        with st.spinner("Starting …"):  # the texts are shown before
            import_module(BODY)
    from viz.page import body  # waits where another session imports it

    body.draw(claims_place)


try:
    main()
except HeadlightError as error:
    opening.tell_error(error)
