"""Registers a folder of JavaScript as a Streamlit component, and mounts it.

Streamlit serves the files of `viz/components` and sends the browser only their address, so that messages contain no
code. It serves files of installed packages only: `pyproject.toml` lists every component, `requirements.txt` installs
Headlight in place, and Streamlit finds the files next to `headlight.py`. The browser loads `views.js`, which
`make bundle` builds from every `view.mjs` and its imports.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import streamlit as st
from streamlit.errors import StreamlitAPIException

from encoder.errors import InstallationError

FOLDER: Final = Path(__file__).parent
PACKAGE: Final = "headlight"
ENTRY: Final = "entry.mjs"
VIEWS: Final = "views.js"
ADDRESS_OF_VIEWS: Final = f"{PACKAGE}.views/{VIEWS}"


def component(folder: Path, *, html: str | None = None) -> Callable[..., Any]:
    """A function that mounts the component of a folder with a `view.mjs`. The first call registers it.

    Args:
        html: the element that the view draws into; None if it draws nothing.
    """

    def mount(*, data: object, **options: Any) -> Any:
        return _registered(folder.name, html)(data=_as_json(data), **options)

    return mount


def _as_json(data: object) -> object:
    """The data in a list, which Streamlit encodes as JSON; `entry.mjs` unpacks it.

    Streamlit searches dictionaries for tables at every mount, and imports pandas for it.
    """
    return [data] if isinstance(data, dict) else data


@cache
def _registered(name: str, html: str | None) -> Callable[..., Any]:
    """Streamlit's own mounting command.

    Raises:
        InstallationError: Streamlit finds no such component among the installed packages.
    """
    try:
        return st.components.v2.component(f"{PACKAGE}.{name}", html=html, js=ENTRY)
    except StreamlitAPIException as error:
        raise InstallationError(
            f"Headlight is not installed in {sys.prefix}: Streamlit does not find its component {name!r} there. In "
            "Headlight's folder run “make run”, or “pip install -r requirements.txt” and then “streamlit run app.py”."
        ) from error


def files_of_components() -> dict[str, Path]:
    """The files for the browser, by the ends of their addresses: component, then file."""
    names = [view.parent.name for view in FOLDER.rglob("view.mjs") if view.with_name("__init__.py").exists()]
    entries = {f"{PACKAGE}.{name}/{ENTRY}": FOLDER / ENTRY for name in names}
    return entries | {ADDRESS_OF_VIEWS: FOLDER / VIEWS}


def code_version(folder: Path) -> str:
    """A digest of the files that the browser loads from a folder."""
    digest = sha256()
    for path in sorted(path for kind in ("mjs", "css") for path in folder.rglob(f"*.{kind}")):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
