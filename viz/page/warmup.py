"""Preload what the first render needs while the browser downloads Streamlit, and the model before a class comes.

The server answers before any of this is imported.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Final

from encoder.shipped.bundled import BUNDLED, bundled_folder
from viz.computing.background import Background

BODY: Final = "viz.page.body"
UNVISITED: Final = 5.0  # seconds; whoever opens the page before is answered first, and then the model is loaded


def _read_first_runs() -> None:
    from encoder.shipped.first_run import FILES  # imports numpy
    from viz.caches import run_cache

    for text in FILES:
        run_cache.stored_trace(BUNDLED, text, None)


def _prepare_first_element() -> None:
    """Do what Streamlit does for its first element: 60 ms of one core."""
    import_module("PIL.ImageFile")  # for the page icon
    inspect.stack()  # Streamlit calls it, and Python then caches the source file of every module


def _load_model() -> None:
    """Begin to load the model, unless a visitor did: fifty people who come at once would all wait for it."""
    from viz.page.loading import MODELS

    MODELS.start()


def preloading(unvisited: float = UNVISITED) -> Background:
    """The work, after which the model is loaded once so many seconds have passed."""
    return Background(
        [
            ("the weights", bundled_folder),  # first: computing their checksum releases the GIL to the starting server
            ("the page", lambda: import_module(BODY)),
            ("the first runs", _read_first_runs),
            ("the first element", _prepare_first_element),
        ],
        afterwards=[("the model", _load_model)],
        delay=unvisited,
    )


WARMUP: Final = preloading()
