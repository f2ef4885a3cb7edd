"""Headlight. Start it with `streamlit run app.py`."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import streamlit as st

from encoder.errors import CheckpointError
from encoder.shipped.bundled import bundled_folder
from viz.computing.threads import start_thread
from viz.page import direct

# torch reads this when it is imported. Its threads would else spin while they wait for each other, which on cores that
# others want as well makes a run several times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def check_weights() -> None:
    """Find out on another core whether the bundled model is the published one, which the first picture waits for."""
    with suppress(CheckpointError):  # the page says it
        bundled_folder()


start_thread(check_weights, stop=lambda: None, name="headlight-weights")
app = st.App(Path(__file__).parent / "viz" / "page" / "script.py", routes=direct.routes())
