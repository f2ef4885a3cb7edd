"""Headlight in Python, and the command `headlight`, which opens the page in the browser: `headlight --help`.

::

    import headlight
    model = headlight.load("bundled-sentiment")
    headlight.head_view(model.trace("a lovely film"))      # in a notebook
    headlight.explain(model, "a lovely film", "decompx")   # what each word adds to the prediction

A name is imported when it is first used: torch takes seconds, and a view of arrays needs numpy alone. Import this
module before torch; `encoder` says why. Streamlit looks for this module, too: it serves the components' code from the
folders next to it.
"""

from __future__ import annotations

import argparse
import sys
import threading
import webbrowser
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from encoder.errors import HeadlightError
from encoder.extras import name_missing_extra
from viz.launch import choose_port, page_address, serve, wait_for_server

if TYPE_CHECKING:
    from encoder.attribution.explaining import WordValues, explain
    from encoder.attribution.head_ranking import HeadRanking, rank_heads
    from encoder.attribution.questions import Question
    from encoder.catalogue import load, load_writer
    from encoder.measures.unit_attention import word_attention
    from encoder.models.base import Backend
    from encoder.models.interventions import Patch
    from encoder.offers import CATALOGUE
    from encoder.runs.generation import Generation
    from encoder.runs.predictions import Predictions
    from encoder.runs.trace import Prediction, Trace
    from encoder.text.tokens import Tokens
    from viz.notebooks.views import head_view, heat_map, model_view, neuron_view

__version__ = "0.1.0"

__all__ = [
    "CATALOGUE",
    "Backend",
    "Generation",
    "HeadRanking",
    "HeadlightError",
    "Patch",
    "Prediction",
    "Predictions",
    "Question",
    "Tokens",
    "Trace",
    "WordValues",
    "__version__",
    "explain",
    "head_view",
    "heat_map",
    "load",
    "load_writer",
    "model_view",
    "neuron_view",
    "rank_heads",
    "word_attention",
]

_MODULE_OF = {
    "CATALOGUE": "encoder.offers",
    "Backend": "encoder.models.base",
    "Generation": "encoder.runs.generation",
    "HeadRanking": "encoder.attribution.head_ranking",
    "Patch": "encoder.models.interventions",
    "Prediction": "encoder.runs.trace",
    "Predictions": "encoder.runs.predictions",
    "Question": "encoder.attribution.questions",
    "Tokens": "encoder.text.tokens",
    "Trace": "encoder.runs.trace",
    "WordValues": "encoder.attribution.explaining",
    "explain": "encoder.attribution.explaining",
    "head_view": "viz.notebooks.views",
    "heat_map": "viz.notebooks.views",
    "load": "encoder.catalogue",
    "load_writer": "encoder.catalogue",
    "model_view": "viz.notebooks.views",
    "neuron_view": "viz.notebooks.views",
    "rank_heads": "encoder.attribution.head_ranking",
    "word_attention": "encoder.measures.unit_attention",
}

EXAMPLES = """\
examples:
  headlight
  headlight --a "time flies like an arrow" --b "fruit flies like a banana"
  headlight --a "The movie was not bad." --model bundled-sentiment --port 8600
  headlight --model ./my-bert --no-browser

Ctrl+C ends it. `streamlit run app.py` starts the same page; `python -m viz.desktop` gives it a window of its own.
"""


@name_missing_extra()
def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


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
