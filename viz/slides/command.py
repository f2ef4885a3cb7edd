"""Write a tour as slides: `python -m viz.slides TOUR FILE [--model NAME]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from encoder import Trace
from encoder.errors import TourError
from viz.claims.check import read_file
from viz.claims.stops import open_encoder, open_writer, written_by
from viz.exports.slides_document import slides_document
from viz.slides.making import slides_of
from viz.slides.models import Models
from viz.state.selection import DEFAULT
from viz.tours.shipped import NAMES, path_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file; 1 where there is no tour to read."""
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
    options.file.write_text(made, encoding="utf-8")
    sys.stdout.write(f"{options.file}: slides of {len(tour.stops)} stops, {len(made.encode()):,} bytes\n")
    return 0


def models_named(asked: str) -> Models:
    """Models for a command, which opens no other model unasked than the one that it names."""

    def trace(name: str, a: str, b: str | None) -> Trace:
        return open_encoder(name, asked=name == asked).trace(a, b)

    return Models(
        open=lambda name: open_encoder(name, asked=name == asked),
        trace=trace,
        write=lambda selection: written_by(selection, open_writer(selection.decoder.model, asked=False)),
    )
