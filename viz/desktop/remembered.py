"""What the window remembers from one start to the next: its size, and the port of its page.

The page keeps its own settings under its address, so that another port is another page to it.
"""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from viz.caches.kept_runs import cache_folder

logger = logging.getLogger(__name__)

SMALLEST, LARGEST = 480, 16_384  # pixels of a side


@dataclass(frozen=True, slots=True)
class Remembered:
    """A window's width and height in pixels, and the port of its page, None before the first start."""

    width: int = 1440
    height: int = 900
    port: int | None = None

    def with_size(self, width: float, height: float) -> Remembered:
        """The same with another size, as far as a window can have it."""
        sides = [min(max(round(side), SMALLEST), LARGEST) for side in (width, height)]
        return replace(self, width=sides[0], height=sides[1])


def folder() -> Path | None:
    """Where the window keeps things, beside the runs that are kept; None where nothing is to be kept."""
    runs = cache_folder()
    return runs and runs.parent / "window"


def read() -> Remembered:
    """What was remembered last; the default where that is nothing, or damaged."""
    place = folder()
    if place is None:
        return Remembered()
    try:
        found = json.loads((place / "window.json").read_text(encoding="utf-8"))
        port = found["port"]
        return Remembered(port=port if isinstance(port, int) else None).with_size(found["width"], found["height"])
    except FileNotFoundError:
        return Remembered()
    except (OSError, ValueError, TypeError, KeyError, OverflowError) as error:
        logger.info("the window's size is not remembered: %s", error)
        return Remembered()


def write(remembered: Remembered) -> None:
    """Remember it, where something may be kept and the folder can be written to."""
    place = folder()
    if place is None:
        return
    try:
        place.mkdir(parents=True, exist_ok=True)
        (place / "window.json").write_text(json.dumps(asdict(remembered)), encoding="utf-8")
    except OSError as error:
        logger.info("the window's size cannot be remembered: %s", error)
