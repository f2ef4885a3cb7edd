"""The lessons of a page without a server: tours as slides, each a page of its own, which leads back to the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from encoder import Backend
from encoder.errors import ArgumentError, TourError
from viz.claims.check import read_file
from viz.claims.stops import open_encoder
from viz.saved_page.contents import VIEW_NAMES
from viz.slides.build import slides_of
from viz.slides.command import models_by
from viz.slides.document import Site, slides_document
from viz.state.fields import text_of
from viz.state.selection import DEFAULT, Selection
from viz.tours.shipped import NAMES, path_of
from viz.tours.tour import Tour
from viz.tours.visiting import selection_at

FOLDER: Final = "lessons"
_UP: Final = "../"
_LINKED: Final = ("view", "layer", "head", "mode", "tags", "a", "b")  # that the page reads in its address


@dataclass(frozen=True, slots=True)
class Lesson:
    """A tour of a site; `address` is that of its page, from the site's folder."""

    title: str
    address: str
    html: str


def read_tours(names: Sequence[str]) -> dict[str, Tour]:
    """Tours, by the addresses of their pages.

    Args:
        names: of tours that ship, or files.
    Raises:
        ArgumentError: one is no tour.
    """
    tours = {}
    for name in names:
        try:
            tours[f"{FOLDER}/{Path(name).stem}.html"] = read_file(path_of(name) if name in NAMES else Path(name))
        except TourError as error:
            raise ArgumentError(f"{name} is not a tour. {error} Those that ship: {', '.join(NAMES)}.") from error
    return tours


def lessons_of(tours: Mapping[str, Tour], model: Backend) -> Iterator[Lesson]:
    """The lessons of a site, with their claims tested on its model.

    Args:
        tours: from `read_tours`.
        model: reads the stops that name no other.
    """
    models = models_by(lambda name: model if name == model.name else open_encoder(name, asked=False))
    start = replace(DEFAULT, model=model.name)
    for address, tour in tours.items():
        site = Site(folder=_UP, links=tuple(_links(tour, start)))
        yield Lesson(tour.title, address, slides_document(slides_of(tour, start, models), site=site))


def _links(tour: Tour, selection: Selection) -> Iterator[str]:
    """The address of the page with what each stop shows; "" where the page does not show it."""
    model = selection.model
    for stop in tour.stops:
        selection = selection_at(stop, selection)
        is_shown = (
            selection.model == model
            and not selection.shows_decoder
            and selection.view in VIEW_NAMES
            and selection.draws_weights
        )
        yield f"{_UP}#{urlencode({name: text_of(selection, name) for name in _LINKED})}" if is_shown else ""
