"""Slides of one stop, made with one model."""

from __future__ import annotations

import pytest

from encoder import Backend
from viz.answers.room import STOP, Room
from viz.recipes.runner import StepRunner
from viz.slides.build import slides_of
from viz.slides.contents import Slide
from viz.slides.models import Models
from viz.state.selection import DEFAULT
from viz.tours.files import parse_tour


def models_of(backend: Backend) -> Models:
    """What makes runs of one encoder, whatever the stops name."""
    return Models(
        open=lambda name: backend,
        trace=lambda name, a, b, **changes: backend.trace(a, b, **changes),
        steps=StepRunner(lambda name: backend),
        write=lambda selection: pytest.fail("The stop is about an encoder."),
    )


def slide_at(models: Models, block: str, room: Room = STOP) -> Slide:
    """The slide of a stop with this block."""
    tour = parse_tour(f"# Tour\n\n## Stop\n\n```yaml\n{block}\n```\n\nWords.\n")
    return slides_of(tour, DEFAULT, models, room=room).slides[0]
