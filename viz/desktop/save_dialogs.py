"""Dialogs that ask where a download goes, mended where those of pywebview 6 fail and nothing would be saved.

On GTK they begin in the system's folder for downloads, which GLib does not know without xdg-user-dirs. On Qt they call
what Qt 6 has no longer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final


def mend_save_dialogs(view: ModuleType) -> None:
    """Mend the dialogs of a web view, which is one of pywebview's modules `webview.platforms`."""
    mend = _MENDERS.get(view.__name__)
    if mend:
        mend(view)


def _mend_gtk(view: Any) -> None:
    """Begin in the home folder where there is no other."""
    create_file_dialog = view.BrowserView.create_file_dialog

    def create(self: object, kind: object, folder: str | None, *options: object) -> object:
        return create_file_dialog(self, kind, folder or str(Path.home()), *options)

    view.BrowserView.create_file_dialog = create


def _mend_qt(view: Any) -> None:
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


_MENDERS: Final[Mapping[str, Callable[[Any], None]]] = {
    "webview.platforms.gtk": _mend_gtk,
    "webview.platforms.qt": _mend_qt,
}
