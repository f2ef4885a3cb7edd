"""Waits until the browser has painted the first part of a view, before the rest is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import streamlit as st

from viz.components.wires.paint_report import paint_report
from viz.computing.paints import PAINTS, Expected
from viz.streamlit_internals import run_check

LONGEST = 2.0  # seconds to wait for a paint report
PAINTED = "first_answers"  # in the session
MISSED = "missed_report"  # in the session: of a closed tab, or of a browser whose reports are blocked or very late

_notify: ContextVar[Callable[[], None]] = ContextVar("notify", default=lambda: None)


@contextmanager
def notify_once(notify: Callable[[], None]) -> Iterator[None]:
    """Within this context, call `notify` once: before the first wait for a paint, or at the end if there is none.

    Text fields send the next edit after this notification, so it must not wait for the rest of the view.
    """
    calls = iter([notify])

    def call_once() -> None:
        for call in calls:
            call()

    token = _notify.set(call_once)
    try:
        yield
    finally:
        _notify.reset(token)
    call_once()


def let_paint(answer: object, *, key: str) -> None:
    """Wait until the browser has painted the view's first answer, if that answer is new.

    A browser renders everything received since its last frame in one task, so charts further down would delay the
    first answer. Until they arrive, the page keeps the previous ones.

    Args:
        answer: plain values that the answer depends on.
        key: identifies the answer on the page.
    """
    painted: dict[str, object] = st.session_state.setdefault(PAINTED, {})
    is_new = painted.get(key) != answer
    if is_new:
        painted[key] = answer
        _notify.get()()
    wait_until_painted(key=key, wanted=is_new)


def wait_until_painted(*, key: str, wanted: bool = True) -> None:
    """Block the run until the browser has painted what was sent, or another run supersedes it.

    A browser that did not report in time is not waited for again before that report comes.

    Args:
        key: of the place; an invisible element stands there in every run.
        wanted: whether to wait.
    """
    missed: Expected | None = st.session_state.get(MISSED)
    reports = PAINTS.address is not None and (missed is None or missed.painted.is_set())
    expected = PAINTS.expect() if wanted and reports else None
    paint_report(expected and expected.token, address=PAINTS.address, key=f"painted_{key}".replace(" ", "_"))
    if expected and not PAINTS.wait(expected, LONGEST, check=run_check() or (lambda: None)):
        st.session_state[MISSED] = expected
