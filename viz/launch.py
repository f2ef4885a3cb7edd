"""Starting the page's server, and the address of what the page shows first: for `headlight` and for `viz.desktop`."""

from __future__ import annotations

import os
import runpy
import signal
import socket
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlencode

from encoder.errors import InstallationError, LaunchError
from encoder.extras import require
from encoder.offers import SCRATCH_BERT, WRITERS, kind_of_name
from viz.state.address import fits_link, from_query
from viz.state.codecs import UnreadableError, without_lone_surrogates
from viz.state.fields import FIELDS
from viz.state.selection import DEFAULT

APP = Path(__file__).parents[1] / "app.py"
HOST = "127.0.0.1"  # other computers cannot open the page
PORT = 8501  # Streamlit's own
SECONDS_TO_START = 120.0
INTERRUPTED = 130  # the exit code of a program that Ctrl+C ended
TICK = 0.1  # seconds between two checks whether the server answers
NO_MODEL = {
    "file": "{} is a file: name the folder that a model is in.",
    "no folder": "There is no folder {}.",
    "network path": "{} is a place on the network, and no model is read from there.",
    "nothing": "{} names no model: it is neither one that Headlight has, nor a folder, nor an id of the hub.",
}


def choose_port(wanted: int | None = None) -> int:
    """The port to serve the page at: the wanted one, or Streamlit's default if it is free, or any other.

    Raises:
        LaunchError: the wanted one is invalid or in use.
    """
    if wanted is None:
        return PORT if _is_free(PORT) else free_port()
    if not 1 <= wanted <= 65535:
        raise LaunchError(f"{wanted} is no port: choose a number from 1 to 65535.")
    if not _is_free(wanted):
        raise LaunchError(f"Port {wanted} cannot be used: choose another one, or none, and a free one is found.")
    return wanted


def page_address(
    port: int, *, a: str | None = None, b: str | None = None, model: str | None = None, tour: str | None = None
) -> str:
    """The address of the page with these texts, this model and this tour; None keeps the page's default.

    Args:
        model: a model's name, or a folder, which may be relative to the current one.
    Raises:
        LaunchError: a text is empty or too long for an address, or the name is not that of an encoder.
    """
    if a is not None and not a.strip():
        raise LaunchError("Sentence A is empty: write a sentence, or leave it out to see an example.")
    given = {"a": a, "b": b, "model": model and _absolute(_checked(model)), "tour": tour}
    params = {name: without_lone_surrogates(text) for name, text in given.items() if text is not None}
    if params and tour is None:  # a stop has a mode of its own
        params["mode"] = DEFAULT.texts.mode
    selection, _ = from_query(params)
    if not fits_link(selection):
        raise LaunchError(
            "The sentences are too long for an address: start Headlight without them and paste them there."
        )
    return f"http://{HOST}:{port}/" + (f"?{urlencode(params)}" if params else "")


def serve(port: int) -> None:
    """Run the server in this process until it is interrupted; it opens no browser.

    Raises:
        SystemExit: with a sentence if a package of the page is not installed, with `INTERRUPTED` after Ctrl+C, else
            with Streamlit's exit code.
    """
    try:
        require("app")
    except InstallationError as error:
        raise SystemExit(f"headlight: {error}") from error
    signal.signal(signal.SIGINT, _exit_interrupted)  # the server hands the signal on once it has shut down
    _ensure_home()
    options = ["--server.headless=true", f"--server.port={port}", f"--server.address={HOST}"]
    sys.argv = ["streamlit", "run", str(APP), *options]
    runpy.run_module("streamlit", run_name="__main__")


def _exit_interrupted(*_: object) -> NoReturn:
    """Exit without a KeyboardInterrupt, which Streamlit's command line reports as “Aborted!”."""
    raise SystemExit(INTERRUPTED)


def _ensure_home() -> None:
    """Without HOME, and for a user id without an entry, make the root the home folder: Streamlit needs one to start."""
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = os.sep


def wait_for_server(port: int, seconds: float = SECONDS_TO_START, *, alive: Callable[[], bool] = lambda: True) -> bool:
    """Whether the server answers within so many seconds, as long as it is alive."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and alive():
        try:
            with urllib.request.urlopen(f"http://{HOST}:{port}/_stcore/health", timeout=TICK * 10):
                return True
        except OSError:
            time.sleep(TICK)
    return False


def _checked(model: str) -> str:
    """The name of an encoder that the page can load. Raises LaunchError."""
    try:
        name: str = FIELDS["model"].codec.decode(model).strip()
    except UnreadableError:
        raise LaunchError(f"{model!r} names no model.") from None
    if name in WRITERS:
        raise LaunchError(f"{name!r} is an encoder-decoder, which the page has in its view “Decoder”: name an encoder.")
    problem = NO_MODEL.get(kind_of_name(name))
    if problem:
        raise LaunchError(problem.format(repr(name)))
    return name


def _absolute(model: str) -> str:
    """The same model for a server that runs in another folder."""
    if kind_of_name(model) != "folder":
        return model
    prefix = f"{SCRATCH_BERT}:" if model.startswith(f"{SCRATCH_BERT}:") else ""
    return f"{prefix}{Path(model.removeprefix(prefix)).expanduser().resolve()}"


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except (OSError, OverflowError):
            return False
        return True


def free_port() -> int:
    """A free port of this computer."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
