"""Headlight in Python, and the command `headlight`, which opens the page in the browser: `headlight --help`.

::

    import headlight
    model = headlight.load("bundled-sentiment")
    headlight.head_view(model.trace("a lovely film"))      # in a notebook
    headlight.explain(model, "a lovely film", "decompx")   # what each word adds to the prediction
    headlight.texts("reviews.csv").run(model)              # what it says of every row, as a pandas frame

A name is imported when it is first used: torch takes seconds, and a view of arrays needs numpy alone. Import this
module before torch; `encoder` says why. Streamlit looks for this module, too: it serves the components' code from the
folders next to it.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import threading
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

from encoder.errors import HeadlightError as HeadlightError
from encoder.errors import InstallationError, did_you_mean
from encoder.extras import name_missing_extra
from viz.launch import (
    INTERRUPTED,
    Place,
    choose_place,
    configure,
    page_address,
    serve,
    wait_for_server,
)
from viz.permitted import asks_for_password

if TYPE_CHECKING:
    from encoder.attribution.carriers import Carriers as Carriers
    from encoder.attribution.carriers import carriers as carriers
    from encoder.attribution.cuts import LinkEffects as LinkEffects
    from encoder.attribution.cuts import cut as cut
    from encoder.attribution.explaining import WordValues as WordValues
    from encoder.attribution.explaining import explain as explain
    from encoder.attribution.head_ranking import HeadRanking as HeadRanking
    from encoder.attribution.head_ranking import rank_heads as rank_heads
    from encoder.attribution.questions import Question as Question
    from encoder.catalogue import load as load
    from encoder.catalogue import load_writer as load_writer
    from encoder.collection.driving_words import DrivingWords as DrivingWords
    from encoder.collection.driving_words import driving_words as driving_words
    from encoder.measures.unit_attention import word_attention as word_attention
    from encoder.models.base import Backend as Backend
    from encoder.models.interventions import Patch as Patch
    from encoder.models.training_steps import StepsCallback as StepsCallback
    from encoder.models.wrapping import wrap as wrap
    from encoder.offers import CATALOGUE as CATALOGUE
    from encoder.runs.generation import Generation as Generation
    from encoder.runs.links import Link as Link
    from encoder.runs.predictions import Predictions as Predictions
    from encoder.runs.trace import Prediction as Prediction
    from encoder.runs.trace import Trace as Trace
    from encoder.text.tokens import Tokens as Tokens
    from viz.frames import Texts as Texts
    from viz.frames import texts as texts
    from viz.frames.pairs import pair_differences as pair_differences
    from viz.frames.pairs import similar_because as similar_because
    from viz.notebook_widget import Widget as Widget
    from viz.notebooks.views import head_view as head_view
    from viz.notebooks.views import heat_map as heat_map
    from viz.notebooks.views import model_view as model_view
    from viz.notebooks.views import neuron_view as neuron_view
    from viz.notebooks.views import routes as routes
    from viz.notebooks.views import tokens_view as tokens_view

__version__ = "0.1.0"

_NAMES = {
    "encoder.attribution.carriers": "Carriers carriers",
    "encoder.attribution.cuts": "LinkEffects cut",
    "encoder.attribution.explaining": "WordValues explain",
    "encoder.attribution.head_ranking": "HeadRanking rank_heads",
    "encoder.attribution.questions": "Question",
    "encoder.catalogue": "load load_writer",
    "encoder.collection.driving_words": "DrivingWords driving_words",
    "encoder.measures.unit_attention": "word_attention",
    "encoder.models.base": "Backend",
    "encoder.models.interventions": "Patch",
    "encoder.models.training_steps": "StepsCallback",
    "encoder.models.wrapping": "wrap",
    "encoder.offers": "CATALOGUE",
    "encoder.runs.generation": "Generation",
    "encoder.runs.links": "Link",
    "encoder.runs.predictions": "Predictions",
    "encoder.runs.trace": "Prediction Trace",
    "encoder.text.tokens": "Tokens",
    "viz.frames": "Texts texts",
    "viz.frames.pairs": "pair_differences similar_because",
    "viz.notebook_widget": "Widget",
    "viz.notebooks.views": "head_view heat_map model_view neuron_view routes tokens_view",
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}
__all__ = ["HeadlightError", "__version__", *_MODULE_OF]  # noqa: PLE0604

EXAMPLES = """\
examples:
  headlight
  headlight --a "time flies like an arrow" --b "fruit flies like a banana"
  headlight --a "The movie was not bad." --model bundled-sentiment --port 8600
  headlight --model ./my-bert --no-browser
  headlight --host 0.0.0.0 --models ./models --password-file ./password.txt

