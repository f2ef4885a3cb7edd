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


def find_web_view() -> ModuleType:
    """pywebview, if it works on this computer.

    Raises:
        InstallationError: something is missing; the message is one sentence on what to install.
    """
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise InstallationError("There is no screen to open a window on.")
    needed = 'No web view is installed: pip install "headlight[desktop]".'
    try:
        webview = import_module("webview")
    except ImportError as error:
        raise InstallationError(needed) from error
    logging.getLogger("pywebview").setLevel(logging.CRITICAL)  # it logs missing web views
    try:
        patch_save_dialogs(webview.initialize())
    except webview.WebViewException as error:
        raise InstallationError(needed) from error
    return webview


def show(webview: ModuleType, address: str, last: WindowSettings) -> WindowSettings:
    """Show the page until the window is closed; returns its settings.

    External links open in the browser, and downloads ask for their location.
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
    folder = settings.folder()
    webview.start(private_mode=folder is None, storage_path=None if folder is None else str(folder))
    return last.with_size(*sizes[-1])


def patch_save_dialogs(view: ModuleType) -> None:
    """Patch the dialogs that ask where a download goes, which fail in pywebview 6 so that nothing is saved.

    On GTK they begin in the system's folder for downloads, which GLib does not know without xdg-user-dirs. On Qt they
    call a method that Qt 6 lacks.

    Args:
        view: one of pywebview's modules `webview.platforms`.
    """
    patch = _PATCHES.get(view.__name__)
    if patch:
        patch(view)


def _patch_gtk(view: Any) -> None:
    """Start in the home folder if no folder is given."""
    create_file_dialog = view.BrowserView.create_file_dialog

    def create(self: object, kind: object, folder: str | None, *options: object) -> object:
        return create_file_dialog(self, kind, folder or str(Path.home()), *options)

    view.BrowserView.create_file_dialog = create


def _patch_qt(view: Any) -> None:
    """Ask for the location, and save there or cancel."""

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
