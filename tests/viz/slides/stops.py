"""Slides of one stop, made with one model."""

from __future__ import annotations

from functools import cache

import pytest

from encoder import Backend
from encoder.attribution.methods import planes
from encoder.experiments.senses.evaluate import band_of_model
from viz.slides.build import slides_of
from viz.slides.contents import Slide
from viz.slides.models import Models
from viz.state.selection import DEFAULT
from viz.tours.files import parse_tour


def models_of(backend: Backend) -> Models:
    """What makes runs of one encoder, whatever the stops name."""
    return Models(
        open=lambda name: backend,
        trace=lambda name, a, b: backend.trace(a, b),
        band=cache(lambda name: band_of_model(backend)),
        maps=lambda trace, quantity: tuple(planes(backend, trace, quantity)),
        write=lambda selection: pytest.fail("The stop is about an encoder."),
    )


def slide_at(models: Models, block: str) -> Slide:
    """The slide of a stop with this block."""
    tour = parse_tour(f"# Tour\n\n## Stop\n\n```yaml\n{block}\n```\n\nWords.\n")
    return slides_of(tour, DEFAULT, models).slides[0]
