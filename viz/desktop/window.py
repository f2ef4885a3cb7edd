"""The window: a web view of the system, through pywebview."""

from __future__ import annotations

import logging
import os
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from encoder.errors import InstallationError
from viz.desktop import remembered
from viz.desktop.remembered import SMALLEST, Remembered
from viz.desktop.save_dialogs import mend_save_dialogs

REQUIREMENTS = Path(__file__).with_name("requirements.txt")


def find_web_view() -> ModuleType:
    """pywebview, where it can draw on this computer.

    Raises:
        InstallationError: something is missing; the message is one sentence on what to install.
    """
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise InstallationError("There is no screen to open a window on.")
    needed = f"No web view is installed: run “{Path(sys.executable).name} -m pip install -r {REQUIREMENTS}”."
    try:
        webview = import_module("webview")
    except ImportError as error:
        raise InstallationError(needed) from error
    logging.getLogger("pywebview").setLevel(logging.CRITICAL)  # it logs the web views that are not there
    try:
        mend_save_dialogs(webview.initialize())
    except webview.WebViewException as error:
        raise InstallationError(needed) from error
    return webview


def show(webview: ModuleType, address: str, last: Remembered) -> Remembered:
    """Show the page until the window is closed; returns what to remember of it.

    Links to other places open in the browser, and what is saved asks for its place.
    """
    sizes = [(last.width, last.height)]
    webview.settings["ALLOW_DOWNLOADS"] = True
    webview.settings["OPEN_EXTERNAL_LINKS_IN_BROWSER"] = True
    window = webview.create_window(
        "Headlight",
        address,
        width=last.width,
        height=last.height,
        min_size=(SMALLEST, SMALLEST),
        text_select=True,
        zoomable=True,
    )
    window.events.resized += lambda width, height: sizes.append((width, height))
    kept = remembered.folder()
    webview.start(private_mode=kept is None, storage_path=None if kept is None else str(kept))
    return last.with_size(*sizes[-1])
