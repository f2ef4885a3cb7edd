"""What is stored between processes, as small JSON files in the user's cache folder.

`HEADLIGHT_CACHE` names another folder, or "off". A file that is missing or damaged counts as none.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

logger = logging.getLogger(__name__)

VARIABLE, OFF = "HEADLIGHT_CACHE", "off"


def cache_folder(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path | None:
    """Headlight's folder, by the conventions of the platform; None if it is off or no home folder is known."""
    named = environment.get(VARIABLE, "").strip()
    if named.lower() == OFF:
        return None
    try:
        return Path(named).expanduser() if named else _cache_base(environment, platform) / "headlight"
    except RuntimeError as error:  # HOME is not set, and the user id has no entry
        logger.info("nothing is stored: %s", error)
        return None


def _cache_base(environment: Mapping[str, str], platform: str) -> Path:
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if platform == "darwin":
        return Path.home() / "Library" / "Caches"
    xdg = Path(environment.get("XDG_CACHE_HOME", ""))
    return xdg if xdg.is_absolute() else Path.home() / ".cache"  # the specification ignores relative paths


def read_stored(name: str) -> Any:
    """The content of a file of the folder, named as in "window/window.json"; None without one."""
    place = cache_folder()
    try:
        return None if place is None else json.loads((place / name).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        logger.info("%s cannot be read: %s", name, error)
        return None


def store(name: str, content: Any) -> None:
    """Write a file of the folder, if storing is on and the folder is writable."""
    place = cache_folder()
    if place is None:
        return
    try:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(json.dumps(content), encoding="utf-8")
    except OSError as error:
        logger.info("%s cannot be stored: %s", name, error)
