"""Slides of one stop, made with one model."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache

import pytest

from encoder import Backend, Trace
from viz.answers.room import STOP, Room
from viz.recipes.runner import StepRunner
from viz.recipes.slide import Models
from viz.slides.build import slides_of
from viz.slides.contents import Slide
from viz.state.selection import DEFAULT
from viz.tours.files import parse_tour


def models_of(backend: Backend) -> Models:
    """What makes runs of one encoder, each once, whatever the stops name."""

    @cache
    def trace(name: str, a: str, b: str | None, **changes: Hashable) -> Trace:
        return backend.trace(a, b, **changes)

    return Models(
        open=lambda name: backend,
        trace=trace,
        steps=StepRunner(lambda name: backend),
        write=lambda selection: pytest.fail("The stop is about an encoder."),
    )


def slide_at(models: Models, block: str, room: Room = STOP) -> Slide:
    """The slide of a stop with this block."""
    tour = parse_tour(f"# Tour\n\n## Stop\n\n```yaml\n{block}\n```\n\nWords.\n")
    return slides_of(tour, DEFAULT, models, room=room).slides[0]
