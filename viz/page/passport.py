"""What was proved of the page's model, behind a tick or a count of remarks next to its name.

The checks begin when the page has been rendered: no view waits for them.
"""

from __future__ import annotations

import weakref
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from viz.caches import run_cache
from viz.computing.background import Background
from viz.page import loading
from viz.state import session
from viz.wording.labels import escape_markdown

if TYPE_CHECKING:
    from encoder import Backend
    from encoder.models.passport import Passport

DELAY = 2.0  # seconds, in which the views are rendered
POLL_SECONDS = 1.0
MARKS = {"holds": ":material/check:", "differs": ":material/priority_high:", "does not apply": ":material/remove:"}
_CHECKING: weakref.WeakKeyDictionary[Backend, Background] = weakref.WeakKeyDictionary()


def show_passport(name: str) -> None:
    """The tick or the count of remarks of an encoder; nothing until it is loaded and checked."""
    backend = run_cache.opened_model(name)
    if not loading.MODELS.done or backend is None:
        return
    passport = _passport_so_far(backend)
    if passport is None:
        session.polled(_show_remarks_at_once, every=POLL_SECONDS)(weakref.ref(backend))
        return
    count = len(passport.remarks)
    label = f"{count} remark{'s' if count > 1 else ''}" if count else "checked"
    with st.container(key="passport"):
        icon = MARKS["differs" if count else "holds"]
        menu = st.popover(label, icon=icon, type="tertiary", key="checks", on_change="rerun")
    if menu.open:
        with menu:
            for check in passport.checks:
                st.markdown(f"{MARKS[check.outcome]} **{check.name}** {escape_markdown(check.sentence)}")


def _passport_so_far(backend: Backend) -> Passport | None:
    """The passport of a model if it has been made; otherwise its checks begin in the background."""
    if "passport" in backend.__dict__:
        return backend.passport
    checking = Background(
        [("the views", lambda: None)], afterwards=[("the checks", partial(_check, weakref.ref(backend)))], delay=DELAY
    )
    _CHECKING.setdefault(backend, checking).start()
    return None


def _check(model: weakref.ref[Backend]) -> None:
    backend = model()
    if backend is not None:
        _ = backend.passport  # is stored by the model


def _show_remarks_at_once(model: weakref.ref[Backend]) -> None:
    """Rerun the page when there is a remark; a tick appears with its next run."""
    backend = model()
    if backend is not None and "passport" in backend.__dict__ and backend.passport.remarks:
        st.rerun()
