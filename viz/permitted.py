"""What visitors of the page may do: which models they open, and with which password they enter.

On one's own computer they open any model, by its folder or its id of the hub. A server for others offers the models
that ship and the model folders in one folder, by the folders' names. It shows no path, looks up none that a visitor
names, and downloads nothing.

`HEADLIGHT_MODELS` names that folder. If it is unset, any model may be opened; if it is empty, no folder is offered.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from encoder import offers
from encoder.errors import CheckpointError, HeadlightError, LaunchError, UnknownModelError
from encoder.models.files import read_json, usual_name
from encoder.offers import SCRATCH_BERT, ModelName

VARIABLE = "HEADLIGHT_MODELS"
PASSWORD_FILE = "HEADLIGHT_PASSWORD_FILE"
FRAMES = "HEADLIGHT_FRAMES"
ORIGIN = re.compile(r"https?://(\*\.)?[\w.-]+(:\d+)?", re.ASCII)
LONGEST_PASSWORD = 256  # characters, all of which fit a form
# Ends of the classes of encoder-decoders that are shown as encoders.
READING = ("ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering", "EncoderModel")
SIGNS = ("config.json", "modules.json", "adapter_config.json")  # files of which a model folder has at least one
MOST_QUOTED = 80  # characters of a name in an error, as in `encoder.models.files.quoted`


def is_limited() -> bool:
    """Whether visitors may open only what the server offers."""
    return VARIABLE in os.environ


def limit_if_shared(address: str | None) -> None:
    """Offer no folder by default if the server listens at an address that other computers reach; None = at all."""
    if address is None or not is_loopback(address):
        os.environ.setdefault(VARIABLE, "")


def is_loopback(host: str) -> bool:
    """Whether only this computer reaches a server at an address or a host name."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_model_folder(path: Path) -> bool:
    """Whether a folder has a model's settings."""
    return any((path / sign).is_file() for sign in SIGNS)


def listed(kind: Literal["encoders", "writers"] | None = None) -> tuple[str, ...]:
    """The names of the model folders that the server offers, sorted; none where any model may be opened.

    Args:
        kind: those of encoders, to which encoder-decoders with a head belong, or those of encoder-decoders that write
            text; None = all.
    """
    folders = sorted(_folders().items())
    return tuple(name for name, path in folders if kind is None or _writes(path) == (kind == "writers"))


def may_open(name: str) -> bool:
    """Whether a visitor may open a model."""
    return not is_limited() or _offered(name) is not None


def resolve(name: str) -> str:
    """What `encoder.load` takes for a name that a visitor gave.

    Raises:
        UnknownModelError: the server does not offer it; the message does not depend on what exists.
    """
    if not is_limited():
        return name
    found = _offered(name)
    if found is None:
        shown = repr(name[:MOST_QUOTED])
        raise UnknownModelError(f"This server does not offer the model {shown}: choose one of the list.")
    return found


def folder_of(name: str) -> Path | None:
    """The local folder of a model, as `encoder.offers.folder_of`; None if the server does not offer it."""
    return offers.folder_of(resolve(name)) if may_open(name) else None


def needs_consent(name: str) -> bool:
    """Whether to ask before a model is opened. What a server offers was agreed to by those who run it."""
    return not is_limited() and offers.needs_consent(name)


def asks_for_password() -> bool:
    """Whether the server asks for a password."""
    return bool(os.environ.get(PASSWORD_FILE))


def read_password(path: Path) -> str:
    """The password in a file, without white space or a byte order mark around it.

    Raises:
        LaunchError: the file cannot be read, is empty, or holds what nobody can type into a form.
    """
    try:
        password = path.read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError):
        raise LaunchError(f"The file of the password cannot be read: {str(path)!r}.") from None
    if not password:
        raise LaunchError(f"The file of the password is empty: {str(path)!r}.")
    if len(lines := password.splitlines()) > 1:
        raise LaunchError(f"The file of the password has {len(lines)} lines: leave one. It is {str(path)!r}.")
    if len(password) > LONGEST_PASSWORD or not password.isprintable():
        raise LaunchError(
            f"The password in {str(path)!r} has {len(password):,} characters: choose up to {LONGEST_PASSWORD} that can "
            "be typed, and no control characters."
        )
    return password


def framing_sites(named: str | None = None) -> tuple[str, ...]:
    """The origins of other sites that may show the page in a frame, by default those of the environment.

    Raises:
        LaunchError: one is no origin.
    """
    sites = tuple((os.environ.get(FRAMES, "") if named is None else named).split())
    for site in sites:
        if not ORIGIN.fullmatch(site):
            raise LaunchError(f"{site!r} is no site that could frame the page: use https://example.org, and no path.")
    return sites


@contextmanager
def hiding_paths(folder: Path | None, shown: str) -> Iterator[None]:
    """Write `shown` for a folder in errors that visitors see."""
    try:
        yield
    except HeadlightError as error:
        if is_limited() and folder is not None:
            path = str(folder)
            error.args = (str(error).replace(path, shown).replace(path[:MOST_QUOTED], shown),)
        raise


def _offered(name: str) -> str | None:
    """What `encoder.load` takes for an offered model; None for any other."""
    name, usual = name.strip(), usual_name(name.strip())
    if ModelName(name).ships:
        return name
    offered = usual.removeprefix(f"{SCRATCH_BERT}:")
    folder = _folders().get(offered)
    return None if folder is None else f"{name.removesuffix(offered)}{folder}"


def _writes(folder: Path) -> bool:
    """Whether a folder is that of an encoder-decoder without a head that reads a text."""
    try:
        settings = read_json(folder / "config.json")
    except CheckpointError:
        return False
    named = settings.get("architectures")
    architecture = str(named[0]) if isinstance(named, list) and named else ""
    return settings.get("is_encoder_decoder") is True and not architecture.endswith(READING)


def _folders() -> dict[str, Path]:
    """The model folders that the server offers, by name."""
    root = os.environ.get(VARIABLE)
    if not root:
        return {}
    try:
        folders = [path for path in Path(root).expanduser().absolute().iterdir() if is_model_folder(path)]
    except OSError:  # the folder is gone, or may not be read
        return {}
    return {path.name: path for path in folders if not path.name.startswith(".")}
