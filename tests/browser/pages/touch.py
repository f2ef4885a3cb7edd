"""A finger on the screen: taps, which a tab without a touch screen does not know otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Page


@contextmanager
def touching(page: Page) -> Iterator[Callable[[float, float], None]]:
    """Gives a function that taps at a place of the window."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def tap(x: float, y: float) -> None:
        session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    try:
        yield tap
    finally:
        session.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
        session.detach()
