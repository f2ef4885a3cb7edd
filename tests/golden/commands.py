"""What commands and functions for notebooks make, as lines."""

from __future__ import annotations

import io
import runpy
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from unittest import mock

import encoder
import viz
from tests.golden.facts import text
from tests.golden.files import facts_of_file
from tests.golden.selections import FLIES, TOURS

SHIPPED = Path(viz.__file__).parent / "tours" / "shipped"


def made() -> dict[str, Callable[[], Iterator[str]]]:
    """What makes the lines of each."""
    slides = {f"slides of {tour}": partial(_slides, tour) for tour in TOURS}
    claims = {f"claims of {tour}": partial(_claims, tour) for tour in TOURS}
    views = ("heat_map", "head_view", "model_view", "neuron_view")
    notebooks = {f"notebook, {view}": partial(_notebook, view) for view in views}
    return {**slides, **claims, **notebooks, "notebook, arrays": _notebook_of_arrays}


def _slides(tour: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{tour}.html"
        _run("viz.slides", tour, str(file))
        yield from facts_of_file(file.name, file.read_bytes())


def _claims(tour: str) -> Iterator[str]:
    for line in _run("viz.tours", "check", str(SHIPPED / f"{tour}.md")).splitlines():
        yield f"printed: {text(line.replace(str(SHIPPED), ''))}"


def _run(module: str, *arguments: str) -> str:
    """What a command prints."""
    printed = io.StringIO()
    with redirect_stdout(printed), mock.patch.object(sys, "argv", [module, *arguments]):
        try:
            runpy.run_module(module, run_name="__main__")
        except SystemExit as end:
            printed.write(f"exit code {end.code}\n")
    return printed.getvalue()


def _notebook(view: str) -> Iterator[str]:
    trace = encoder.load("bundled").trace(FLIES["a"], FLIES["b"])
    chosen = {"include_layers": [1, 2]} if view == "model_view" else {"layer": 2}
    yield from facts_of_file(f"{view}.html", getattr(viz, view)(trace, **chosen).html.encode())


def _notebook_of_arrays() -> Iterator[str]:
    trace = encoder.load("scratch").trace(FLIES["a"])
    attention = [trace.weights(layer)[None] for layer in range(trace.num_layers)]
    shown = viz.head_view(attention, list(trace.tokens.labels), layer=1, heads=[0, 2])
    yield from facts_of_file("head_view.html", shown.html.encode())
