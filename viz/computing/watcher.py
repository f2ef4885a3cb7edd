"""Sessions that wait for work: it ends when none is left."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import streamlit as st

from viz.streamlit_internals import browser_check

GRACE: Final = 6.0  # seconds for which a session without a browser waits on: for a page that is loaded again
_WATCHER: Final = "watcher"  # in the session


class Watcher:
    """A session that waits for jobs, until its browser has been gone for `GRACE` seconds.

    The seconds are counted from when somebody asks first. Any thread may ask.
    """

    def __init__(self, is_connected: Callable[[], bool] = lambda: True) -> None:
        """`is_connected` says whether the session has a browser now."""
        self._is_connected = is_connected
        self._gone_since: float | None = None

    @property
    def waits(self) -> bool:
        """Whether the session still waits for its jobs."""
        if self._is_connected():
            self._gone_since = None
            return True
        now, gone_since = time.monotonic(), self._gone_since
        if gone_since is None:
            gone_since = self._gone_since = now
        return now - gone_since < GRACE


def this_session() -> Watcher:
    """The watcher of the session whose script runs."""
    who: Watcher = st.session_state.setdefault(_WATCHER, Watcher(browser_check()))
    return who