other commands, each with --help:
  headlight check --model ./my-bert                       prove a model: its attention, tokens, vectors, weights
  headlight check TOUR --model ./my-bert                  test a model: which claims of a tour hold
  headlight atlas ./my-bert reviews.csv --column text     measure what its heads do over a corpus, and show it
  headlight texts run reviews.csv --model ./my-bert --out results    what it says of every row of a table
  headlight texts search docs.csv "a query" --model ./my-bert        the first hits, and why a text is not among them
  headlight tokens "Zürich is nice"                       how a text is read
  headlight attend "time flies" --layer 0 --head 4        the attention of a head, in the terminal
  headlight why "a lovely film" --model bundled-sentiment    what each word adds to the prediction
  headlight site build --out ./site                       write a page whose model runs in the visitor's browser

Ctrl+C ends it. `streamlit run app.py` starts the same page; `python -m viz.desktop` gives it a window of its own.
"""
NOBODY_SIGNS_IN = (
    "Everyone who can reach this computer can open it at {}, and nobody has to sign in: --password-file asks for a "
    "password."
)
WITH_PASSWORD = "Everyone who can reach this computer and knows the password can open it at {}."


@name_missing_extra()
def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}.{did_you_mean(name, __all__)}")
    from encoder.runs.trace import Trace  # with numpy, which the command does not need to start

    Trace.draw = _html_of_trace
    return getattr(import_module(_MODULE_OF[name]), name)


def _html_of_trace(trace: Trace) -> str | None:
    from viz.notebooks.views import html_of_trace

    return html_of_trace(trace)


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
    options.add_argument("--no-browser", action="store_true", help="say where the page is, and open no browser")
    server = options.add_argument_group("the server")
    server.add_argument("--host", metavar="ADDRESS", help="127.0.0.1 (default) for this computer, 0.0.0.0 for others")
    server.add_argument("--port", type=int, metavar="N", help="(default: 8501, or another if it is taken)")
    server.add_argument("--base-path", metavar="PATH", help="below which the page is, as in tools/headlight")
    server.add_argument(
        "--models",
        metavar="FOLDER",
        help="a folder of model folders, which visitors may open by name; nothing else but the models that ship",
    )
    server.add_argument("--password-file", metavar="FILE", help="a file with a password that visitors are asked for")
    server.add_argument("--frames", metavar="SITES", help="other sites that may show the page in a frame")
    server.add_argument("--atlas", metavar="FOLDER", help="atlases of your models (default: HEADLIGHT_ATLAS)")
    server.add_argument(
        "--device", metavar="NAME", help="cpu, cuda, cuda:1 or mps (default: HEADLIGHT_DEVICE, else a GPU)"
    )
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the page until Ctrl+C, or run another command; the exit code is 2 for invalid options."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] in COMMANDS:
        try:
            with name_missing_extra():
                return COMMANDS[given[0]](given[1:])
        except InstallationError as error:
            sys.stderr.write(f"headlight {given[0]}: {error}\n")
            return 2
    return _open_page(parser().parse_args(given))


def _open_page(options: argparse.Namespace) -> int:
    try:
        place = choose_place(options.host, options.port, options.base_path)
        configure(
            place,
            models=options.models,
            password_file=options.password_file,
            frames=options.frames,
            atlas=options.atlas,
            device=options.device,
        )
        address = page_address(place, a=options.a, b=options.b, model=options.model, tour=options.tour)
    except HeadlightError as error:
        sys.stderr.write(f"headlight: {error}\n")
        return 2
    opens = not options.no_browser
    threading.Thread(target=_announce, args=(place, address, opens), name="headlight-browser", daemon=True).start()
    serve(place)
    return 0


def _announce(place: Place, address: str, opens: bool) -> None:
    """Print the page's address, and who else can open it, and open it, as soon as the server answers."""
    if wait_for_server(place):
        sys.stdout.write(f"Headlight is at {address}\n")
        if place.is_shared:
            sentence = WITH_PASSWORD if asks_for_password() else NOBODY_SIGNS_IN
            sys.stdout.write(f"{sentence.format(place.shared_url)}\n")
        sys.stdout.write("Ctrl+C ends it.\n")
        sys.stdout.flush()
        if opens:
            webbrowser.open(address)


def _check(arguments: Sequence[str]) -> int:
    """`headlight check`: what is proved of a model, or whether the claims of tours hold for it."""
    from viz.claims import check  # imports torch

    options = _Parser(
        prog="headlight check",
        description="Test a model: print its checks or, with tours, which of their claims hold, each with its number. "
        "The exit code is 0 if all hold, 1 if one does not, and 2 if the command or the model is faulty.",
        allow_abbrev=False,
    )
    check.add_options(options)
    return check.check(options.parse_args(arguments))


