"""Loading of torch and the bundled model: it begins with the first run of the page, or some seconds after the start.

Parts of the page that need them wait.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from pkgutil import walk_packages

import streamlit as st

from encoder.text.lemmas import lemma
from viz import permitted, views
from viz.caches import run_cache
from viz.computing.background import Background
from viz.state import session
from viz.state.selection import DEFAULT

TICK = 0.1  # seconds between two checks while a run waits; a click ends the wait at the next one
AFTERWARDS = 3.0  # seconds for the runs that waited
REFRESH = 0.5  # seconds between two updates of the progress line
SWITCH_INTERVAL = 0.005  # seconds, Python's default: with that of `app.py`, runs of fifty users take a third longer
SEEN = "saw_loading"
FAILED = (
    "Headlight could not load {} in advance: see the server log. It tries again when you need them. If that fails, "
    "restart Headlight."
)


def _import_views() -> None:
    """Import the modules of all views, of the atlas's search and of folders of models, and read the lemmas.

    Views and models open without delay.
    """
    lemma("views")
    import_module("sklearn.decomposition")
    import_module("encoder.atlas.finding")
    for module in walk_packages(views.__path__, f"{views.__name__}."):
        import_module(module.name)
    if permitted.listed() or not permitted.is_limited():  # else nobody opens a model that does not ship
        import_module("encoder.models.loading")


def _settle() -> None:
    """Tune the interpreter for serving, once everything is loaded."""
    gc.freeze()  # a full collection would visit all loaded objects and block the server for 0.7 s
    sys.setswitchinterval(SWITCH_INTERVAL)


MODELS = Background(
    [
        ("torch", lambda: import_module("torch")),
        ("the model", lambda: run_cache.model(DEFAULT.model)),
    ],
    afterwards=[("the views", _import_views), ("the settings for serving", _settle)],
    delay=AFTERWARDS,
)


def wait() -> None:
    """Return when models can be used; until then, show what is being loaded."""
    if MODELS.done:
        return
    MODELS.start()
    place = st.empty()
    while not MODELS.wait(TICK):
        place.info(f"This needs the model, which is being loaded: {MODELS.step} …")
    place.empty()


def show_progress() -> None:
    """A small line that says what is being loaded and, once, that everything is loaded."""
    with st.container(key="loading"):
        if not MODELS.done:
            MODELS.start()
            st.session_state[SEEN] = True
            session.polled(_show_step, every=REFRESH)()
        elif MODELS.failed:
            st.caption(FAILED.format(" and ".join(MODELS.failed)))
        elif st.session_state.pop(SEEN, False):
            st.caption("The model is loaded.")


def _show_step() -> None:
    if MODELS.done:
        st.rerun()  # which renders the line for the last time and stops the polling
    st.caption(f"Loading {MODELS.step} … What needs no model works already.")
