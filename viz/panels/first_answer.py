"""What a view shows first is painted before the rest of it is worked out and drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import sleep

import streamlit as st
from streamlit.runtime.scriptrunner_utils.script_run_context import get_run_yield_check

PAINTING = 0.1  # seconds: two frames, and what a browser takes for a chart or two
PARTS = 10  # of the time for which a run is held back, between which it ends where it was overtaken
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
    """Hold the run back for a moment where the view's first answer is a new one, so that the browser paints that.

    A browser renders all that has come since its last frame in one task: sent at once, the charts of a test that stands
    below hold up the answer that people wait for. Until the rest comes, what the page had there before stays.

    Args:
        answer: plain values that the answer follows from.
        key: of the answer, which tells several on a page apart.
    """
    painted: dict[str, object] = st.session_state.setdefault(PAINTED, {})
    if painted.get(key) != answer:
        painted[key] = answer
        _tell.get()()
        hold_back(PAINTING)


def hold_back(seconds: float) -> None:
    """Hold a run back, unless another one overtakes it."""
    end_if_overtaken = get_run_yield_check()
    for _ in range(PARTS):
        sleep(seconds / PARTS)
        if end_if_overtaken:
            end_if_overtaken()
