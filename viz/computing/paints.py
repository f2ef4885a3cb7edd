"""What browsers have painted, for the runs of the page that wait for it."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable

SECONDS_BETWEEN_CHECKS = 0.02


class Paints:
    """Tokens that browsers are to report. Every method may be called from any thread.

    Attributes:
        address: where browsers report them; None where the page is served without that route.
    """

    def __init__(self) -> None:
        self.address: str | None = None
        self._expected: dict[str, threading.Event] = {}

    def expect(self) -> str:
        """A new token, for which `wait` has to be called."""
        token = secrets.token_hex(8)
        self._expected[token] = threading.Event()
        return token

    def report(self, token: str) -> None:
        """A browser has painted what came with a token. One that no run waits for is ignored."""
        if painted := self._expected.get(token):
            painted.set()

    def wait(self, token: str, seconds: float, *, check: Callable[[], None]) -> None:
        """Return when a token is reported, or after so many seconds; `check` is called meanwhile, and may raise."""
        painted = self._expected[token]
        try:
            for _ in range(round(seconds / SECONDS_BETWEEN_CHECKS)):
                check()
                if painted.wait(SECONDS_BETWEEN_CHECKS):
                    return
        finally:
            del self._expected[token]


PAINTS = Paints()
