"""Reports of browsers that they have painted, for runs of the page that wait for them."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable

SECONDS_BETWEEN_CHECKS = 0.02


class Paints:
    """Tokens that browsers report. Every method may be called from any thread.

    Attributes:
        address: of the route of the reports; None if the page is served without it.
    """

    def __init__(self) -> None:
        self.address: str | None = None
        self._expected: dict[str, threading.Event] = {}

    def expect(self) -> str:
        """A new token; the caller must call `wait` for it."""
        token = secrets.token_hex(8)
        self._expected[token] = threading.Event()
        return token

    def report(self, token: str) -> None:
        """Record that a browser has painted what came with a token. Unknown tokens are ignored."""
        if painted := self._expected.get(token):
            painted.set()

    def wait(self, token: str, seconds: float, *, check: Callable[[], None]) -> None:
        """Wait for the report of a token, at most so many seconds; `check` is called meanwhile, and may raise."""
        painted = self._expected[token]
        try:
            for _ in range(round(seconds / SECONDS_BETWEEN_CHECKS)):
                check()
                if painted.wait(SECONDS_BETWEEN_CHECKS):
                    return
        finally:
            del self._expected[token]


PAINTS = Paints()
