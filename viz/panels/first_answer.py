"""What a view shows first is painted before the rest of it is worked out and drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import streamlit as st

from viz.components.wires.paint_report import paint_report
from viz.computing.paints import PAINTS
from viz.streamlit_internals import run_check

LONGEST = 2.0  # seconds that a run waits for a report: a browser that has gone, or whose tab is hidden, sends none
PAINTED = "first_answers"  # in the session

_tell: ContextVar[Callable[[], None]] = ContextVar("tell", default=lambda: None)


@contextmanager
def telling(tell: Callable[[], None]) -> Iterator[None]:
    """Inside, `tell` is called once: as soon as an answer is to be painted, or in the end where none is held back.

    Text fields send what is typed next when they hear that the texts were read. That is not to wait for the rest.
    """
    calls = iter([tell])

    def tell_once() -> None:
        for call in calls:
            call()

    token = _tell.set(tell_once)
    try:
        yield
    finally:
        _tell.reset(token)
    tell_once()


def let_paint(answer: object, *, key: str) -> None:
    """Wait until the browser has painted the view's first answer, where that is a new one.

    A browser renders all that has come since its last frame in one task: sent at once, the charts of a test that stands
    below hold up the answer that people wait for. Until the rest comes, what the page had there before stays.

    Args:
        answer: plain values that the answer follows from.
        key: of the answer, which tells several on a page apart.
    """
    painted: dict[str, object] = st.session_state.setdefault(PAINTED, {})
    is_new = painted.get(key) != answer
    if is_new:
        painted[key] = answer
        _tell.get()()
    wait_until_painted(key=key, wanted=is_new)


def wait_until_painted(*, key: str, wanted: bool = True) -> None:
    """Hold a run back until the browser has painted what was sent, or another run supersedes it.

    Args:
        key: of the place, where an element without a picture stands in every run.
        wanted: whether to wait.
    """
    token = PAINTS.expect() if wanted and PAINTS.address else None
    paint_report(token, address=PAINTS.address, key=f"painted_{key}".replace(" ", "_"))
    if token:
        PAINTS.wait(token, LONGEST, check=run_check() or (lambda: None))