def _atlas(arguments: Sequence[str]) -> int:
    """`headlight atlas`: measure a model's heads over a corpus, and open the page with the atlas."""
    options = _Parser(
        prog="headlight atlas",
        description="Measure what every head of a model does over a corpus, and show it on the page. The same command "
        "continues an interrupted one.",
        allow_abbrev=False,
    )
    options.add_argument("model", metavar="MODEL", help="a model's folder, or a name that “headlight --model” takes")
    options.add_argument(
        "corpus",
        nargs="+",
        type=Path,
        metavar="CORPUS",
        help=".conllu, .jsonl, .csv, .tsv, or plain text with a sentence a line; each may be gzipped",
    )
    options.add_argument("--column", metavar="NAME", help="the column of the sentences in .csv, .tsv and .jsonl files")
    options.add_argument("--out", type=Path, default=Path("atlases"), metavar="FOLDER", help="(default: atlases)")
    options.add_argument("--port", type=int, metavar="N", help="of the page (default: 8501, or another if it is taken)")
    options.add_argument("--no-open", action="store_true", help="build the atlas, and say how to open it")
    given = options.parse_args(arguments)
    from encoder.atlas.build.one_step import build_and_ship  # imports torch

    try:
        folder = build_and_ship(given.model, given.corpus, given.out, column=given.column)
    except HeadlightError as error:
        sys.stderr.write(f"headlight atlas: {error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("Stopped. What was measured is saved: the same command continues.\n")
        return INTERRUPTED
    page = ["--model", given.model, "--atlas", str(given.out)]
    sys.stdout.write(f"The atlas is in {folder}. To open it: {shlex.join(['headlight', *page])}\n")
    sys.stdout.flush()
    if given.no_open:
        return 0
    return _open_page(parser().parse_args(page + (["--port", str(given.port)] if given.port is not None else [])))


TEXTS: Mapping[str, tuple[str, str, str]] = MappingProxyType(  # module, help and description of each command
    {
        "run": (
            "encoder.collection.command",
            "what a model says of every row of a table",
            "Write what a model says of every row of a table. The same command continues an interrupted one.",
        ),
        "search": (
            "viz.frames.command",
            "a table in the order of a query, and why a text was not found",
            "Print the first hits of a query, and why a text is not among them; or, without a query, how often a "
            "relevant text is found, and the causes where it is not.",
        ),
    }
)


def _texts(arguments: Sequence[str]) -> int:
    """`headlight texts run` and `headlight texts search`: a model and a table."""
    options = _Parser(prog="headlight texts", description="Work with many texts at once.", allow_abbrev=False)
    commands = options.add_subparsers(required=True, metavar="COMMAND", dest="command")
    for name, (module, help_line, description) in TEXTS.items():
        of_command = commands.add_parser(name, help=help_line, description=description, allow_abbrev=False)
        if name in arguments[:1]:
            import_module(module).add_options(of_command)  # imports torch
    given = options.parse_args(arguments)
    try:
        import_module(TEXTS[given.command][0]).run(given)
    except HeadlightError as error:
        sys.stderr.write(f"headlight texts: {error}\n")
        return 2
    except KeyboardInterrupt:
        saved = " What was computed is saved: the same command continues." if given.command == "run" else ""
        sys.stderr.write(f"Stopped.{saved}\n")
        return INTERRUPTED
    return 0


def _site(arguments: Sequence[str]) -> int:
    """`headlight site build`: a folder with a page whose model runs in the visitor's browser."""
    from viz.site.command import main as build_site

    return build_site(arguments)


def _one_run(command: str, description: str, arguments: Sequence[str]) -> int:
    """`headlight tokens`, `headlight attend` or `headlight why`."""
    from viz import terminal  # imports torch

    options = _Parser(prog=f"headlight {command}", description=description, allow_abbrev=False)
    terminal.add_options(options, command)
    try:
        terminal.run(command, options.parse_args(arguments))
    except HeadlightError as error:
        sys.stderr.write(f"headlight {command}: {error}\n")
        return 2
    return 0


COMMANDS: Mapping[str, Callable[[Sequence[str]], int]] = MappingProxyType(
    {
        "check": _check,
        "atlas": _atlas,
        "texts": _texts,
        "site": _site,
        "tokens": partial(_one_run, "tokens", "Print how a text is read: its tokens, their ids and words."),
        "attend": partial(_one_run, "attend", "Print the attention weights of a head."),
        "why": partial(_one_run, "why", "Print what each word adds to a prediction."),
    }
)


if __name__ == "__main__":
    sys.exit(main())
