"""`python -m viz.desktop`: start the page's server, show the page in a window, and end both together."""

from __future__ import annotations

import argparse
import sys
import webbrowser
from collections.abc import Sequence
from dataclasses import replace

from encoder.errors import InstallationError, LaunchError, reports_errors
from viz.desktop import settings
from viz.desktop.server import serving
from viz.desktop.window import find_web_view, show
from viz.launch import Place, choose_port, free_port, page_address


@reports_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Show the page until its window is closed; the exit code is 1 if it cannot be served."""
    argparse.ArgumentParser(
        prog="python -m viz.desktop",
        description="Headlight in a window of its own. Where there is no web view, the browser opens instead.",
    ).parse_args(arguments)
    last = settings.read()
    port = _port_of(last.port)
    address = page_address(Place(port=port))
    try:
        with serving(port) as server:
            try:
                webview = find_web_view()
            except InstallationError as error:
                sys.stderr.write(f"{error} The browser opens instead; Ctrl+C ends Headlight.\n")
                webbrowser.open(address)
                server.wait()
            else:
                settings.write(show(webview, address, replace(last, port=port)))
    except KeyboardInterrupt:
        sys.stderr.write("\n")
    return 0


def _port_of(last: int | None) -> int:
    """The port of the last start if it is free, or another one."""
    try:
        return free_port() if last is None else choose_port(last)
    except LaunchError:
        return free_port()


if __name__ == "__main__":
    sys.exit(main())
