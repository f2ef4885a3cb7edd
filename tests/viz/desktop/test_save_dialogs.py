"""Dialogs that ask where a download goes: what they begin with, and what follows from the answer."""

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from viz.desktop.window import patch_save_dialogs


class Download:
    """A Qt download that records its calls."""

    def __init__(self) -> None:
        self.calls: dict[str, Any] = {}

    def downloadDirectory(self) -> str:  # noqa: N802
        return "/downloads"

    def suggestedFileName(self) -> str:  # noqa: N802
        return "page.html"

    def setDownloadDirectory(self, folder: str) -> None:  # noqa: N802
        self.calls["folder"] = folder

    def setDownloadFileName(self, name: str) -> None:  # noqa: N802
        self.calls["name"] = name

    def accept(self) -> None:
        self.calls["accepted"] = True

    def cancel(self) -> None:
        self.calls["cancelled"] = True


@pytest.mark.parametrize(
    ("chosen", "calls"),
    [
        ("/talks/flies.html", {"folder": "/talks", "name": "flies.html", "accepted": True}),
        ("", {"cancelled": True}),
    ],
)
def test_qt_saves_where_the_dialog_says_or_not_at_all(chosen: str, calls: dict[str, Any]) -> None:
    asked: list[Any] = []

    def ask(window: Any, title: str, proposed: str) -> tuple[str, str]:
        asked.extend((title, proposed))
        return chosen, ""

    qt: Any = ModuleType("webview.platforms.qt")
    qt.QFileDialog = SimpleNamespace(getSaveFileName=ask)
    qt.BrowserView = type("BrowserView", (), {"localization": {"global.saveFile": "Save file"}})
    patch_save_dialogs(qt)
    download = Download()
    qt.BrowserView().on_download_requested(download)
    assert asked == ["Save file", "/downloads/page.html"]
    assert download.calls == calls


@pytest.mark.parametrize(("folder", "begins_in"), [(None, str(Path.home())), ("/downloads", "/downloads")])
def test_gtk_begins_at_home_where_the_system_names_no_folder(folder: str | None, begins_in: str) -> None:
    gtk: Any = ModuleType("webview.platforms.gtk")
    gtk.BrowserView = type("BrowserView", (), {"create_file_dialog": lambda self, *given: given})
    patch_save_dialogs(gtk)
    assert gtk.BrowserView().create_file_dialog(30, folder, False, "page.html", ()) == (
        30,
        begins_in,
        False,
        "page.html",
        (),
    )


def test_other_web_views_stay_as_they_are() -> None:
    cocoa: Any = ModuleType("webview.platforms.cocoa")
    patch_save_dialogs(cocoa)
    assert not hasattr(cocoa, "BrowserView")
