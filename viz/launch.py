"""Starting the page's server, and the address of what the page shows first: for `headlight` and for `viz.desktop`."""

from __future__ import annotations

import os
import re
import runpy
import signal
import socket
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlencode

from encoder.errors import InstallationError, LaunchError
from encoder.extras import require
from encoder.offers import WRITERS, kind_of_name, without_prefix
from viz import permitted
from viz.state.address import fits_link, from_query
from viz.state.codecs import UnreadableError, without_lone_surrogates
from viz.state.fields import FIELDS
from viz.state.selection import DEFAULT

APP = Path(__file__).parents[1] / "app.py"
HOST = "127.0.0.1"  # other computers cannot open the page
LOCAL = {"localhost": HOST, "0.0.0.0": HOST, "::": "::1"}  # where this computer reaches a server that listens there
PORT = 8501  # Streamlit's own
METRICS_PORT = "9464"  # which exporters of metrics have by default
BASE_PATH = re.compile(r"\w[\w.~-]*(/\w[\w.~-]*)*", re.ASCII)
ATLASES, DEVICE, METRICS = "HEADLIGHT_ATLAS", "HEADLIGHT_DEVICE", "HEADLIGHT_METRICS"
XSRF = "STREAMLIT_SERVER_XSRF_COOKIE_SAME_SITE"
SECONDS_TO_START = 120.0
INTERRUPTED = 130  # the exit code of a program that Ctrl+C ended
TICK = 0.1  # seconds between two checks whether the server answers
NO_MODEL = {
    "file": "{} is a file: name the folder that a model is in.",
    "no folder": "There is no folder {}.",
    "network path": "{} is a place on the network, and no model is read from there.",
    "nothing": "{} names no model: it is neither one that Headlight has, nor a folder, nor an id of the hub.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the page is served.

    Attributes:
        host: the address that the server listens at.
        base_path: between the host and the page, without slashes around it; "" for none.
    """

    port: int
    host: str = HOST
    base_path: str = ""

    @property
    def is_shared(self) -> bool:
        """Whether other computers can reach the page."""
        return not permitted.is_loopback(self.host)

    @property
    def url(self) -> str:
        """The page's address on this computer."""
        return self._url_at(LOCAL.get(self.host, self.host))

    @property
    def shared_url(self) -> str:
        """The page's address on other computers, by this computer's name if the server listens at all its addresses."""
        return self._url_at(socket.gethostname() if self.host in LOCAL else self.host)

    def _url_at(self, host: str) -> str:
        named = f"[{host}]" if ":" in host else host
        return f"http://{named}:{self.port}/" + (f"{self.base_path}/" if self.base_path else "")


def choose_place(host: str | None = None, port: int | None = None, base_path: str | None = None) -> Place:
    """Where to serve the page: by default for this computer alone. Raises LaunchError for what cannot be used."""
    if host is not None and not _is_own(host):
        raise LaunchError(
            f"{host!r} is no address of this computer: choose 127.0.0.1 for this computer alone, or 0.0.0.0 for others."
        )
    path = (base_path or "").strip("/")
    if path and not BASE_PATH.fullmatch(path):
        raise LaunchError(f"{base_path!r} is no path: use letters, digits and “-”, as in tools/headlight.")
    chosen = host or HOST
    return Place(port=choose_port(port, chosen), host=chosen, base_path=path)


def choose_port(wanted: int | None = None, host: str = HOST) -> int:
    """The port to serve the page at: the wanted one, or Streamlit's default if it is free, or any other.

    Raises:
        LaunchError: the wanted one is invalid or in use.
    """
    if wanted is None:
        return PORT if _is_free(PORT, host) else free_port(host)
    if not 1 <= wanted <= 65535:
        raise LaunchError(f"{wanted} is no port: choose a number from 1 to 65535.")
    if not _is_free(wanted, host):
        raise LaunchError(f"Port {wanted} cannot be used: choose another one, or none, and a free one is found.")
    return wanted


def configure(
    place: Place,
    *,
    models: str | None = None,
    password_file: str | None = None,
    frames: str | None = None,
    atlas: str | None = None,
    device: str | None = None,
    metrics: str | None = None,
) -> None:
    """Validate the server's options and export them as environment variables for the page.

    Args:
        models: the folder of the model folders that visitors may open.
        password_file: the file with the password that they are asked for.
        frames: origins of other sites that may show the page in a frame, with spaces between them.
        atlas: the folder of atlases.
        device: as in `encoder.models.device.choose_device`.
        metrics: as in `metrics_place`.
    Raises:
        LaunchError: a folder, a file or an origin cannot be used.
        DeviceError: there is no such device.
    """
    chosen = {}
    if models is not None:
        chosen[permitted.VARIABLE] = str(_folder_of_models(models))
    password_file = password_file or os.environ.get(permitted.PASSWORD_FILE)
    if password_file:
        path = Path(password_file).expanduser().absolute()
        permitted.read_password(path)
        chosen[permitted.PASSWORD_FILE] = str(path)
    if frames is not None:
        chosen[permitted.FRAMES] = " ".join(permitted.framing_sites(frames))
        chosen[XSRF] = "none"  # browsers send no other cookie of Streamlit's with an upload in such a frame
    if atlas is not None:
        chosen[ATLASES] = str(_folder_of_atlases(atlas))
    if device is not None:
        from encoder.models.device import choose_device  # imports torch

        chosen[DEVICE] = str(choose_device(device))
    if metrics is not None:
        if metrics_place(metrics)[1] == place.port:
            raise LaunchError(f"The page is at port {place.port}: choose another one for --metrics.")
        chosen[METRICS] = metrics
    os.environ.update(chosen)
    permitted.limit_if_shared(place.host)


def metrics_place(named: str) -> tuple[str, int]:
    """The address and the port of "9464", for this computer alone, or of "0.0.0.0:9464".

    Raises:
        LaunchError: this is neither, or the port is in use.
    """
    host, _, port = named.rpartition(":")
    host = host.strip("[]") or HOST
    if not (port.isascii() and port.isdecimal() and _is_own(host)):
        raise LaunchError(
            f"{named!r} is no place for metrics: use a port, or an address and a port, as in 0.0.0.0:9464."
        )
    return host, choose_port(int(port), host)


def check_variables() -> None:
    """Check what `configure` exports, for a server that is started without it. Raises LaunchError."""
    if file := os.environ.get(permitted.PASSWORD_FILE):
        permitted.read_password(Path(file))
    permitted.framing_sites()
    if place := os.environ.get(METRICS):
        metrics_place(place)


def _folder_of_models(named: str) -> Path:
    path = _folder(named)
    if permitted.is_model_folder(path):
        raise LaunchError(f"{named!r} is a model itself: name the folder that it is in.")
    return path


def _folder_of_atlases(named: str) -> Path:
    path = _folder(named)
    if not any(path.glob("*/cards.json")):
        raise LaunchError(f"{named!r} holds no atlas: “headlight atlas MODEL CORPUS” builds one.")
    return path


def _folder(named: str) -> Path:
    path = Path(os.path.expanduser(named)).absolute()
    if not os.path.isdir(path):
        raise LaunchError(f"There is no folder {named!r}.")
    return path


def page_address(
    place: Place, *, a: str | None = None, b: str | None = None, model: str | None = None, tour: str | None = None
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
        raise LaunchError("The sentences are too long for a link: start Headlight without them and paste them there.")
    return place.url + (f"?{urlencode(params)}" if params else "")


def serve(place: Place) -> None:
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
    options = ["--server.headless=true", f"--server.port={place.port}", f"--server.address={place.host}"]
    options += [f"--server.baseUrlPath={place.base_path}"] if place.base_path else []
    # Without it, Streamlit would ask a server on the internet for the address of this network.
    options += [f"--browser.serverAddress={socket.gethostname()}"] if place.is_shared else []
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


def wait_for_server(
    place: Place, seconds: float = SECONDS_TO_START, *, alive: Callable[[], bool] = lambda: True
) -> bool:
    """Whether the server answers within so many seconds, as long as it is alive."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and alive():
        try:
            with urllib.request.urlopen(f"{place.url}_stcore/health", timeout=TICK * 10):
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
    if permitted.is_limited() and not permitted.may_open(name):
        names = ", ".join(permitted.listed()) or "none"
        raise LaunchError(
            f"{name!r} is not offered to visitors, who open what ships and by its name a folder in --models: {names}."
        )
    if name in WRITERS:
        raise LaunchError(f"{name!r} is an encoder-decoder, which the page has in its view “Decoder”: name an encoder.")
    problem = None if permitted.is_limited() else NO_MODEL.get(kind_of_name(name))
    if problem:
        raise LaunchError(problem.format(repr(name)))
    return name


def _absolute(model: str) -> str:
    """The same model for a server that runs in another folder."""
    if permitted.is_limited() or kind_of_name(model) != "folder":
        return model
    folder = without_prefix(model)
    return f"{model.removesuffix(folder)}{Path(folder).expanduser().resolve()}"


def _is_own(host: str) -> bool:
    """Whether a server can listen at a host."""
    try:
        _bind(host, 0).close()
    except (OSError, UnicodeError):
        return False
    return bool(host)


def _is_free(port: int, host: str) -> bool:
    try:
        _bind(host, port).close()
    except (OSError, OverflowError):
        return False
    return True


def free_port(host: str = HOST) -> int:
    """A free port of this computer."""
    with _bind(host, 0) as probe:
        port: int = probe.getsockname()[1]
        return port


def _bind(host: str, port: int) -> socket.socket:
    """A socket that is bound to an address. Raises OSError where it cannot be."""
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    probe = socket.socket(family)
    try:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)
    except BaseException:
        probe.close()
        raise
    return probe
