"""What the first picture takes, made ready while the browser loads Streamlit's own code, which takes it a second.

The server answers before any of this is imported.
"""

from __future__ import annotations

import inspect
from importlib import import_module

from encoder.shipped.bundled import BUNDLED, bundled_folder
from viz.computing.background import Background

BODY = "viz.page.body"


def _read_first_runs() -> None:
    from encoder.shipped.first_run import FILES  # imports numpy
    from viz.caches import run_cache

    for text in FILES:
        run_cache.stored_trace(BUNDLED, text, None)


def _prepare_streamlit() -> None:
    """What Streamlit does when it draws its first element: 60 ms of a core there, and little once it was done here."""
    import_module("PIL.ImageFile")  # for the page's icon
    inspect.stack()  # to see who imported it; Python keeps which file every module is of


FIRST_PICTURE = Background(
    [
        ("the weights", bundled_folder),  # their checksum leaves the interpreter to the server, which is still starting
        ("the page", lambda: import_module(BODY)),
        ("the first runs", _read_first_runs),
        ("the first element", _prepare_streamlit),
    ]
)
