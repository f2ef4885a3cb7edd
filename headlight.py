"""The command `headlight`, which opens the page in the browser: `headlight --help`.

Streamlit looks for this module, too: it serves the components' code from the folders next to it.
"""

from __future__ import annotations

import argparse
import sys
import threading
import webbrowser
from collections.abc import Sequence
from typing import NoReturn

from encoder.errors import HeadlightError
from viz.launch import choose_port, page_address, serve, wait_for_server

EXAMPLES = """\
examples:
  headlight
  headlight --a "time flies like an arrow" --b "fruit flies like a banana"
  headlight --a "The movie was not bad." --model bundled-sentiment --port 8600
  headlight --model ./my-bert --no-browser

Ctrl+C ends it. `streamlit run app.py` starts the same page; `python -m viz.desktop` gives it a window of its own.
"""


class _Parser(argparse.ArgumentParser):
    """A parser that refuses in one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message.removesuffix('.')}. “{self.prog} --help” lists all options.\n")


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    options = _Parser(
        prog="headlight",
        description="See what a Transformer encoder attends to: start Headlight on this computer and open its page.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    options.add_argument("--a", metavar="TEXT", help="sentence A (default: an example)")
    options.add_argument("--b", metavar="TEXT", help="sentence B (default: the example's, or none with --a)")
    options.add_argument(
        "--model",
        metavar="NAME",
        help="bundled (default), bundled-sentiment, bert-base-uncased, scratch, scratch-bert, scratch-untrained, the "
        "folder of a model, or an id of the hub; the page asks before it downloads one or reads a folder",
    )
    options.add_argument("--tour", metavar="NAME", help="the tour to begin with")
    options.add_argument(
        "--port", type=int, metavar="N", help="where to serve (default: 8501, or another if it is taken)"
    )
    options.add_argument("--no-browser", action="store_true", help="say where the page is, and open no browser")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the page until Ctrl+C; the exit code is 2 for invalid options."""
    options = parser().parse_args(arguments)
    try:
        port = choose_port(options.port)
        address = page_address(port, a=options.a, b=options.b, model=options.model, tour=options.tour)
    except HeadlightError as error:
        sys.stderr.write(f"headlight: {error}\n")
        return 2
    opens = not options.no_browser
    threading.Thread(target=_announce, args=(port, address, opens), name="headlight-browser", daemon=True).start()
    serve(port)
    return 0


def _announce(port: int, address: str, opens: bool) -> None:
    """Print the page's address and open it, as soon as the server answers."""
    if wait_for_server(port):
        sys.stdout.write(f"Headlight is at {address}\nCtrl+C ends it.\n")
        sys.stdout.flush()
        if opens:
            webbrowser.open(address)


if __name__ == "__main__":
    sys.exit(main())
