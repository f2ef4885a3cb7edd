"""What must not happen on a page, whatever it shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Dialog, Error, Page, Request, WebSocket

ITSELF = ("data", "blob", "about")  # schemes of addresses at which no server is asked


class TroubleError(AssertionError):
    """The app did what nobody may see: a fault whatever the timing was, so the test is not run again."""


def assert_none(trouble: list[str]) -> None:
    if trouble:
        raise TroubleError("\n".join(trouble))


class Watch:
    """Notes requests to other servers than that of `address`, or other files, dialogs and errors, until `end`."""

    def __init__(self, page: Page, address: str) -> None:
        self.trouble: list[str] = []
        self._page: Any = page  # whose `on` is typed for one event at a time
        self._own = urlsplit(address)
        self._handlers: dict[str, Callable[[Any], None]] = {
            "request": self._check_address,
            "websocket": self._check_address,
            "pageerror": self._note_error,
            "console": self._note_message,
            "dialog": self._note_dialog,
        }
        for event, handler in self._handlers.items():
            self._page.on(event, handler)

    def end(self) -> list[str]:
        """What was noted; the page can be used for something else."""
        for event, handler in self._handlers.items():
            self._page.remove_listener(event, handler)
        return self.trouble

    def _check_address(self, asked: Request | WebSocket) -> None:
        parts = urlsplit(asked.url)._replace(fragment="")
        is_own = parts.netloc == self._own.netloc if self._own.netloc else parts == self._own  # a file is all there is
        if parts.scheme not in ITSELF and not is_own:
            self.trouble.append(f"request: {asked.url}")

    def _note_error(self, error: Error) -> None:
        self.trouble.append(f"error: {error}")

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.trouble.append(message.text)

    def _note_dialog(self, dialog: Dialog) -> None:
        self.trouble.append(f"dialog: {dialog.message}")
        dialog.dismiss()
