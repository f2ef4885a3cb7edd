"""Headlight. Start it with `streamlit run app.py`."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from viz.page import direct, paints
from viz.page.static_files import StaticFiles
from viz.page.warmup import WARMUP
from viz.streamlit_internals import disable_address_lookup

# Seconds after which a thread hands on the interpreter, a tenth of the usual, until all is loaded (`viz.page.loading`):
# serving a file needs it several times. Beside an import, Streamlit's first 60 files took 1.26 s with the usual
# interval, and 0.27 s with this one.
sys.setswitchinterval(0.0005)

# Container objects that Python allocates before it looks for garbage among them, seven times the usual. A run of the
# page leaves 1,000 in cycles; with the usual number the collector took a seventh of all time where fifty people work.
gc.set_threshold(5_000, 10, 10)

disable_address_lookup()
WARMUP.start()
script = Path(__file__).parent / "viz" / "page" / "script.py"
app = st.App(script, routes=[*direct.routes(), *paints.routes()], middleware=[Middleware(StaticFiles)])
