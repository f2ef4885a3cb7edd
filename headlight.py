"""Headlight in Python, and the command `headlight`, which opens the page in the browser: `headlight --help`.

::

    import headlight
    model = headlight.load("bundled-sentiment")
    headlight.head_view(model.trace("a lovely film"))      # in a notebook
    headlight.explain(model, "a lovely film", "decompx")   # what each word adds to the prediction
    headlight.texts("reviews.csv").run(model)              # its predictions for every row, as a pandas frame

A name is imported when it is first used: torch takes seconds, and a view of arrays needs numpy alone. Import this
module before torch; `encoder` says why. Streamlit looks for this module, too: it serves the components' code from the
folders next to it.
"""

from __future__ import annotations

import os
import shlex
import sys
import threading
import warnings
import webbrowser
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from encoder.errors import HeadlightError as HeadlightError
from encoder.errors import InstallationError as InstallationError
from encoder.errors import did_you_mean
from encoder.extras import name_missing_extra
from viz.launch import (
    INTERRUPTED,
    METRICS,
    Place,
    choose_place,
    configure,
    page_address,
    serve,
    wait_for_server,
)
from viz.permitted import asks_for_password

if TYPE_CHECKING:
    import argparse

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


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the page until Ctrl+C, or run another command; the exit code is 2 for invalid options."""
    from viz.commands import parser

    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(parser(os.environ["COMP_LINE"].split()[1:]))
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = parser(given)
    read = options.parse_args(given)
    if read.command is None:
        return _open_page(read)
    if read.command not in given[:1]:
        options.error(f"{read.command} comes before its options")
    try:
        with name_missing_extra(), warnings.catch_warnings():
            warnings.showwarning = _write_warning
            return _run(read)
    except HeadlightError as error:
        sys.stderr.write(f"headlight {read.command}: {error}\n")
        return 2


def _write_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Without the place in the code, which a command's user does not know."""
    sys.stderr.write(f"{message}\n")


def _run(given: argparse.Namespace) -> int:
    """Run a command. Raises HeadlightError."""
    match given.command:
        case "atlas":
            return _build_atlas(given)
        case "texts":
            return _work_with_texts(given)
        case "check":
            from viz.claims.check import check  # imports torch, as the others do

            return check(given)
        case "site":
            from viz.site.command import run

            return run(given)
    from viz import terminal

    terminal.run(given.command, given)
    return 0


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
            metrics=options.metrics,
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
        if metrics := os.environ.get(METRICS):
            sys.stdout.write(f"Metrics for Prometheus are at port {metrics.rpartition(':')[2]}.\n")
        sys.stdout.write("Ctrl+C ends it.\n")
        sys.stdout.flush()
        if opens:
            webbrowser.open(address)


def _build_atlas(given: argparse.Namespace) -> int:
    """Measure a model's heads over a corpus, and open the page with the atlas. Raises HeadlightError."""
    from encoder.atlas.build.one_step import build_and_ship

    try:
        folder = build_and_ship(given.model, given.corpus, given.out, column=given.column)
    except KeyboardInterrupt:
        sys.stderr.write("Stopped. What was measured is saved: the same command continues.\n")
        return INTERRUPTED
    page = ["--model", given.model, "--atlas", str(given.out)]
    sys.stdout.write(f"The atlas is in {folder}. To open it: {shlex.join(['headlight', *page])}\n")
    sys.stdout.flush()
    return 0 if given.no_open else main(page + (["--port", str(given.port)] if given.port is not None else []))


def _work_with_texts(given: argparse.Namespace) -> int:
    """Run a model over a table, or search one. Raises HeadlightError."""
    module = import_module({"run": "encoder.collection.command", "search": "viz.frames.command"}[given.of_texts])
    try:
        module.run(given)
    except KeyboardInterrupt:
        saved = " What was computed is saved: the same command continues." if given.of_texts == "run" else ""
        sys.stderr.write(f"Stopped.{saved}\n")
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
