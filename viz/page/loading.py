"""torch and the bundled model: loaded from the first run of the page on, and waited for where they are needed."""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from pkgutil import iter_modules

import streamlit as st

from viz import panels
from viz.caches import run_cache
from viz.computing.background import Background
from viz.state import session
from viz.state.selection import DEFAULT

TICK = 0.1  # seconds between two looks while somebody waits; a click ends the wait at the next one
AFTERWARDS = 3.0  # seconds in which the texts that waited are run
REFRESH = 0.5  # seconds between two states of the small line
SWITCH_INTERVAL = 0.005  # seconds, Python's own: with that of `app.py`, fifty people's runs take a third longer
SEEN = "saw_loading"


def _import_views() -> None:
    """What only some views and the search of an atlas need, so that they open at once."""
    import_module("sklearn.decomposition")
    import_module("encoder.atlas.finding")
    for module in iter_modules(panels.__path__, f"{panels.__name__}."):
        import_module(module.name)


def _settle() -> None:
    """Load the rest, and then have the interpreter serve people."""
    _import_views()
    gc.freeze()  # what is loaded stays: a full collection would visit all of it, 0.7 s in which nobody is answered
    sys.setswitchinterval(SWITCH_INTERVAL)


MODELS = Background(
    [
        ("torch", lambda: import_module("torch")),
        ("the model", lambda: run_cache.model(DEFAULT.model)),
    ],
    afterwards=_settle,
    delay=AFTERWARDS,
)


def wait() -> None:
    """Return when models can be used, and say until then what is being loaded."""
    if MODELS.done:
        return
    MODELS.start()
    place = st.empty()
    while not MODELS.wait(TICK):
        place.info(f"This needs the model, which is being loaded: {MODELS.step} …")
    place.empty()


def show_progress() -> None:
    """A small line that says what is being loaded and, once, that all of it is there."""
    with st.container(key="loading"):
        if not MODELS.done:
            MODELS.start()
            st.session_state[SEEN] = True
            session.polled(_show_step, every=REFRESH)()
        elif st.session_state.pop(SEEN, False):
            st.caption("The model is loaded.")


def _show_step() -> None:
    if MODELS.done:
        st.rerun()  # which draws the line for the last time, and nothing asks for a run again
    st.caption(f"Loading {MODELS.step} … What needs no model works already.")
