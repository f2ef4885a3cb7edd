"""The window's stored settings: its size, and the port of its page.

A browser stores a page's settings under its address, so the port has to stay the same.
"""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from encoder.cache_folder import cache_folder, read_stored, store

logger = logging.getLogger(__name__)

SMALLEST, LARGEST = 480, 16_384  # pixels of a side
FOLDER, FILE = "window", "window/window.json"


@dataclass(frozen=True, slots=True)
class WindowSettings:
    """A window's width and height in pixels, and the port of its page, None before the first start."""

    width: int = 1440
    height: int = 900
    port: int | None = None

    def with_size(self, width: float, height: float) -> WindowSettings:
        """The settings with another size, clamped to a window's limits."""
        sides = [min(max(round(side), SMALLEST), LARGEST) for side in (width, height)]
        return replace(self, width=sides[0], height=sides[1])


def folder() -> Path | None:
    """The window's folder; None if nothing is stored."""
    place = cache_folder()
    return None if place is None else place / FOLDER


def read() -> WindowSettings:
    """The stored settings; the defaults if there are none, or if they are damaged."""
    found = read_stored(FILE)
    if found is None:
        return WindowSettings()
    try:
        port = found["port"]
        return WindowSettings(port=port if isinstance(port, int) else None).with_size(found["width"], found["height"])
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        logger.info("the window's settings cannot be read: %s", error)
        return WindowSettings()


def write(settings: WindowSettings) -> None:
    """Store the settings, if that is on and the folder is writable."""
    store(FILE, asdict(settings))
