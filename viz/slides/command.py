"""Write a tour as slides: `python -m viz.slides TOUR FILE [--model NAME]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from encoder import Backend
from encoder.errors import TourError
from viz.claims.check import read_file
from viz.claims.stops import open_encoder, open_writer, written_by
from viz.recipes.runner import StepRunner
from viz.recipes.slide import Models
from viz.slides.build import slides_of
from viz.slides.document import slides_document
from viz.state.selection import DEFAULT
from viz.tours.shipped import NAMES, path_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file; 1 if the tour cannot be read or the file cannot be written."""
    parser = argparse.ArgumentParser(prog="python -m viz.slides", description="Write a tour as slides.")
    parser.add_argument("tour", help=f"a tour's file, or one that ships: {', '.join(NAMES)}")
    parser.add_argument("file", type=Path, help="the HTML file to write")
    parser.add_argument("--model", default=DEFAULT.model, help="the model of stops that name none")
    options = parser.parse_args(arguments)
    try:
        tour = read_file(path_of(options.tour) if options.tour in NAMES else Path(options.tour))
    except TourError as error:
        sys.stderr.write(f"{options.tour}: {error}\n")
        return 1
    made = slides_document(slides_of(tour, replace(DEFAULT, model=options.model), models_named(options.model)))
    try:
        options.file.write_text(made, encoding="utf-8")
    except OSError as error:
        sys.stderr.write(f"{options.file}: the slides cannot be written there ({error.strerror}).\n")
        return 1
    sys.stdout.write(f"{options.file}: slides of {len(tour.stops)} stops, {len(made.encode()):,} bytes\n")
    return 0


def models_named(asked: str) -> Models:
    """The models of a command, which opens only the requested model without asking."""
    return models_by(lambda name: open_encoder(name, asked=name == asked))


def models_by(opened: Callable[[str], Backend]) -> Models:
    """The runs of models that a function opens by name."""
    return Models(
        open=opened,
        trace=lambda name, a, b, **changes: opened(name).trace(a, b, **changes),
        write=lambda selection: written_by(selection, open_writer(selection.decoder.model, asked=False)),
        steps=StepRunner(opened),
    )
