"""The window: a web view of the system, through pywebview."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from encoder.errors import InstallationError
from viz.desktop import settings
from viz.desktop.settings import SMALLEST, WindowSettings

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
        patch_save_dialogs(webview.initialize())
    except webview.WebViewException as error:
        raise InstallationError(needed) from error
    return webview


def show(webview: ModuleType, address: str, last: WindowSettings) -> WindowSettings:
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
    kept = settings.folder()
    webview.start(private_mode=kept is None, storage_path=None if kept is None else str(kept))
    return last.with_size(*sizes[-1])


def patch_save_dialogs(view: ModuleType) -> None:
    """Mend the dialogs of a web view, which is one of pywebview's modules `webview.platforms`."""
    patch = _PATCHES.get(view.__name__)
    if patch:
        patch(view)


def _patch_gtk(view: Any) -> None:
    """Begin in the home folder where there is no other."""
    create_file_dialog = view.BrowserView.create_file_dialog

    def create(self: object, kind: object, folder: str | None, *options: object) -> object:
        return create_file_dialog(self, kind, folder or str(Path.home()), *options)

    view.BrowserView.create_file_dialog = create


def _patch_qt(view: Any) -> None:
    """Ask for the place, and save there or not at all."""

    def save(self: Any, download: Any) -> None:
        proposed = Path(download.downloadDirectory(), download.suggestedFileName())
        chosen, _ = view.QFileDialog.getSaveFileName(self, self.localization["global.saveFile"], str(proposed))
        if not chosen:
            download.cancel()
            return
        download.setDownloadDirectory(str(Path(chosen).parent))
        download.setDownloadFileName(Path(chosen).name)
        download.accept()

    view.BrowserView.on_download_requested = save


_PATCHES: Final[Mapping[str, Callable[[Any], None]]] = {
    "webview.platforms.gtk": _patch_gtk,
    "webview.platforms.qt": _patch_qt,
}
