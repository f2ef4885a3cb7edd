"""Reports of browsers that they have painted, for runs of the page that wait for them."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from typing import NamedTuple
from weakref import WeakValueDictionary

SECONDS_BETWEEN_CHECKS = 0.02


class Expected(NamedTuple):
    """A report that a browser is asked for: it counts as long as somebody holds this."""

    token: str
    painted: threading.Event


class Paints:
    """Tokens that browsers report. Every method may be called from any thread.

    Attributes:
        address: of the route of the reports; None if the page is served without it.
    """

    def __init__(self) -> None:
        self.address: str | None = None
        self._expected: WeakValueDictionary[str, threading.Event] = WeakValueDictionary()

    def expect(self) -> Expected:
        """A new report."""
        expected = Expected(secrets.token_hex(8), threading.Event())
        self._expected[expected.token] = expected.painted
        return expected

    def report(self, token: str) -> None:
        """Record that a browser has painted what came with a token. Unknown tokens are ignored."""
        if painted := self._expected.get(token):
            painted.set()

    def wait(self, expected: Expected, seconds: float, *, check: Callable[[], None]) -> bool:
        """Wait for a report, at most so many seconds; `check` is called meanwhile, and may raise.

        Returns:
            Whether it has come.
        """
        for _ in range(round(seconds / SECONDS_BETWEEN_CHECKS)):
            check()
            if expected.painted.wait(SECONDS_BETWEEN_CHECKS):
                return True
        return False


PAINTS = Paints()
