"""Headlight. Start it with `streamlit run app.py`."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from encoder.errors import LaunchError
from viz import permitted, streamlit_internals
from viz.launch import METRICS, check_variables, metrics_place
from viz.page import bounds, connections, direct, password, stills
from viz.page.ending import answer_before_the_end
from viz.page.errors import show_unexpected
from viz.page.static_files import StaticFiles
from viz.page.warmup import WARMUP

try:
    check_variables()
except LaunchError as error:
    raise SystemExit(f"headlight: {error}") from None

# The GIL's switch interval in seconds, a tenth of the default until everything is loaded (`viz.page.loading`): serving
# a file takes the GIL several times. During an import, Streamlit's first 60 files took 1.26 s with the default, and
# 0.27 s with this one.
sys.setswitchinterval(0.0005)

# Allocations before a garbage collection, seven times the default. A run of the page leaves 1,000 objects in cycles; at
# the default, the collector took a seventh of the time with fifty users.
gc.set_threshold(5_000, 10, 10)

streamlit_internals.disable_address_lookup()
streamlit_internals.shorten_warnings()
streamlit_internals.present_plain_states()
streamlit_internals.identify_components_by_key()
streamlit_internals.copy_places_at_once()
streamlit_internals.ignore_gone_widgets()
streamlit_internals.draw_all_that_changed()
permitted.limit_if_shared(st.get_option("server.address"))
script = Path(__file__).parent / "viz" / "page" / "script.py"
# For good, or Streamlit inserts the folder before every run and removes it afterwards. An import in another thread then
# skips an entry of the list, and does not find what is installed there.
sys.path.append(os.path.dirname(os.path.abspath(script)))
WARMUP.start()
files = connections.raise_file_limit()
pages = bounds.Pages(connections.pages_for(files))
connections.limit_arrivals(files)


@asynccontextmanager
async def started(_: st.App) -> AsyncIterator[None]:
    """What needs a running server."""
    streamlit_internals.end_gone_sessions()
    answer_before_the_end(pages)
    if place := os.environ.get(METRICS):
        from viz.page import metrics  # imports prometheus_client

        metrics.serve(*metrics_place(place), pages)
    yield


app = st.App(
    script,
    lifespan=started,
    routes=[*direct.routes(), *stills.routes()],
    on_script_error=show_unexpected,
    middleware=[*bounds.middleware(pages), *password.middleware(), Middleware(StaticFiles)],
)
