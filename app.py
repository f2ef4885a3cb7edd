"""Headlight. Start it with `streamlit run app.py`."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st

from viz.page import direct

# torch reads this when it is imported. Its threads would else spin while they wait for each other, which on cores that
# others want as well makes a run several times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

app = st.App(Path(__file__).parent / "viz" / "page" / "script.py", routes=direct.routes())
