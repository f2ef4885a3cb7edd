"""Sessions that wait for jobs, which end when no session waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import streamlit as st

from viz.streamlit_internals import browser_check

GRACE: Final = 6.0  # seconds that a session without a browser continues to wait, for a page that is reloaded
_WATCHER: Final = "watcher"  # in the session


class Watcher:
    """A session that waits for jobs, until its browser has been disconnected for `GRACE` seconds.

    The seconds count from the first check of `waits`. Thread-safe.
    """

    def __init__(self, is_connected: Callable[[], bool] = lambda: True) -> None:
        """`is_connected` returns whether the session has a browser."""
        self._is_connected = is_connected
        self._gone_since: float | None = None

    @property
    def has_browser(self) -> bool:
        """Whether a browser shows the session."""
        return self._is_connected()

    @property
    def waits(self) -> bool:
        """Whether the session still waits for its jobs."""
        if self.has_browser:
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
