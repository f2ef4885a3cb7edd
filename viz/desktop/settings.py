"""The window's stored settings: its size, and the port of its page.

A browser stores a page's settings under its address, so the port has to stay the same. `HEADLIGHT_CACHE` names another
folder than the user's cache folder, or "off".
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

logger = logging.getLogger(__name__)

VARIABLE, OFF = "HEADLIGHT_CACHE", "off"
SMALLEST, LARGEST = 480, 16_384  # pixels of a side


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


def folder(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path | None:
    """The window's folder, by the conventions of the platform; None if it is off or no home folder is known."""
    named = environment.get(VARIABLE, "").strip()
    if named.lower() == OFF:
        return None
    try:
        return (Path(named).expanduser() if named else _cache_base(environment, platform) / "headlight") / "window"
    except RuntimeError as error:  # HOME is not set, and the user id has no entry
        logger.info("the window's settings are not stored: %s", error)
        return None


def _cache_base(environment: Mapping[str, str], platform: str) -> Path:
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if platform == "darwin":
        return Path.home() / "Library" / "Caches"
    xdg = Path(environment.get("XDG_CACHE_HOME", ""))
    return xdg if xdg.is_absolute() else Path.home() / ".cache"  # the specification ignores relative paths


def read() -> WindowSettings:
    """The stored settings; the defaults if there are none, or if they are damaged."""
    place = folder()
    if place is None:
        return WindowSettings()
    try:
        found = json.loads((place / "window.json").read_text(encoding="utf-8"))
        port = found["port"]
        return WindowSettings(port=port if isinstance(port, int) else None).with_size(found["width"], found["height"])
    except FileNotFoundError:
        return WindowSettings()
    except (OSError, ValueError, TypeError, KeyError, OverflowError) as error:
        logger.info("the window's settings cannot be read: %s", error)
        return WindowSettings()


def write(settings: WindowSettings) -> None:
    """Store the settings, if that is on and the folder is writable."""
    place = folder()
    if place is None:
        return
    try:
        place.mkdir(parents=True, exist_ok=True)
        (place / "window.json").write_text(json.dumps(asdict(settings)), encoding="utf-8")
    except OSError as error:
        logger.info("the window's settings cannot be stored: %s", error)
